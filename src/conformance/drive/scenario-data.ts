// The words of the scenarios, as the agent of the suite says them.

/** The text of the scenario "text", in two paragraphs. */
export const SENTENCES = [
  "The photos are sorted now. ",
  "Nine of them were taken twice. ",
  "The copies stay where they are.\n\n",
  "Dr. Zoë Adams 📷 took most of them in 2024. ",
  "It rained on the third day. ",
  "Nothing was deleted.",
] as const;

/** Texts in scripts that end sentences by other marks, or words by none. */
export const OTHER_TEXTS: readonly (readonly [language: string, text: string])[] = [
  ["ar", "الصور مرتبة الآن. تسع منها التقطت مرتين. هل أحذف النسخ؟ لم يُحذف شيء."],
  ["ja", "写真は整理されました。九枚は二回撮られています。コピーはそのままです。"],
  ["th", "จัดเรียงรูปภาพแล้ว มีเก้ารูปที่ถ่ายซ้ำ สำเนายังอยู่ที่เดิม"],
  ["hi", "तस्वीरें अब क्रम में हैं। उनमें से नौ दो बार ली गईं। कुछ भी हटाया नहीं गया।"],
];

export const BILINGUAL = { primary_language: "en", available_languages: ["en", "fr"] };
export const INVOKED = {
  args_summary: "all",
  risk_level: "low",
  irreversible: false,
  summary_normal: "Lists the photos.",
};
export const FAILURE = {
  error_code: "DISK_GONE",
  error_category: "permanent",
  summary_normal: "The disk is not there.",
};
export const QUESTION = {
  action: "Delete nine photos.",
  consequence: "The photos cannot be brought back.",
  risk_level: "high",
  irreversible: true,
  timeout_seconds: 30,
  default_decision: "reject",
  summary_normal: "May I delete nine photos?",
};
export const CHOICES = [
  { value: "y2023", label: "In 2023" },
  { value: "y2024", label: "In 2024" },
];
