import { createWording } from "../catalogues/wording.js";
import type { AdapterWords } from "./adapter-words.js";
import { titled } from "./titled.js";

const { plural } = createWording("ar");

export const ARABIC_ADAPTER: AdapterWords = {
  agentIn: (host, folder) => `${host} في ${folder}`,
  runs: {
    read: (what) => `يقرأ ${what}`,
    edit: (what) => `يعدّل ${what}`,
    delete: (what) => `يحذف ${what}`,
    move: (what) => `ينقل ${what}`,
    execute: (what) => `ينفّذ ${what}`,
    fetch: (what) => `يجلب ${what}`,
  },
  asks: {
    read: (what) => `قراءة ${what}`,
    edit: (what) => `تعديل ${what}`,
    delete: (what) => `حذف ${what}`,
    move: (what) => `نقل ${what}`,
    execute: (what) => `تنفيذ ${what}`,
    fetch: (what) => `جلب ${what}`,
  },
  use: (tool) => `استخدام ${tool}`,
  moreLines: (count) =>
    plural(count, {
      one: "وسطر آخر",
      two: "وسطران آخران",
      few: "و# أسطر أخرى",
      many: "و# سطرًا آخر",
      other: "و# سطر آخر",
    }),
  moreCharacters: (count) =>
    plural(count, {
      one: "وحرف آخر",
      two: "وحرفان آخران",
      few: "و# أحرف أخرى",
      many: "و# حرفًا آخر",
      other: "و# حرف آخر",
    }),
  moreFiles: (count) =>
    plural(count, {
      one: "وملف آخر",
      two: "وملفان آخران",
      few: "و# ملفات أخرى",
      many: "و# ملفًا آخر",
      other: "و# ملف آخر",
    }),
  labels: {
    command: "الأمر",
    folder: "المجلد",
    file: "الملف",
    host: "المضيف",
    address: "العنوان",
    text: "النص الجديد",
  },
  agentSays: (description) => `كما يقول الوكيل: ${description}`,
  noDetails: "لا يقول الوكيل أكثر من ذلك.",
  leftOut: (count) =>
    plural(count, {
      one: "ليس كل شيء هنا: حُذف حرف واحد.",
      two: "ليس كل شيء هنا: حُذف حرفان.",
      few: "ليس كل شيء هنا: حُذفت # أحرف.",
      many: "ليس كل شيء هنا: حُذف # حرفًا.",
      other: "ليس كل شيء هنا: حُذف # حرف.",
    }),
  notAllRead: (action) => `لم يُقرأ كل شيء. هل يُسمح به رغم ذلك: ${action}`,
  works: "يعمل على طلبك.",
  done: "تم.",
  limitReached: "توقف: بلغ حدّه.",
  refused: "رفض الوكيل.",
  stopped: "توقف.",
  failed: "انتهى بخطأ.",
  signInNeeded: "يحتاج الوكيل إلى تسجيل دخولك.",
  exited: (how) => `انتهى الوكيل على نحو غير متوقع: ${how}.`,
  exitCode: (number) => `الرمز ${number}`,
  programEnded: (how) => `انتهى البرنامج: ${how}.`,
  usesTools: (server) => `يستخدم أدوات ${server}.`,
  message: "رسالة.",
  waitsForPerson: "ينتظر شخصًا.",
  hostClosed: "أُغلقت نافذة الوكيل.",
  mode: (name) => `الوضع: ${name}.`,
  compacting: "يلخّص المحادثة.",
  subagent: (title, words) => `${titled("وكيل فرعي", title)}: ${words}`,
  askedThere: (asking) => `${asking} أجب عنه في نافذة الوكيل.`,
  askedToOpen: (domain) => `يطلب منك الوكيل فتح ${domain} في نافذته.`,
  question: "يطرح الوكيل سؤالًا.",
  waitsForYou: "ينتظرك.",
  denied: (what) => `مرفوض: ${what}.`,
  searches: "يبحث.",
};
