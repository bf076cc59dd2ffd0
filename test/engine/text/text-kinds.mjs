// Kinds of text that are costly for the search of words and sentences: scripts without spaces, punctuation alone, text without an end. Each is [name,
// language, the repeated text]; written for the purpose.

const prose =
  "The daemon sits between agents and readers. It knows, e.g. from Dr. Roe's list, what each of them wants. Nobody had expected that! Would you have? ";
const thai = "วันนี้อากาศดีมากเราจึงไปเดินเล่นที่สวนใกล้บ้านแล้วกลับมากินข้าวด้วยกัน";
const chinese = "今天天气很好我们去公园散步然后回家一起吃饭大家都很高兴";
const japanese = "今日は天気がとてもよかったので公園を散歩してから家に帰ってみんなでご飯を食べました";

export const KINDS = [
  ["English prose", "en", prose],
  [
    "German prose",
    "de",
    "Die Probe dauert z. B. 3. bis 5. Mai. Danach kommt Fr. Dr. Weiß zurück; alle hören „Gut so. Weiter!“ und gehen. ",
  ],
  [
    "Markdown",
    "en",
    `## Title\n\n${prose}\n\n- **Fast.** It costs little (see below).\n- Calm.\n\n| a | b |\n|---|---|\n| c. | d |\n\n`,
  ],
  ["Japanese prose", "ja", `${japanese}。彼女は「止まれ。行くな。」と言った。`],
  ["Hindi prose", "hi", "आज मौसम अच्छा है। हम बाग में घूमने गए। क्या आप भी आएँगे? "],
  ["Arabic prose", "ar", "الجو جميل اليوم. هل ذهبت إلى الحديقة؟ نعم، ذهبت مع أصدقائي! "],
  ["Hangul", "ko", "오늘은 날씨가 좋아서 공원에 갔습니다. 함께 갈까요? "],
  ["full stops with spaces", "en", ". "],
  ["dot leaders", "en", "Chapter ............................ 12\n"],
  ["dots alone", "en", "."],
  ["ellipses", "en", "... ... "],
  ["question and exclamation marks", "en", "?!?!?!"],
  ["the same with spaces", "en", "?! ?! "],
  ["Arabic question marks", "ar", "؟ "],
  ["dandas", "hi", "। "],
  ["ideographic full stops", "zh", "。"],
  ["Armenian and Ethiopic stops", "am", "። ։ "],
  ["letters between dots", "en", "a.b.c.d."],
  ["abbreviations", "en", "Dr. Dr. Dr. "],
  ["many abbreviations", "en", "cf. e.g. Prof. Dr. Mr. St. vs. U.S. approx. Inc. "],
  ["titles", "en", "Dr. Mr. St. Ms. Dr. St. Mr. Mrs. "],
  ["titles in Arabic letters", "ar", "د. أ. م. Dr. Mr. Mrs. "],
  ["question marks between letters", "ar", "ab؟"],
  ["stops of several scripts", "en", "ab。cd।ef؟gh．"],
  ["numbers with dots", "en", "1. 1. 1. "],
  ["short sentences", "en", "Yes. No. Go! "],
  ["lower case after stops", "en", "so. it goes. and on. "],
  ["emphasis", "en", "**"],
  ["emphasis with spaces", "en", "** ** "],
  ["underscores and backticks", "en", "_`~"],
  ["closing marks after stops", "en", '.")] '],
  ["footnotes", "en", "It is so.[1][2] "],
  ["opened brackets", "en", "[[["],
  ["quotes and brackets, never closed", "en", '(["«„“「{'],
  ["nested quotes", "en", '"(«“‘'],
  ["quoted sentences", "en", '"Go. Home." he said. '],
  ["opened again and again", "en", 'He said ("go. And '],
  ["straight quotes", "en", '"'],
  ["a quote a word", "en", '" a. '],
  ["no space", "en", "abcdefghij"],
  ["a path", "en", "/usr/share/doc/a-b_c.d,e;f"],
  ["spaces", "en", " "],
  ["tabs and no-break spaces", "en", "\t\u00a0"],
  ["blank lines", "en", "\n"],
  ["line ends of all kinds", "en", "a\r\n\r\nb\n\rc\r\n"],
  ["stops at line ends", "en", "a.\n"],
  ["list markers", "en", "- - - - "],
  ["list markers on lines", "en", "- \n"],
  ["headings", "en", "# # # "],
  ["quote marks", "en", "> > > "],
  ["table rows", "en", "| a. | b |\n"],
  ["pipes", "en", "|"],
  ["fences", "en", "```\n"],
  ["an opened fence", "en", "```\na. b\n\n"],
  ["rules", "en", "---\n"],
  ["equals signs", "en", "="],
  ["Thai", "th", thai],
  ["Thai of many words", "th", `${thai}ประเทศไทย`.repeat(3)],
  ["Lao", "lo", "ມື້ນີ້ອາກາດດີຫຼາຍພວກເຮົາໄປຍ່າງຫຼິ້ນຢູ່ສວນສາທາລະນະ"],
  ["Khmer", "km", "ថ្ងៃនេះអាកាសធាតុល្អណាស់យើងទៅដើរលេងនៅសួនច្បារ"],
  ["Burmese", "my", "ဒီနေ့ရာသီဥတုကောင်းလို့ကျွန်တော်တို့ပန်းခြံကိုသွားတယ်"],
  ["Burmese sentences", "my", "ဒီနေ့ရာသီဥတုကောင်းတယ်။ "],
  ["Chinese", "zh", chinese],
  ["one Chinese character", "zh", "好"],
  ["rare Chinese characters", "zh", "𠀀𠀁𠀂"],
  ["Japanese", "ja", japanese],
  ["katakana", "ja", "コンピュータ"],
  ["half-width katakana", "ja", "ｱｲｳﾞ"],
  ["Thai and Latin", "th", "ไทยabcไทย."],
  ["one Thai letter", "th", "ก"],
  ["Thai marks", "th", "ก็่้"],
  ["combining marks", "en", "e\u0301\u0302\u0303\u0304\u0305\u0306"],
  ["combining marks alone", "en", "\u0301"],
  ["combining marks after stops", "en", ".\u0301 "],
  ["families of emoji", "en", "👩‍👩‍👧‍👦"],
  ["emoji after stops", "en", ".👍🏽 "],
  ["flags", "en", "🇫🇷"],
  ["joiners", "en", "\u200d"],
  ["soft hyphens", "en", "a\u00ad"],
  ["marks of direction", "he", "\u200f.\u200e "],
  ["Hebrew", "he", "היום מזג האוויר נאה. הלכנו לגן! "],
  ["mathematical letters", "en", "𝒂𝒃. "],
  ["control characters", "en", "\u0001"],
];

/** At most `length` units of a kind, not cut inside a character. */
export function textOf(pattern, length) {
  const text = pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
  return text.isWellFormed() ? text : text.slice(0, -1);
}

/** A text in tokens of one to four characters. */
export function tokensOf(text) {
  const characters = Array.from(text);
  const tokens = [];
  for (let at = 0, size = 1; at < characters.length; size = (size % 4) + 1) {
    tokens.push(characters.slice(at, at + size).join(""));
    at += size;
  }
  return tokens;
}
