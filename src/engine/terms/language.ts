// Language tags: which offered language serves a wanted one (AAEP ch. 11), and the direction in which it is written.

/** Languages with a catalogue. English is the last resort. */
export const CATALOGUE_LANGUAGES = ["en", "es", "fr", "de", "ja", "ar"] as const;

export type CatalogueLanguage = (typeof CATALOGUE_LANGUAGES)[number];

interface ParsedTag {
  readonly whole: string;
  readonly language: string;
  readonly script: string;
  /** The region and all later subtags. */
  readonly rest: string;
}

const SCRIPT = /^[a-z]{4}$/;

function parseTag(tag: string): ParsedTag {
  const whole = tag.toLowerCase();
  const [language = "", ...others] = whole.split("-");
  const [first] = others;
  const script = first !== undefined && SCRIPT.test(first) ? first : "";
  return { whole, language, script, rest: (script === "" ? others : others.slice(1)).join("-") };
}

/** The subtags that decide which languages a tag serves, in lower case. `script` is "" if the tag names none. */
export function languageAndScript(tag: string): { readonly language: string; readonly script: string } {
  return parseTag(tag);
}

/**
 * 0: the same tag. 1: one of the two without region. 2: different regions. 3: one of the two without script. Different scripts do not serve each
 * other, because a reader of one may not read the other.
 */
function distance(wanted: ParsedTag, offered: ParsedTag): number {
  if (wanted.whole === offered.whole) return 0;
  if (wanted.language !== offered.language) return Number.POSITIVE_INFINITY;
  if (wanted.script === offered.script) return wanted.rest === "" || offered.rest === "" ? 1 : 2;
  return wanted.script === "" || offered.script === "" ? 3 : Number.POSITIVE_INFINITY;
}

/**
 * Returns the offered tag that serves the earliest wanted one, the nearest first; of equally near ones, the first offered (AAEP ch. 11). Case is
 * ignored. Undefined if none serves.
 */
export function matchLanguage(wanted: readonly string[], offered: readonly string[]): string | undefined {
  const tags = offered.map(parseTag);
  for (const want of wanted) {
    const tag = parseTag(want);
    let nearest: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const [index, candidate] of tags.entries()) {
      const far = distance(tag, candidate);
      if (far < least) {
        least = far;
        nearest = offered[index];
      }
    }
    if (nearest !== undefined) return nearest;
  }
  return undefined;
}

const RIGHT_TO_LEFT_SCRIPTS: ReadonlySet<string> = new Set(["adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"]);
const RIGHT_TO_LEFT_LANGUAGES: ReadonlySet<string> = new Set([
  "ar",
  "arc",
  "ckb",
  "dv",
  "fa",
  "he",
  "iw",
  "ji",
  "ks",
  "nqo",
  "ps",
  "sd",
  "syr",
  "ug",
  "ur",
  "yi",
]);

/** The direction in which a language is written: that of the tag's script, else the usual one of the language. */
export function textDirection(tag: string): "ltr" | "rtl" {
  const { language, script } = parseTag(tag);
  const fromRight = script === "" ? RIGHT_TO_LEFT_LANGUAGES.has(language) : RIGHT_TO_LEFT_SCRIPTS.has(script);
  return fromRight ? "rtl" : "ltr";
}
