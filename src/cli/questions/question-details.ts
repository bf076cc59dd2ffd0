// Tells an agent's further data about a question (`extra_context`), whatever its shape: every value can be heard, and omitted values are announced.
import type { Envelope } from "#gen/aaep/types.js";
import { codePointCount } from "../../base/code-points.js";
import { textOf } from "../../base/members.js";
import { spelled } from "../../speakable/index.js";
import { consentText } from "../terminal/agent-text.js";
import { fieldsOf } from "../terminal/fields-of.js";

/** Longest text told with the question: of one value in code points, and of all together in UTF-16 units. */
const LONGEST_VALUE = 200;
const LONGEST_LINE = 600;
/** Lines told at a time, on request. */
const PAGE_LINES = 20;
/** Characters spelled in a line. */
const SPELLED_IN_LINE = 10;
/** Deeper than any message that the daemon takes. */
const DEEPEST = 64;

/** Whether `detailsLine` leaves something out. */
export function cutsDetails(context: unknown): boolean {
  return detailsLine(context).some((line) => line.endsWith(TELLS_ALL));
}

const TELLS_ALL = "d tells all.";

/** At most one line: the short plain values, and how many more details there are. Ids say nothing to the ear; `d` tells them. */
export function detailsLine(context: unknown): readonly string[] {
  const details = detailsIn(withoutIds(context));
  const told: string[] = [];
  let length = 0;
  for (const detail of details) {
    const shown = consentText(detail, LONGEST_VALUE);
    length += shown.length;
    if (length > LONGEST_LINE) break;
    told.push(shown);
  }
  if (told.length === 0) return [];
  const left = details.length - told.length;
  const isCut = details.some((detail) => codePointCount(detail) > LONGEST_VALUE);
  const more = left > 0 ? `; and ${left} more. ${TELLS_ALL}` : isCut ? `. Some are cut; ${TELLS_ALL}` : ".";
  return [`Details: ${told.join("; ")}${more}`];
}

/** The details of a question that say something to the ear. */
export function withoutIds(context: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fieldsOf(context)).filter(([name]) => !name.endsWith("_id")));
}

/** One page of all details of a question, one detail a line. */
export interface DetailsPage {
  readonly lines: readonly string[];
  /** Index at which the next page begins; 0 after the last. */
  readonly next: number;
}

/** The commands of a listener that its hints name. */
export interface HintedCommands {
  readonly details: string;
  readonly repeat: string;
}

/** `whole` is the question's event with its most detailed summary. */
export function detailsPage(whole: Envelope, from: number, { details: more, repeat }: HintedCommands): DetailsPage {
  const details = detailsIn(whole.extra_context).map((detail) => consentText(detail));
  const all = [...summaryLines(whole), ...details];
  if (all.length === 0)
    return { lines: [`The agent says no more than that. ${repeat} repeats the question.`], next: 0 };
  return pageOf(all, from, (end) => `${end} of ${all.length} details. ${more} tells the next.`);
}

/** One page of all texts of a question, letter by letter: each character by its name, however it looks. */
export function spelledPage(event: Envelope, from: number): DetailsPage {
  const { action, question, consequence, context, choices, producer, extra_context } = event;
  const labels = Array.isArray(choices) ? choices.map((choice: unknown) => textOf(fieldsOf(choice).label)) : [];
  const texts = [
    ["", action ?? question],
    ["Consequence: ", consequence],
    ["Context: ", context],
    ...labels.map((label, index) => [`Choice ${index + 1}: `, label] as const),
    ["Agent: ", producer?.agent_name],
    ...detailsIn(extra_context).map((detail) => ["Detail: ", detail] as const),
  ] as const;
  const lines = texts.flatMap(([label, text]) => spelledLines(label, textOf(text)));
  return pageOf(lines, from, (end) => `${end} of ${lines.length} lines. spell tells the next.`);
}

function spelledLines(label: string, text: string): readonly string[] {
  const names = spelled(text).map(({ name }) => name);
  return Array.from({ length: Math.ceil(names.length / SPELLED_IN_LINE) }, (_, index) => {
    const line = names.slice(index * SPELLED_IN_LINE, (index + 1) * SPELLED_IN_LINE).join(", ");
    return index === 0 ? label + line : line;
  });
}

function pageOf(all: readonly string[], from: number, more: (end: number) => string): DetailsPage {
  const end = Math.min(from + PAGE_LINES, all.length);
  const lines = all.slice(from, end);
  if (end < all.length) return { lines: [...lines, more(end)], next: end };
  return { lines: from === 0 ? lines : [...lines, "These were all."], next: 0 };
}

function summaryLines({ summary_detailed: detailed, summary_normal: normal }: Envelope): readonly string[] {
  const texts = [detailed, normal].filter((text) => typeof text === "string");
  const text = texts.map((one) => consentText(one)).find((shown) => shown !== "");
  return text === undefined ? [] : [`Summary: ${text}`];
}

/** Lists each value with the path of names that leads to it. */
function detailsIn(context: unknown): readonly string[] {
  const details: string[] = [];
  const add = (names: readonly (string | number)[], value: unknown): void => {
    if (typeof value === "object" && value !== null && names.length < DEEPEST) {
      const members = Array.isArray(value)
        ? value.map((one, index) => [index + 1, one] as const)
        : Object.entries(value);
      for (const [name, member] of members) add([...names, name], member);
      if (members.length > 0) return;
    }
    details.push(`${names.join(" ")} ${valueInWords(value)}`);
  };
  if (typeof context === "object" && context !== null && Object.keys(context).length > 0) add([], context);
  return details;
}

function valueInWords(value: unknown): string {
  if (value === null) return "none";
  if (typeof value !== "object") return value === "" ? "empty" : String(value);
  return Object.keys(value).length === 0 ? "empty" : "(more than can be told)";
}
