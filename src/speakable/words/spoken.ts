// A stretch of text in words: symbols that a synthesizer passes over, units, identifiers. Numbers and punctuation are left to the synthesizer.
import type { Vocabulary } from "./vocabulary.js";

/** Units by their signs, in the names of ECMA-402. */
const UNITS: Readonly<Record<string, string>> = {
  "°C": "celsius",
  "°F": "fahrenheit",
  "km/h": "kilometer-per-hour",
  "m/s": "meter-per-second",
  mph: "mile-per-hour",
  "kB/s": "kilobyte-per-second",
  "KB/s": "kilobyte-per-second",
  "MB/s": "megabyte-per-second",
  "GB/s": "gigabyte-per-second",
  "Mbit/s": "megabit-per-second",
  "Gbit/s": "gigabit-per-second",
  kB: "kilobyte",
  KB: "kilobyte",
  MB: "megabyte",
  GB: "gigabyte",
  TB: "terabyte",
  ns: "nanosecond",
  µs: "microsecond",
  μs: "microsecond",
  ms: "millisecond",
  s: "second",
  min: "minute",
  h: "hour",
  km: "kilometer",
  m: "meter",
  cm: "centimeter",
  mm: "millimeter",
  kg: "kilogram",
  g: "gram",
  l: "liter",
  ml: "milliliter",
};
/** Signs that mean something else directly behind a number: 5m is five minutes or millions, 5g a network. */
const UNIT =
  /(?:[ \u00a0\u202f]?(°[CF]|km\/h|m\/s|mph|[kKMG]B(?:\/s)?|TB|[MG]bit\/s|[nµμm]?s|min|h|km|cm|mm|kg|ml)|[ \u00a0\u202f]([mgl]))(?![\p{L}\p{N}_/])/uy;
const NUMBER = /\d+(?:[.,]\d+)*/y;
const IDENTIFIER = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy;
/** Everything that is said as it stands. */
const PLAIN = /[^-\d\p{L}_%/\\=<>!*`&+#@|~^$\p{Sm}\p{So}]+/uy;
/** Two or three characters that are one sign. */
const SIGNS: Readonly<Record<string, string>> = {
  "===": "=",
  "!==": "≠",
  "<=>": "↔",
  "->": "→",
  "=>": "→",
  "<-": "←",
  "<=": "≤",
  ">=": "≥",
  "!=": "≠",
};

export interface SpokenOptions {
  /** Names that begin with a capital are divided too, and nothing is taken for decoration. */
  readonly isCode?: boolean;
  /** Every sign has a word, and identifiers stay whole: texts that differ sound different. */
  readonly isExact?: boolean;
}

/** Returns the words to say for a text. White space stays as it is. */
export function spoken(text: string, vocabulary: Vocabulary, options: SpokenOptions = {}): string {
  const speech = new Speech();
  for (let at = 0; at < text.length; ) at = sayNext(text, at, speech, vocabulary, options);
  return speech.text;
}

/** Puts words beside the text that stays, with the spaces that they need. Only its last character is read again: a joined string costs its length. */
class Speech {
  private readonly parts: string[] = [];
  private last = "";
  private owesSpace = false;

  get text(): string {
    return this.parts.join("");
  }

  copy(text: string): void {
    if (this.owesSpace && !CLOSES.test(text.charAt(0))) this.parts.push(" ");
    this.owesSpace = false;
    this.add(text);
  }

  words(words: string): void {
    if (this.last !== "" && !OPENS.test(this.last)) this.parts.push(" ");
    this.add(words);
    this.owesSpace = true;
  }

  private add(text: string): void {
    if (text === "") return;
    this.parts.push(text);
    this.last = text.charAt(text.length - 1);
  }
}

const OPENS = /[\s([{"'“‘«]/u;
const CLOSES = /[\s.,;:!?)\]}’”»。、，：]/u;

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

function sayNext(text: string, at: number, speech: Speech, vocabulary: Vocabulary, options: SpokenOptions): number {
  const plain = matchAt(PLAIN, text, at);
  if (plain !== null) {
    speech.copy(plain[0]);
    return at + plain[0].length;
  }
  const number = matchAt(NUMBER, text, at);
  if (number !== null) return sayNumber(text, at, number[0], speech, vocabulary);
  const identifier = matchAt(IDENTIFIER, text, at);
  if (identifier !== null) {
    if (options.isExact === true) sayWhole(identifier[0], speech, vocabulary);
    else sayIdentifier(identifier[0], speech, vocabulary, options.isCode === true);
    return at + identifier[0].length;
  }
  if (options.isExact === true && /[&=]/.test(text.charAt(at))) {
    speech.words(vocabulary.symbol(text.charAt(at)) ?? text.charAt(at));
    return at + 1;
  }
  return saySymbol(text, at, speech, vocabulary);
}

function sayNumber(text: string, at: number, number: string, speech: Speech, vocabulary: Vocabulary): number {
  const end = at + number.length;
  const isWhole = !/[\p{L}\p{N}_.]$/u.test(text.slice(Math.max(0, at - 2), at));
  const unit = isWhole ? matchAt(UNIT, text, end) : null;
  const name = UNITS[unit?.[1] ?? unit?.[2] ?? ""];
  speech.copy(name === undefined ? number : vocabulary.unit(number, name));
  return end + (name === undefined ? 0 : (unit?.[0].length ?? 0));
}

function sayWhole(identifier: string, speech: Speech, vocabulary: Vocabulary): void {
  for (const [index, part] of identifier.split("_").entries()) {
    if (index > 0) speech.words(vocabulary.symbol("_") ?? "_");
    if (part !== "") speech.copy(part);
  }
}

function sayIdentifier(identifier: string, speech: Speech, vocabulary: Vocabulary, isCode: boolean): void {
  const [, dunder] = /^__([A-Za-z0-9]+(?:_[A-Za-z0-9]+)*)__$/.exec(identifier) ?? [];
  if (dunder !== undefined) {
    speech.words(vocabulary.say("dunder", { name: wordsOf(dunder, isCode) }));
    return;
  }
  const leading = identifier.search(/[^_]|$/);
  let end = identifier.length;
  while (end > leading && identifier.charAt(end - 1) === "_") end -= 1;
  sayRun("_", leading, speech, vocabulary);
  if (end > leading) speech.copy(wordsOf(identifier.slice(leading, end), isCode));
  sayRun("_", identifier.length - end, speech, vocabulary);
}

/** The words of an identifier: `get user by id`, `MAX SIZE`, `parse HTML`. In running text `GitHub` and `iPhone` stay. */
function wordsOf(identifier: string, isCode: boolean): string {
  const parts = identifier.split(/_+/);
  return parts.map((part) => (isCode || /^\p{Ll}{2,}\p{Lu}/u.test(part) ? humpsOf(part) : part)).join(" ");
}

function humpsOf(part: string): string {
  // Linear: each alternative takes letters of one case, and one of them is given back at most.
  const humps = part.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}|[^\p{Lu}\p{Ll}]+/gu) ?? [part];
  const words = humps.map((hump, index) => (index > 0 && /^\p{Lu}\p{Ll}/u.test(hump) ? hump.toLowerCase() : hump));
  // A number belongs to the word before it: utf8, v2.
  return words.reduce((said, word, index) => said + (index === 0 || /^\P{L}/u.test(word) ? "" : " ") + word, "");
}

function saySymbol(text: string, at: number, speech: Speech, vocabulary: Vocabulary): number {
  for (const length of [3, 2]) {
    const sign = SIGNS[text.slice(at, at + length)];
    if (sign === undefined || (sign === "=" && !isComparison(text, at))) continue;
    if (sign === "←" && /\d/.test(text.charAt(at + length))) continue;
    speech.words(vocabulary.symbol(sign) ?? sign);
    return at + length;
  }
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  let end = at + character.length;
  while (text.startsWith(character, end)) end += character.length;
  const before = text.charAt(at - 1);
  const after = text.charAt(end);
  const count = (end - at) / character.length;
  const exponent = isPower(character, count, before) ? matchAt(NUMBER, text, end) : null;
  if (exponent !== null) {
    speech.words(vocabulary.say("power", { exponent: exponent[0] }).trim());
    return end + exponent[0].length;
  }
  if (character === "!" || (character === "$" && /\d/.test(after))) speech.copy(text.slice(at, end));
  else if (character === "-") sayDashes(count, before, after, speech, vocabulary);
  else if (character === "#" && count < 3)
    for (let left = count; left > 0; left -= 1)
      speech.words(/\d/.test(after) && count === 1 ? (vocabulary.symbol("#") ?? "#") : vocabulary.say("hash"));
  else if (character === "&" && count === 2) speech.words(vocabulary.symbol("&") ?? "&");
  else if (character === "*" && count === 1 && isBetweenNumbers(text, at))
    speech.words(vocabulary.symbol("×") ?? character);
  else sayRun(character, count, speech, vocabulary);
  return end;
}

/** A minus, the marks of an option, a row of dashes; a hyphen or a dash stays. */
function sayDashes(count: number, before: string, after: string, speech: Speech, vocabulary: Vocabulary): void {
  const opens = before === "" || /[\s([{=:,"'`]/.test(before);
  // Of SQL.
  const isComment = count === 2 && /^\n?$/.test(before);
  if (count >= 3 || isComment) sayRun("-", count, speech, vocabulary);
  else if (opens && count === 1 && /\d/.test(after)) speech.words(vocabulary.symbol("−") ?? "-");
  else if (opens && /[A-Za-z]/.test(after)) sayRun("-", count, speech, vocabulary);
  else speech.copy("-".repeat(count));
}

/** Three equals signs between two values; in front of a line they are a mark, and more are a row. */
function isComparison(text: string, at: number): boolean {
  return /[\p{L}\p{N})\]"'`] ?$/u.test(text.slice(Math.max(0, at - 3), at)) && text.charAt(at + 3) !== "=";
}

function isPower(character: string, count: number, before: string): boolean {
  return /[A-Za-z0-9)]/.test(before) && ((character === "*" && count === 2) || (character === "^" && count === 1));
}

function isBetweenNumbers(text: string, at: number): boolean {
  return /\d ?$/.test(text.slice(Math.max(0, at - 2), at)) && /^ ?\d/.test(text.slice(at + 1, at + 3));
}

/** The same mark several times: its plural from three on. */
function sayRun(character: string, count: number, speech: Speech, vocabulary: Vocabulary): void {
  const { rows } = vocabulary.catalogue;
  const row = Object.hasOwn(rows, character) ? rows[character] : undefined;
  const word = vocabulary.symbol(character);
  if (word === undefined) speech.copy(character.repeat(count));
  else if (count >= 3 && row !== undefined) speech.words(row);
  else for (let left = count; left > 0; left -= 1) speech.words(word);
}

/** Marks that draw lines, with the mark that they are named by. */
const LINE_MARKS = /^[-=*_#~+|:`─━═│┃║┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬]{3,}$/u;
const DRAWN: Readonly<Record<string, string>> = { "─": "-", "━": "-", "═": "=" };

/** "line of dashes" for a line that has nothing but marks; undefined for any other. */
export function lineOfMarks(line: string, vocabulary: Vocabulary): string | undefined {
  if (/[\p{L}\p{N}]/u.test(line)) return undefined;
  const marks = line.replace(/\s/g, "");
  if (!LINE_MARKS.test(marks)) return undefined;
  const counts = new Map<string, number>();
  for (const mark of marks) counts.set(DRAWN[mark] ?? mark, (counts.get(DRAWN[mark] ?? mark) ?? 0) + 1);
  const [most = ""] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  const { rows } = vocabulary.catalogue;
  return vocabulary.say("lineOf", { marks: (Object.hasOwn(rows, most) ? rows[most] : rows.other) ?? "" });
}
