// Language tags: which offered language serves a wanted one (AAEP ch. 11), and the direction in which it is written.
import type { LocalizationHints } from "../event/event.js";
import { LANGUAGE_ALIASES, REGION_ALIASES, TAG_ALIASES } from "./language-aliases.js";

/** Languages with a catalogue. English is the last resort. */
export const CATALOGUE_LANGUAGES = ["en", "es", "fr", "de", "ja", "ar"] as const;

export type CatalogueLanguage = (typeof CATALOGUE_LANGUAGES)[number];

/** Languages that serve one another as if one were a region of the other: Norwegian means Bokmål (CLDR). */
const MEMBERS: ReadonlyMap<string, string> = new Map([["nb", "no"]]);

interface ParsedTag {
  readonly whole: string;
  readonly language: string;
  readonly script: string;
  /** The region and all later subtags. */
  readonly rest: string;
}

const SCRIPT = /^[a-z]{4}$/;

/** Longest tag that is remembered, in characters. RFC 5646 §4.4.1 asks for room for 35. */
const LONGEST_REMEMBERED = 64;
/** A language of its own behind the one that it belongs to: `zh-yue` is `yue` (RFC 5646 §2.2.2). */
const EXTENDED = /^(?:ar|kok|lv|ms|sgn|sw|uz|zh)-(?=[a-z]{3}(?:-|$))/;

/**
 * The one form of all tags of a language, in lower case: `he` for `iw`, `de` for `deu`, `de-de` for `de-DD` (RFC 5646 §4.5). A tag that is none is
 * only put in lower case. For comparing: what a peer wrote goes out as it was written.
 */
export function canonicalTag(tag: string): string {
  return parseTag(tag).whole;
}

/** The tags without those that an earlier one equals, in their order and as they are written. */
export function distinctTags(tags: readonly string[]): readonly string[] {
  const distinct = new Map<string, string>();
  for (const tag of tags) if (!distinct.has(canonicalTag(tag))) distinct.set(canonicalTag(tag), tag);
  return [...distinct.values()];
}

/** Peers choose the tags, so the number of remembered ones is bounded. */
const MOST_PARSED = 512;
const PARSED = new Map<string, ParsedTag>();

function parseTag(tag: string): ParsedTag {
  const known = PARSED.get(tag);
  if (known !== undefined) return known;
  const made = parsed(tag.toLowerCase());
  if (tag.length > LONGEST_REMEMBERED) return made;
  for (const oldest of PARSED.keys()) {
    if (PARSED.size < MOST_PARSED) break;
    PARSED.delete(oldest);
  }
  PARSED.set(tag, made);
  return made;
}

function parsed(lower: string): ParsedTag {
  const preferred = TAG_ALIASES.get(lower) ?? lower.replace(EXTENDED, "");
  const written = partsOf(preferred);
  const named = partsOf(LANGUAGE_ALIASES.get(written.language) ?? written.language);
  const { language } = named;
  const script = written.script === "" ? named.script : written.script;
  const rest = written.rest === "" ? named.rest : preferredRegion(written.rest);
  const whole = [language, script, rest].filter((part) => part !== "").join("-");
  return { whole, language: MEMBERS.get(language) ?? language, script, rest };
}

function partsOf(tag: string): Omit<ParsedTag, "whole"> {
  const [language = "", ...others] = tag.split("-");
  const [first] = others;
  const script = first !== undefined && SCRIPT.test(first) ? first : "";
  return { language, script, rest: (script === "" ? others : others.slice(1)).join("-") };
}

function preferredRegion(rest: string): string {
  const region = REGION_ALIASES.get(rest.slice(0, 2));
  return region === undefined || (rest.length > 2 && rest[2] !== "-") ? rest : region + rest.slice(2);
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
 * Returns the offered tag that serves the earliest wanted one, the nearest first; of equally near ones, the first offered (AAEP ch. 11). Tags are
 * compared in their canonical form. Undefined if none serves.
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

/** The hints for a language that replaces the primary one, or that the event did not name. */
export function hintsIn(language: string, hints: LocalizationHints | undefined): LocalizationHints {
  // Direction and script describe the primary language, and would be wrong for another.
  const { text_direction: _direction, script: _script, ...others } = hints ?? { primary_language: language };
  const direction = textDirection(language) === "rtl" ? { text_direction: "rtl" as const } : {};
  return { ...others, primary_language: language, ...direction };
}
