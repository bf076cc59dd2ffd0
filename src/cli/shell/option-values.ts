// Values of options shared by several commands. The refusal of a wrong value names the accepted ones (exit code 2).
import { InvalidArgumentError, Option } from "commander";

/** For commander: a whole number within limits. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}

/** For commander: a number above 0, at most `most`. */
export function positiveNumber(most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (value > 0 && value <= most) return value;
    throw new InvalidArgumentError(`Give a number above 0, at most ${most}.`);
  };
}

/** For commander: a number from 0 to 1. */
export function share(text: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 1) return value;
  throw new InvalidArgumentError("Give a number from 0 to 1.");
}

/** For commander: an instant of RFC 3339, or a day, which begins at midnight UTC; as milliseconds since 1970. */
export function instant(text: string): number {
  const isWhole = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/i.test(text);
  const at = isWhole ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError("Give an instant such as 2026-11-22T10:30:00Z, or a day.");
}

/** For commander: values separated by commas; the option may be given several times. */
export function textList(text: string, previous: readonly string[] | undefined): readonly string[] {
  const values = text
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
  if (values.length === 0) throw new InvalidArgumentError("Give one value, or several with commas between them.");
  return [...(previous ?? []), ...values];
}

/** The pattern of the schema's `languageTag`. */
const LANGUAGE_TAG = /^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$/;

/** For commander: as `textList`, each value a language tag. */
export function languageList(text: string, previous: readonly string[] | undefined): readonly string[] {
  const values = textList(text, previous);
  for (const value of values) languageTag(value);
  return values;
}

/** For commander: one language tag. */
export function languageTag(text: string): string {
  if (LANGUAGE_TAG.test(text)) return text;
  throw new InvalidArgumentError(`"${text}" is no language tag. Give tags such as en-US.`);
}

/** For commander: as `textList`, each value one of `known`, in upper or lower case. */
export function knownList(
  known: readonly string[],
): (text: string, previous: readonly string[] | undefined) => readonly string[] {
  return (text, previous) => {
    const spelling = new Map(known.map((one) => [one.toLowerCase(), one]));
    return textList(text, previous).map((value) => {
      const one = spelling.get(value.toLowerCase());
      if (one !== undefined) return one;
      throw new InvalidArgumentError(`"${value}" is not known. Give some of ${known.join(", ")}.`);
    });
  };
}

/** For commander: an option that may be given several times. */
export function repeated(text: string, given: readonly string[] | undefined): readonly string[] {
  return [...(given ?? []), text];
}

/** `--from COMMAND` of listeners, as often as there are commands, and `--local` for the daemons here beside them. */
export function fromOptions(): readonly Option[] {
  return [
    new Option("--from <command>", "follow the daemon that this command reaches: ssh HOST aaepd connect")
      .argParser(repeated)
      .conflicts("socket"),
    new Option("--local", "with --from: follow the daemons here, too"),
  ];
}
