// The words of one language: its catalogue, CLDR's names, and what the platform knows of units, regions and scripts.

import { CHARACTERS, NAMES } from "#gen/speakable/names.js";
import { keepNewest } from "../../base/keep-newest.js";
import { SPEAKABLE_LANGUAGES, type SpeakableLanguage } from "../segment.js";
import type { Catalogue } from "./catalogue.js";
import { ARABIC } from "./catalogues/ar.js";
import { GERMAN } from "./catalogues/de.js";
import { ENGLISH } from "./catalogues/en.js";
import { SPANISH } from "./catalogues/es.js";
import { FRENCH } from "./catalogues/fr.js";
import { JAPANESE } from "./catalogues/ja.js";

type Key = keyof Catalogue["texts"];

const CATALOGUES: Readonly<Record<SpeakableLanguage, Catalogue>> = {
  en: ENGLISH,
  es: SPANISH,
  fr: FRENCH,
  de: GERMAN,
  ja: JAPANESE,
  ar: ARABIC,
};

/** Skin tones, the wish for a picture, and tags: they say nothing. */
const UNSAID = /[\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]/gu;
const FIRST_REGION_LETTER = 0x1f1e6;
const FIRST_TAG = 0xe0000;
/** The flag of a part of a country, such as Scotland: its code in tags. */
const PART_FLAG = /^\u{1f3f4}([\u{e0061}-\u{e007a}]{2})([\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,3})\u{e007f}$/u;

/** The `Intl` objects are made at their first use, because making one costs far more than using it. */
export class Vocabulary {
  readonly language: SpeakableLanguage;
  readonly catalogue: Catalogue;
  private readonly plurals: Intl.PluralRules;
  private readonly units = new Map<string, Intl.NumberFormat>();
  private names: ReadonlyMap<string, string> | undefined;
  private regions: Intl.DisplayNames | undefined;
  private scripts: Intl.DisplayNames | undefined;

  constructor(language: SpeakableLanguage) {
    this.language = language;
    this.catalogue = CATALOGUES[language];
    this.plurals = new Intl.PluralRules(language);
  }

  say(key: Key, parameters: Readonly<Record<string, string | number>> = {}): string {
    const text = this.catalogue.texts[key];
    const form = typeof text === "string" ? text : (text[this.plurals.select(Number(parameters.count))] ?? text.other);
    if (!form.includes("{")) return form;
    return form.replace(/\{(\w+)\}/g, (_, name: string) => String(parameters[name] ?? ""));
  }

  /** The word for a symbol; undefined for a character that the synthesizer says or passes over rightly. */
  symbol(character: string): string | undefined {
    const { symbols } = this.catalogue;
    return Object.hasOwn(symbols, character) ? symbols[character] : this.nameOf(character);
  }

  /** The name of an emoji, of its parts where it has none; itself where CLDR knows none. */
  emoji(emoji: string): string {
    const bare = emoji.replace(UNSAID, "");
    if (/^[0-9#*]\u20e3/u.test(bare)) return bare.charAt(0);
    if (/^\p{Regional_Indicator}/u.test(bare)) return this.flag(lettersFrom(bare, FIRST_REGION_LETTER - 0x41));
    const [, country, part] = PART_FLAG.exec(emoji) ?? [];
    if (country !== undefined && part !== undefined)
      return `${this.flag(lettersFrom(country, FIRST_TAG).toUpperCase())}, ${lettersFrom(part, FIRST_TAG)}`;
    const whole = this.nameOf(bare);
    if (whole !== undefined) return whole;
    const people: Readonly<Record<string, string>> = { "♀": "👩", "♂": "👨" };
    const names = bare.split("\u200d").map((part) => this.nameOf(people[part] ?? part));
    const known = names.filter((name) => name !== undefined);
    return known.length === 0 ? emoji : known.join(", ");
  }

  /** "10 kilometres per hour" for the number as it was written, and a unit of ECMA-402. */
  unit(number: string, unit: string): string {
    const { language, units } = this;
    const format =
      units.get(unit) ??
      new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long", useGrouping: false });
    units.set(unit, format);
    const parts = format.formatToParts(amountOf(number));
    const words = parts.map(({ type, value }) => {
      if (type === "integer") return number;
      // Japanese has a slash here, and a word for it.
      return type === "literal" || type === "unit" ? value.replace("/", "毎") : "";
    });
    return words.join("");
  }

  /** The name of a script by its code in ISO 15924. */
  script(code: string): string {
    this.scripts ??= new Intl.DisplayNames(this.language, { type: "script" });
    return this.scripts.of(code) ?? code;
  }

  private nameOf(character: string): string | undefined {
    if (this.names === undefined) {
      const names = NAMES[this.language].split("\n");
      this.names = new Map(CHARACTERS.split("\n").map((one, index) => [one, names[index] ?? ""]));
    }
    return this.names.get(character);
  }

  private flag(region: string): string {
    this.regions ??= new Intl.DisplayNames(this.language, { type: "region" });
    return this.say("flag", { name: region.length === 2 ? (this.regions.of(region) ?? region) : region });
  }
}

/** The letters of ASCII that characters stand for, `offset` code points further up. */
function lettersFrom(characters: string, offset: number): string {
  return Array.from(characters, (one) => String.fromCharCode((one.codePointAt(0) ?? 0) - offset)).join("");
}

/** The beginnings of the names that `revealed` gives in brackets, in all languages and in small letters. */
const NAME_BEGINNINGS: readonly string[] = Object.values(CATALOGUES).flatMap(({ texts, unseen }) =>
  [...Object.values(unseen), texts.unseen, texts.control, texts.controlSequence, texts.tag]
    .map((form) => String(form).split("{", 1)[0]?.trim().toLowerCase() ?? "")
    .filter((beginning) => beginning !== ""),
);

/** Whether a text behind a bracket begins as such a name does, whatever its width and its capitals. */
export function imitatesName(text: string): boolean {
  const folded = text.normalize("NFKC").trimStart().toLowerCase();
  return (
    /^(?:u\+|\d+ [\p{L}×]|open square bracket)/u.test(folded) || NAME_BEGINNINGS.some((one) => folded.startsWith(one))
  );
}

/** Signs before groups of three digits may divide thousands: so many have a plural in every language. */
function amountOf(number: string): number {
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/.test(number);
  return Number(isGrouped ? number.replace(/[.,]/g, "") : number.replace(",", ".")) || 0;
}

const made = new Map<SpeakableLanguage, Vocabulary>();
/** By tag. To read a tag costs more than to find words for a sentence. */
const found = new Map<string, Vocabulary>();
const MOST_FOUND = 64;

/** The words for a language tag; English ones for a language without. */
export function vocabularyOf(tag = "en"): Vocabulary {
  const known = found.get(tag);
  if (known !== undefined) return known;
  const wanted = primaryLanguage(tag);
  const language = SPEAKABLE_LANGUAGES.find((one) => one === wanted) ?? "en";
  const vocabulary = made.get(language) ?? new Vocabulary(language);
  made.set(language, vocabulary);
  found.set(tag, vocabulary);
  keepNewest(found, MOST_FOUND);
  return vocabulary;
}

function primaryLanguage(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    // No language tag at all.
    return undefined;
  }
}
