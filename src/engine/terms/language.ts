// Language tags: which offered language serves a wanted one (AAEP ch. 11), and which way it is written.

/** The languages there are catalogues for. English serves whoever understands none of the others. */
export const CATALOGUE_LANGUAGES = ["en", "es", "fr", "de", "ja", "ar"] as const;

export type CatalogueLanguage = (typeof CATALOGUE_LANGUAGES)[number];

interface ParsedTag {
  readonly whole: string;
  readonly language: string;
  readonly script: string;
  /** Region and whatever follows it. */
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

/** The parts of a tag that decide whom it serves, in lower case; `script` is "" where the tag names none. */
export function languageAndScript(tag: string): { readonly language: string; readonly script: string } {
  return parseTag(tag);
}

/**
 * 0 the same tag; 1 one of them without region; 2 regions that differ; 3 one of them without script. Scripts that differ do not serve each other:
 * who reads one need not read the other.
 */
function distance(wanted: ParsedTag, offered: ParsedTag): number {
  if (wanted.whole === offered.whole) return 0;
  if (wanted.language !== offered.language) return Number.POSITIVE_INFINITY;
  if (wanted.script === offered.script) return wanted.rest === "" || offered.rest === "" ? 1 : 2;
  return wanted.script === "" || offered.script === "" ? 3 : Number.POSITIVE_INFINITY;
}

/**
 * The one of `offered` that serves the earliest of `wanted`, nearest first; of equally near ones the first offered (AAEP ch. 11).
 * Tags compare without regard to case. Undefined: none of them serves.
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

/** Which way a language is written: by the script its tag names, else by its usual one. */
export function textDirection(tag: string): "ltr" | "rtl" {
  const { language, script } = parseTag(tag);
  const fromRight = script === "" ? RIGHT_TO_LEFT_LANGUAGES.has(language) : RIGHT_TO_LEFT_SCRIPTS.has(script);
  return fromRight ? "rtl" : "ltr";
}
