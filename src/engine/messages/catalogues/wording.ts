// Wording that the catalogues share: plurals, numbers and lengths of time in their language.
import type { StandardState } from "../../event/agent-states.js";

type PluralForms = { readonly other: string } & { readonly [Form in Intl.LDMLPluralRule]?: string };

/** The wording of one language. Its `Intl` objects are made at their first use, because making one costs far more than using it. */
export interface Wording {
  /** The form for `count`, with "#" replaced by the number. */
  readonly plural: (count: number, forms: PluralForms) => string;
  readonly percent: (percent: number) => string;
  /** Minutes and seconds; under two minutes, seconds alone. */
  readonly duration: (seconds: number) => string;
  /** The state's name; for an unknown state, the words of its identifier. */
  readonly state: (names: Readonly<Record<StandardState, string>>, state: string) => string;
  /** Names in a row, with the word of the language between the last two. */
  readonly list: (names: readonly string[]) => string;
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function createWording(language: string): Wording {
  const rules = lazily(() => new Intl.PluralRules(language));
  const numbers = lazily(() => new Intl.NumberFormat(language));
  const percents = lazily(() => new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }));
  const units = (unit: "minute" | "second") =>
    lazily(() => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }));
  const minutes = units("minute");
  const seconds = units("second");
  const lists = lazily(() => new Intl.ListFormat(language, { type: "unit", style: "long" }));
  const rows = lazily(() => new Intl.ListFormat(language, { type: "conjunction", style: "long" }));
  return {
    plural: (count, forms) => (forms[rules().select(count)] ?? forms.other).replace("#", () => numbers().format(count)),
    percent: (percent) => percents().format(percent / 100),
    duration: (total) => {
      const whole = Math.max(0, Math.round(total));
      if (whole < 120) return seconds().format(whole);
      const rest = whole % 60;
      const parts = [minutes().format((whole - rest) / 60), ...(rest === 0 ? [] : [seconds().format(rest)])];
      return lists().format(parts);
    },
    list: (names) => rows().format(names),
    state: (names, state) => (Object.hasOwn(names, state) ? names[state as StandardState] : state.replaceAll("_", " ")),
  };
}

/** Ends of a text that need no space behind them, because the sign includes it. */
const WIDE_END = /[。！？」』）]$/u;

/** Joins the parts that are not empty, as consecutive sentences. */
export function sentences(parts: readonly (string | false | undefined)[]): string {
  let text = "";
  for (const part of parts) {
    if (part === false || part === undefined || part === "") continue;
    text += text === "" || WIDE_END.test(text) ? part : ` ${part}`;
  }
  return text;
}

const FULL_STOPS: Readonly<Record<string, string>> = { ja: "。" };

/** The end of a sentence, also in front of closing quotation marks. A colon needs no full stop. */
const ENDS = /[.!?…:。！？：؟۔।][\p{Pe}\p{Pf}"']*$/u;

/**
 * Quotes an agent's words in a text of the daemon's in `language`: each part as a sentence, with the full stop of that language if the part has no
 * end of its own.
 */
export function quotedIn(language: string, ...parts: readonly string[]): string {
  const stop = FULL_STOPS[language] ?? ".";
  const said = parts.map((part) => part.trim()).filter((part) => part !== "");
  return sentences(said.map((part) => (ENDS.test(part) ? part : `${part}${stop}`)));
}
