// How one language says things: texts of its catalogue, plurals, numbers, lengths of time (R31).
import type { StandardState } from "../event/agent-states.js";
import type { CatalogueLanguage } from "../terms/language.js";
import { ARABIC } from "./catalogues/ar.js";
import type { Catalogue, Given, Text, TextKey } from "./catalogues/catalogue.js";
import { GERMAN } from "./catalogues/de.js";
import { ENGLISH } from "./catalogues/en.js";
import { SPANISH } from "./catalogues/es.js";
import { FRENCH } from "./catalogues/fr.js";
import { JAPANESE } from "./catalogues/ja.js";

const PARAMETER = /\{(\w+)\}/g;

export class Wording {
  readonly texts: Catalogue;
  private readonly language: CatalogueLanguage;
  private made: ReturnType<typeof formatsOf> | undefined;

  constructor(language: CatalogueLanguage, texts: Catalogue) {
    this.language = language;
    this.texts = texts;
  }

  /** The text with its parameters, in the plural of its count. */
  say<Key extends TextKey>(key: Key, ...given: Given<Key>): string {
    const text: Text = this.texts[key];
    const [parameters = {}] = given as readonly [Readonly<Record<string, string | number>>?];
    const form =
      typeof text === "string" ? text : (text[this.formats.plurals.select(Number(parameters.count))] ?? text.other);
    return form.replace(PARAMETER, (_, name: string) => {
      const value = parameters[name] ?? "";
      return typeof value === "number" ? this.formats.numbers.format(value) : value;
    });
  }

  /** The formats of `Intl` are made at the first use of one, because making them costs far more than using them. */
  private get formats(): ReturnType<typeof formatsOf> {
    this.made ??= formatsOf(this.language);
    return this.made;
  }

  /** `percent` is 0..100. */
  percent(percent: number): string {
    return this.formats.percents.format(percent / 100);
  }

  /** Minutes and seconds; under two minutes, seconds alone. */
  duration(seconds: number): string {
    const whole = Math.max(0, Math.round(seconds));
    if (whole < 120) return this.formats.seconds.format(whole);
    const rest = whole % 60;
    const parts = [
      this.formats.minutes.format((whole - rest) / 60),
      ...(rest === 0 ? [] : [this.formats.seconds.format(rest)]),
    ];
    return this.formats.times.format(parts);
  }

  /** The name of a state; of an unknown one, the words of its identifier. */
  state(state: string): string {
    const key = `state.${state as StandardState}` as const;
    return Object.hasOwn(this.texts, key) ? this.say(key) : state.replaceAll("_", " ");
  }

  /** Names in a row, with the word of the language between the last two. */
  list(names: readonly string[]): string {
    return this.formats.rows.format(names);
  }

  /** Quotes an agent's words in a text of the daemon's: each part as a sentence, with a full stop if the part has no end of its own. */
  quoted(...parts: readonly string[]): string {
    const stop = this.language === "ja" ? "。" : ".";
    const said = parts.map((part) => part.trim()).filter((part) => part !== "");
    return sentences(said.map((part) => (ENDS.test(part) ? part : `${part}${stop}`)));
  }
}

function formatsOf(language: CatalogueLanguage) {
  const unit = { style: "unit", unitDisplay: "long" } as const;
  return {
    plurals: new Intl.PluralRules(language),
    numbers: new Intl.NumberFormat(language),
    percents: new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }),
    minutes: new Intl.NumberFormat(language, { ...unit, unit: "minute" }),
    seconds: new Intl.NumberFormat(language, { ...unit, unit: "second" }),
    times: new Intl.ListFormat(language, { type: "unit", style: "long" }),
    rows: new Intl.ListFormat(language, { type: "conjunction", style: "long" }),
  };
}

/** Ends of a text that need no space behind them, because the sign includes it. */
const WIDE_END = /[。！？」』）]$/u;
/** The end of a sentence, also in front of closing quotation marks. A colon needs no full stop. */
const ENDS = /[.!?…:。！？：؟۔।][\p{Pe}\p{Pf}"']*$/u;

/** Joins the parts that are not empty, as consecutive sentences. */
export function sentences(parts: readonly (string | false | undefined)[]): string {
  let text = "";
  for (const part of parts) {
    if (part === false || part === undefined || part === "") continue;
    text += text === "" || WIDE_END.test(text) ? part : ` ${part}`;
  }
  return text;
}

/** By the language of `catalogueLanguage`. */
export const WORDINGS: Readonly<Record<CatalogueLanguage, Wording>> = {
  en: new Wording("en", ENGLISH),
  es: new Wording("es", SPANISH),
  fr: new Wording("fr", FRENCH),
  de: new Wording("de", GERMAN),
  ja: new Wording("ja", JAPANESE),
  ar: new Wording("ar", ARABIC),
};
