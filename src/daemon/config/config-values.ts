// Reads the value of an option from text (flags and variables) and from JSON (the file). A refusal carries the wanted value, as the end of the
// sentence "Give …".
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { isPipeName } from "../../../transports/ipc/paths.js";
import { nearestName } from "../../base/nearest.js";
import { canonicalTag } from "../../engine/terms/language.js";

/** The result of reading the value of an option. */
export type ReadValue<Value> =
  | { readonly kind: "value"; readonly value: Value }
  /** The value to give instead, as in "a whole number from 1 to 5". */
  | { readonly kind: "refused"; readonly wanted: string };

export function refused(wanted: string): { readonly kind: "refused"; readonly wanted: string } {
  return { kind: "refused", wanted };
}

export function given<Value>(value: Value): ReadValue<Value> {
  return { kind: "value", value };
}

export interface ValueType<Value> {
  /**
   * Name of the flag's argument in the help: "ID", "MS". In a list of alternatives, as in "PATH|auto|off", the words without capitals are values.
   * Undefined for switches.
   */
  readonly placeholder: string | undefined;
  /** The accepted values, for the documentation. */
  readonly range: string;
  /** A plural, as in "seconds" or "events a second". Default: the value has no unit. */
  readonly unit?: string;
  readonly fromText: (text: string) => ReadValue<Value>;
  readonly fromJson: (json: unknown) => ReadValue<Value>;
  /** Whether values open something, so that no message repeats one that was refused. Default false. */
  readonly isSecret?: boolean;
  /** The value in the spelling of a flag, for people. */
  readonly toText: (value: Value) => string;
  /** The value as it stands in the file. In place of a text that opens something stands "(set)". */
  readonly toJson: (value: Value) => unknown;
}

/** The values that a type reads. */
export type ValueOf<Type> = Type extends ValueType<infer Value> ? Value : never;

/** Whole numbers from `least` to `most`, both included. Leading zeros, exponents and fractions are refused. */
export function wholeNumber(placeholder: string, least: number, most: number, unit: string): ValueType<number> {
  const wanted = `a whole number from ${least} to ${most}`;
  const check = (value: number) =>
    Number.isSafeInteger(value) && value >= least && value <= most ? given(value) : refused(wanted);
  return {
    placeholder,
    range: `${least} to ${most}`,
    unit,
    fromText: (text) => (/^(0|-?[1-9]\d*)$/.test(text) ? check(Number(text)) : refused(wanted)),
    fromJson: (json) => (typeof json === "number" ? check(json) : refused(`${wanted}, without quotes`)),
    toText: String,
    toJson: (value) => value,
  };
}

export const seconds = (least: number, most: number) => wholeNumber("SECONDS", least, most, "seconds");
export const milliseconds = (least: number, most: number) => wholeNumber("MS", least, most, "milliseconds");
export const bytes = (least: number, most: number) => wholeNumber("BYTES", least, most, "bytes");
export const count = (unit: string, least: number, most: number) => wholeNumber("COUNT", least, most, unit);

/** A number, or a word such as "unlimited"; the word gives undefined. */
export function orWord(word: string, number: ValueType<number>): ValueType<number | undefined> {
  const readOrWord = (read: ReadValue<number>): ReadValue<number | undefined> =>
    read.kind === "value" ? read : refused(`${read.wanted}, or "${word}"`);
  return {
    ...number,
    placeholder: `${number.placeholder}|${word}`,
    range: `${number.range}, or "${word}"`,
    fromText: (text) => (text === word ? given(undefined) : readOrWord(number.fromText(text))),
    fromJson: (json) => (json === word ? given(undefined) : readOrWord(number.fromJson(json))),
    toText: (value) => (value === undefined ? word : String(value)),
    toJson: (value) => value ?? word,
  };
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]): ValueType<Choice> {
  const wanted = `one of ${choices.join(", ")}`;
  return textValue({
    placeholder: choices.join("|"),
    range: choices.join(", "),
    read: (text) => {
      const choice = choices.find((candidate) => candidate === text);
      return choice === undefined ? refused(wanted) : given(choice);
    },
    toText: (value) => value,
  });
}

export const onOrOff: ValueType<boolean> = {
  placeholder: undefined,
  range: "true, false",
  fromText: (text) => (text === "true" || text === "false" ? given(text === "true") : refused("true or false")),
  fromJson: (json) => (typeof json === "boolean" ? given(json) : refused("true or false, without quotes")),
  toText: String,
  toJson: (value) => value,
};

/** Most UTF-16 units of an id: the path of a socket has room for no more, whatever surrounds the name. */
const LONGEST_PRODUCER_ID = 64;

/** An id is not empty and carries no version (AAEP §4.1.1). It also names the socket. */
export const producerId: ValueType<string> = textValue({
  placeholder: "ID",
  range: "1 to 64 characters, without control characters",
  read: (text) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    text === "" || text.length > LONGEST_PRODUCER_ID || /[\u0000-\u001f\u007f]/.test(text)
      ? refused("a name of 1 to 64 characters without control characters, for instance retirement-planner")
      : given(text),
  toText: (value) => value,
});

export const languageTag: ValueType<string> = textValue({
  placeholder: "TAG",
  range: "a language tag of RFC 5646",
  read: (text) => {
    try {
      // Intl knows no tag such as i-klingon or zh-cmn, which are others' former names.
      const [tag] = Intl.getCanonicalLocales(canonicalTag(text));
      if (tag !== undefined) return given(tag);
    } catch {
      // No tag: refused below.
    }
    return refused("a language tag such as en-US, yo-NG or ja");
  },
  toText: (value) => value,
});

/** `auto`: as the row of `socket` says, and as `DaemonOptions.mostInstances`. A path is absolute, or on Windows the name of a pipe. */
export const socketChoice = wordOrPath("PATH", "path", ["auto", "off"], "path", (text, wanted) =>
  isPipeName(text) ? given(text) : readPath(text, wanted),
);

/** The place of the journal (docs/journal.md). */
export const journalChoice = wordOrPath("DIR", "folder", ["auto", "memory"], "directory");
export type JournalChoice = ValueOf<typeof journalChoice>;

/** The place of the audit log: questions, replies and outcomes (docs/audit.md). */
export const auditChoice = wordOrPath("DIR", "folder", ["auto", "off"], "directory");
export type AuditChoice = ValueOf<typeof auditChoice>;

type WordOrPath<Word extends string, Kind> =
  | { readonly [One in Word]: { readonly kind: One } }[Word]
  | { readonly kind: Kind; readonly path: string };

/** One of some words, or a path, of that kind. `noun` names what has the path. A name that is nearly one of the words is refused: it is misspelt. */
export function wordOrPath<Word extends string, Kind extends string>(
  placeholder: string,
  noun: string,
  words: readonly Word[],
  kind: Kind,
  read: typeof readPath = readPath,
): ValueType<WordOrPath<Word, Kind>> {
  return textValue<WordOrPath<Word, Kind>>({
    placeholder: [placeholder, ...words].join("|"),
    range: [`a ${noun}`, ...words].join(", "),
    read: (text) => {
      const word = words.find((one) => one === text);
      if (word !== undefined) return given({ kind: word });
      const near = text === "" || /[/\\]/.test(text) ? undefined : nearestName(text, words);
      if (near !== undefined) return refused(`${near}, or ./${text} for a ${noun} of that name`);
      const path = read(text, `a ${noun}, ${words.join(" or ")}`);
      return path.kind === "refused" ? path : given({ kind, path: path.value });
    },
    toText: (value) => ("path" in value ? String(value.path) : value.kind),
  });
}

const WANTED_PATH = "a path without variables, in which ~/ at the beginning means your home folder";

/**
 * Returns the absolute path of `text`, in which `~/` at the beginning means the home folder. No shell replaces anything in the file, in most
 * variables, behind `=`, or between quotes. Variables and homes of other users are refused, because
 * folders of these names would appear. `wanted`: the accepted values, for a text that is no path at all.
 */
export function readPath(text: string, wanted: string): ReadValue<string> {
  if (text === "" || text.includes("\0")) return refused(wanted);
  const isInHome = /^~(?:$|[/\\])/.test(text);
  const rest = isInHome ? text.slice(1) : text;
  if (rest.startsWith("~") || /(?:^|[/\\])\$/.test(rest)) return refused(WANTED_PATH);
  return given(isInHome ? join(homedir(), rest) : resolve(rest));
}

/** A value with one spelling as text everywhere. */
export function textValue<Value>(type: {
  readonly placeholder: string;
  readonly range: string;
  readonly read: (text: string) => ReadValue<Value>;
  readonly toText: (value: Value) => string;
}): ValueType<Value> {
  const { placeholder, range, read, toText } = type;
  return {
    placeholder,
    range,
    fromText: read,
    fromJson: (json) => (typeof json === "string" ? read(json) : refused(`a text in quotes (${range})`)),
    toText,
    toJson: toText,
  };
}
