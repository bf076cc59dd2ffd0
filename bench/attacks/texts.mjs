// Texts that are costly to cut at a subscriber's boundaries. Each is repeated until its chunk is full.

/** Default length of a chunk, characters. */
export const CHUNK_CHARACTERS = 16_000;

const WORDS = ["sentence", "word", "completion"];

/** `unit` is repeated; one subscriber has `boundaries`, the bystander has the default. */
export const TEXTS = [
  {
    name: "dot-leaders",
    what: "dot leaders",
    unit: "Chapter ................................ 12\n",
    boundaries: WORDS,
  },
  { name: "marks", what: "Markdown marks alone", unit: "**__~~``[]()#>-|*_ ![ ", boundaries: WORDS },
  {
    name: "chinese",
    what: "Chinese without a stop",
    unit: "今天下午我们去图书馆看书写字喝茶",
    language: "zh",
    boundaries: WORDS,
  },
  {
    name: "khmer",
    what: "Khmer without a space",
    unit: "ខ្ញុំអានសៀវភៅនៅផ្ទះជាមួយមិត្តភក្តិ",
    language: "km",
    boundaries: WORDS,
  },
  { name: "burmese", what: "Burmese without a space", unit: "ကျွန်တော်စာအုပ်ဖတ်နေပါတယ်", language: "my", boundaries: WORDS },
];

/** A chunk's text of at most `characters` UTF-16 units, made of whole units. */
export function repeated(unit, characters) {
  return unit.repeat(Math.max(1, Math.floor(characters / unit.length)));
}

/** `depth` quotations, each inside the one before. */
export function nested(depth) {
  return `${"“".repeat(depth)}Go on. ${"”".repeat(depth)}`;
}
