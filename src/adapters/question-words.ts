// A question of an adapter: what will be done, whole. Its action is short and says what it leaves out; its consequence has everything.

import { wholeEnd } from "../base/whole-end.js";
import type { AdapterWords } from "../engine/messages/adapter-catalogues/adapter-words.js";
import { shortenedText } from "../engine/text/shortened-text.js";
import { LONGEST_ANNOUNCEMENT, linesIn } from "./words.js";

/** UTF-16 units of a consequence. AAEP takes 16,384. */
const LONGEST_CONSEQUENCE = 16_000;

/** Marks that override the direction of text, and controls but line feeds and tabs: they would show a text in another order than it has. */
const MISLEADING = /(?![\n\t])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The first line of what will be done, and how many lines follow. Nothing else of it is changed. */
export function shortAction(what: string, words: AdapterWords): string {
  const lines = linesIn(what.replace(MISLEADING, " "));
  const rest = lines.length > 1 ? ` ${words.moreLines(lines.length - 1)}` : "";
  return `${shortenedText((lines[0] ?? "").trim(), LONGEST_ANNOUNCEMENT / 2)}${rest}`;
}

export interface WholeText {
  readonly text: string;
  /** The text has not everything, and says so first. */
  readonly isCut: boolean;
}

/** The parts of a consequence, each in a line of its own. */
export function wholeText(parts: readonly string[], words: AdapterWords): WholeText {
  const text = parts.join("\n").replace(MISLEADING, " ");
  if (text.length <= LONGEST_CONSEQUENCE) return { text: text.trim() === "" ? words.noDetails : text, isCut: false };
  const end = wholeEnd(text, LONGEST_CONSEQUENCE);
  return { text: `${words.leftOut(text.length - end)}\n${text.slice(0, end)}`, isCut: true };
}

/** Each argument as its name and its value in words, in the order of the host. */
export function argumentParts(given: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(given).map(([name, value]) => `${nameInWords(name)}: ${valueInWords(value)}`);
}

/** "old_string" and "oldString" as "old string". */
function nameInWords(name: string): string {
  return name
    .replace(/[_-]/g, " ")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .trim()
    .toLowerCase();
}

function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueInWords).join(", ");
  if (typeof value === "object" && value !== null)
    return argumentParts(value as Readonly<Record<string, unknown>>).join("; ");
  return String(value);
}
