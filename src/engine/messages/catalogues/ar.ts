import type { Catalogue } from "./catalogue.js";
import { createResolution } from "./resolution-words.js";
import { createWording, sentences } from "./wording.js";

const { plural, percent, duration, state, list } = createWording("ar");

const STATES = {
  idle: "خامل",
  thinking: "يفكر",
  calling_tool: "يستخدم أداة",
  writing_output: "يكتب",
  awaiting_input: "ينتظر إجابة",
  deciding: "يقرر",
  handing_off: "يسلّم المهمة",
} as const;

const GAPS = {
  aged_out: "لم تعد محفوظة عندما حان دورها",
  resumed_too_late: "استؤنف الاشتراك بعد حذفها",
  unknown_place: "الموضع الذي كان ينبغي أن يُستأنف منه الاشتراك غير معروف هنا",
} as const;

const resolution = createResolution("ar", {
  decisions: {
    accepted: "تم القبول.",
    rejected: "تم الرفض.",
    answered: "تمت الإجابة.",
    cancelled: "تم السحب.",
  },
  decidedBy: {
    reply: "",
    timeout: "لم يجب أحد في الوقت المحدد، لذلك يُطبَّق الخيار الافتراضي.",
    nobody_to_ask: "لم يوجد من يمكن سؤاله، لذلك يُطبَّق الخيار الافتراضي.",
    nobody_left: "غادر من كان يمكنه الإجابة، لذلك يُطبَّق الخيار الافتراضي.",
    host: "تمت الإجابة في نافذة الوكيل نفسه.",
    agent: "",
    host_window: "أجب في نافذة الوكيل نفسه.",
  },
  decidedByTerse: {
    reply: "",
    timeout: "انتهى الوقت.",
    nobody_to_ask: "لا يوجد من يُسأل.",
    nobody_left: "لم يبق من يجيب.",
    host: "أُجيب في نافذة الوكيل.",
    agent: "",
    host_window: "أجب في نافذة الوكيل نفسه.",
  },
  withoutDefault: {
    nobody_to_ask: "لم يوجد من يمكن سؤاله.",
    nobody_left: "غادر من كان يمكنه الإجابة.",
  },
  noAnswer: "لم تصل أي إجابة.",
  yes: "نعم",
  no: "لا",
  takenToBe: (answer) => ({ terse: `تُعتمد الإجابة: ${answer}`, normal: `تُعتمد الإجابة التالية: ${answer}` }),
  question: (asking) => `كان السؤال: ${asking}`,
});

const CLOSINGS = {
  producer_shutdown: { terse: "جارٍ الإيقاف.", normal: "يجري إيقاف الخدمة. أعد الاشتراك عندما تعود." },
  recording_ended: { terse: "انتهى التسجيل.", normal: "انتهى التسجيل، ولا يتبعه شيء." },
  producer_error: {
    terse: "حدث خطأ.",
    normal: "حدث خطأ في الخدمة فأُغلق الاشتراك. أعد الاشتراك للمتابعة من حيث توقفت.",
  },
  lagging: {
    terse: "تأخر كبير.",
    normal: "كان الاشتراك يستقبل الأحداث ببطء شديد فأُغلق. أعد الاشتراك للمتابعة من حيث توقفت.",
  },
  handshake_timeout: {
    terse: "لم يصل أي طلب.",
    normal: "أُغلق الاتصال لأنه لم يصل طلب اشتراك في الوقت المحدد.",
  },
  idle_timeout: { terse: "خمول طويل.", normal: "أُغلق الاتصال لأنه بقي خاملاً مدة طويلة." },
} as const;

export const ARABIC: Catalogue = {
  sessionSummary: ({ state: name, toolsRunningCount, outputOpen, questionOpen, percent: done }) => ({
    terse: sentences([
      `الحالة: ${state(STATES, name)}.`,
      questionOpen && "سؤال مفتوح.",
      done !== undefined && `${percent(done)}.`,
    ]),
    normal: sentences([
      `الحالة الحالية: ${state(STATES, name)}.`,
      toolsRunningCount > 0 &&
        plural(toolsRunningCount, {
          one: "أداة واحدة قيد التشغيل.",
          two: "أداتان قيد التشغيل.",
          few: "# أدوات قيد التشغيل.",
          many: "# أداة قيد التشغيل.",
          other: "# أداة قيد التشغيل.",
        }),
      outputOpen && "تجري كتابة الناتج.",
      questionOpen && "هناك سؤال ينتظر الإجابة.",
      done !== undefined && `اكتمل ${percent(done)}.`,
    ]),
  }),
  gap: ({ eventCount, reason }) => {
    if (eventCount === undefined)
      return { terse: "ربما فاتتك أحداث.", normal: `ربما فاتتك أحداث. السبب: ${GAPS[reason]}.` };
    const missed = plural(eventCount, {
      zero: "لم يفتك أي حدث",
      one: "فاتك حدث واحد على الأكثر",
      two: "فاتك حدثان على الأكثر",
      few: "فاتك # أحداث على الأكثر",
      many: "فاتك # حدثًا على الأكثر",
      other: "فاتك # حدث على الأكثر",
    });
    return { terse: `${missed}.`, normal: `${missed}. السبب: ${GAPS[reason]}.` };
  },
  agentDisconnected: ({ agent }) => ({
    terse: "انقطع اتصال الوكيل.",
    normal: `انقطع الاتصال مع ${agent}، لذلك انتهت الجلسة. قد تفيد إعادة تشغيلها.`,
  }),
  agentNotBack: ({ agent }) => ({
    terse: "لم يعد الوكيل.",
    normal: `أُعيد تشغيل الخدمة ولم يعد ${agent}، لذلك انتهت الجلسة. قد تفيد إعادة تشغيلها.`,
  }),
  daemonStopped: ({ agent }) => ({
    terse: "أُوقفت الخدمة.",
    normal: `أُوقفت الخدمة، لذلك انتهت جلسة ${agent}. قد تفيد إعادة تشغيلها.`,
  }),
  toolAbandoned: ({ tool }) => ({
    terse: `${tool}: بلا نتيجة.`,
    normal: `تُركت الأداة ${tool} دون نتيجة.`,
  }),
  questionNotice: ({ agent, kind, asking }) => ({
    terse: `${kind === "confirmation" ? "طلب تأكيد في مكان آخر" : "سؤال في مكان آخر"}: ${asking}`,
    normal: sentences([
      kind === "confirmation" ? `طلب تأكيد من ${agent}: ${asking}` : `سؤال من ${agent}: ${asking}`,
      "لا يمكن الإجابة عبر هذا الاشتراك.",
    ]),
  }),
  resolution,
  countdown: ({ passed, remainingSeconds, asking }) => ({
    terse: `الوقت المتبقي للإجابة: ${duration(remainingSeconds)}.`,
    normal: sentences([
      passed === "half" ? "مضى نصف وقت الإجابة." : "بقي وقت قليل للإجابة.",
      `الوقت المتبقي: ${duration(remainingSeconds)}.`,
      `السؤال هو: ${asking}`,
    ]),
  }),
  closing: ({ reason }) => CLOSINGS[reason],
  relayStarted: ({ agent, capabilities }) => ({
    terse: "بدأت الجلسة.",
    normal: `بدأ ${agent}. يمكنه استخدام: ${list(capabilities)}.`,
  }),
  relayEnded: ({ agent }) => ({ terse: "تم.", normal: `انتهى ${agent}.` }),
  relayCall: ({ agent, tool, details }) => ({
    terse: `يستخدم ${tool}.`,
    normal: sentences([`يستخدم ${agent} الأداة ${tool}.`, details !== undefined && `مع ${details}.`]),
  }),
  relayFailed: ({ tool, code }) => ({ terse: `فشلت ${tool}.`, normal: `فشلت الأداة ${tool}: ${code}.` }),
  relayArtifact: ({ tool, name }) => ({ terse: `ملف: ${name}.`, normal: `أنشأت الأداة ${tool} الملف ${name}.` }),
  relayAction: ({ agent, tool, details }) => ({
    terse: `طلب إذن لاستخدام ${tool}.`,
    normal: sentences([`يريد ${agent} استخدام الأداة ${tool}.`, details !== undefined && `مع ${details}.`]),
  }),
  relayConsequence: ({ tool }) => ({
    terse: "لا يمكن التراجع.",
    normal: `لا يمكن التراجع عن آثار الأداة ${tool}.`,
  }),
};
