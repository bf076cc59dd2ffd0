// Formats a question to a person in lines that a screen reader can read one by one, with the agent's further data (`extra_context`): every value
// can be heard, and omitted values are announced. Text of agents is shown, never obeyed.
import type { Envelope } from "#gen/aaep/types.js";
import { codePointCount } from "../../base/code-points.js";
import { membersOf, textOf } from "../../base/members.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import { isHostDialog } from "../../engine/event/own-members.js";
import { spelled } from "../../speakable/index.js";
import { consentText, shownName } from "../terminal/agent-text.js";
import { span } from "../terminal/amounts.js";
import { sentences } from "../terminal/shown-text.js";

export type ResponseKind = "freetext" | "yes_no" | "multiple_choice" | "numeric";

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The accepted answers. */
export type Answerable =
  | { readonly kind: "confirmation"; readonly allowed: readonly ("accept" | "reject")[] }
  | { readonly kind: "clarification"; readonly kinds: readonly ResponseKind[]; readonly choices: readonly Choice[] };

export interface AskedQuestion {
  readonly event: Envelope;
  readonly token: string;
  readonly answerable: Answerable;
  /** Name of the asking agent, safe to show. */
  readonly agent: string;
  /** By the monotonic clock: a clock on the wall that is set changes nothing (R40). */
  readonly deadline: Millis;
}

const AWAITING = /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.awaiting\.(confirmation|clarification)$/;

/** Returns undefined if the event, which has just come, asks nothing that could be answered. */
export function questionFromEvent(event: Envelope, clock: Pick<Clock, "now" | "wallTime">): AskedQuestion | undefined {
  const kind = AWAITING.exec(event.type)?.[1];
  const { reply_token: token, timeout_seconds: seconds } = event;
  const askedAt = Date.parse(event.timestamp);
  if (kind === undefined || typeof token !== "string" || typeof seconds !== "number" || Number.isNaN(askedAt))
    return undefined;
  const leftMs = askedAt + seconds * 1000 - clock.wallTime();
  return {
    event,
    token,
    answerable: kind === "confirmation" ? confirmationOf(event) : clarificationOf(event),
    agent: shownName(event),
    // The question is open, or it would not come. A time left that says otherwise is that of a clock that was set.
    deadline: clock.now() + (leftMs > 0 && leftMs <= seconds * 1000 ? leftMs : seconds * 1000),
  };
}

function confirmationOf({ allowed_replies: allowed }: Envelope): Answerable {
  const both = ["accept", "reject"] as const;
  const offered = Array.isArray(allowed) ? both.filter((decision) => allowed.includes(decision)) : both;
  return { kind: "confirmation", allowed: offered };
}

const RESPONSE_KINDS: readonly ResponseKind[] = ["multiple_choice", "yes_no", "numeric", "freetext"];

function clarificationOf({ accepted_response_kinds: accepted, choices }: Envelope): Answerable {
  const offered = Array.isArray(choices) ? choices.flatMap((choice: unknown) => choiceFrom(choice)) : [];
  const otherwise: readonly ResponseKind[] = offered.length > 0 ? ["multiple_choice"] : ["freetext"];
  const kinds = Array.isArray(accepted) ? RESPONSE_KINDS.filter((kind) => accepted.includes(kind)) : otherwise;
  return { kind: "clarification", kinds, choices: offered };
}

function choiceFrom(choice: unknown): readonly Choice[] {
  const { value, label } = membersOf(choice);
  return typeof value === "string" ? [{ value, label: consentText(textOf(label) || value) }] : [];
}

/** The whole question: the asking agent, the exact action or question, its consequence, the time left, and the possible answers. */
export function questionLines(question: AskedQuestion, name: string, now: Millis): readonly string[] {
  const { event, answerable } = question;
  const asked = answerable.kind === "confirmation" ? event.action : event.question;
  return [
    `${name}: ${inSentences(textOf(asked))}`,
    ...labelled("Consequence", event.consequence),
    ...labelled("Context", event.context),
    ...riskLine(event),
    ...detailsLine(event.extra_context),
    ...choiceLines(answerable),
    timeLine(question, now),
    hintLine(answerable),
    ...(isHostDialog(event) ? ["Type leave to answer it in the agent's own window."] : []),
  ];
}

function labelled(label: string, text: unknown): readonly string[] {
  const shown = inSentences(textOf(text));
  return shown === "" ? [] : [`${label}: ${shown}`];
}

/** One line, in which a full stop ends each line of the text: by ear they run together otherwise. */
function inSentences(text: string): string {
  const lines = text.split("\n").map((line) => consentText(line));
  return lines
    .filter((line) => line !== "")
    .map((line, index, { length }) => (index < length - 1 ? sentence(line) : line))
    .join(" ");
}

/** With a full stop, if it ends without one. */
export function sentence(text: string): string {
  return /[\p{L}\p{N})"'’”][.!?:]$|[。؟]$/u.test(text) ? text : `${text}.`;
}

const FOR_GOOD = "It cannot be undone.";

/** A sentence of the consequence is not said a second time. */
export function riskLine({ risk_level: risk, reversibility, irreversible, consequence }: Envelope): readonly string[] {
  const isForGood = irreversible === true || reversibility === "irreversible";
  const parts = [
    typeof risk === "string" ? `Risk: ${consentText(risk)}.` : "",
    isForGood && !textOf(consequence).endsWith(FOR_GOOD) ? FOR_GOOD : "",
    reversibility === "reversible_with_effort" ? "It can be undone, with effort." : "",
  ];
  const line = sentences(...parts);
  return line === "" ? [] : [line];
}

function choiceLines(answerable: Answerable): readonly string[] {
  if (answerable.kind === "confirmation") return [];
  return answerable.choices.map(({ label }, index) => `Choice ${index + 1}: ${label}`);
}

/** The time left, and the default that applies after it. */
export function timeLine({ event, answerable, deadline }: AskedQuestion, now: Millis): string {
  const left = Math.ceil((deadline - now) / 1000);
  return `${left > 0 ? `${span(left)} left to answer` : "The time to answer is over"}; ${afterwards(event, answerable).join(": ")}.`;
}

/** The effect of no answer: in words of ours, and perhaps the answer that is taken. */
export function afterwards(event: Envelope, answerable: Answerable): readonly [words: string, answer?: string] {
  if (isHostDialog(event)) return ["then it waits in the agent's own window"];
  const { default_decision: decision, default_response: response } = event;
  if (answerable.kind === "confirmation") return [`then it is ${decision === "accept" ? "accepted" : "rejected"}`];
  const shown = consentText(textOf(response));
  const { label = shown } = answerable.choices.find(({ value }) => value === response) ?? {};
  return shown === "" ? ["then it stays unanswered"] : ["then the answer is taken to be", label];
}

/** An answer in the words of its question: a choice by its label, yes and no. */
export function answerInWords(response: string | number | boolean, answerable: Answerable): string {
  if (typeof response === "boolean") return response ? "yes" : "no";
  const choices = answerable.kind === "clarification" ? answerable.choices : [];
  return consentText(choices.find(({ value }) => value === response)?.label ?? String(response));
}

/** One pair of words for what a person types and hears; the words of the protocol are taken as well. */
export function decisionInWords(decision: "accept" | "reject"): string {
  return decision === "accept" ? "yes" : "no";
}

/** The line that names the possible answers. */
export function hintLine(answerable: Answerable): string {
  if (answerable.kind === "confirmation")
    return `Type ${answerable.allowed.map(decisionInWords).join(" or ")}, then Enter.`;
  const { kinds } = answerable;
  const wayOf: { readonly [Kind in ResponseKind]: string } = {
    multiple_choice: numbersChoose(kinds) ? "the number of a choice" : "c and the number of a choice, as in c1",
    yes_no: "yes or no",
    numeric: "a number",
    freetext: "an answer in your own words",
  };
  const ways = kinds.map((kind) => wayOf[kind]);
  return `Type ${ways.join(", or ")}, then Enter.`;
}

/** Whether a bare number means a choice. If numbers or texts are answers of their own, it does not. */
export function numbersChoose(kinds: readonly ResponseKind[]): boolean {
  return !kinds.includes("numeric") && !kinds.includes("freetext");
}

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
  return Object.fromEntries(Object.entries(membersOf(context)).filter(([name]) => !name.endsWith("_id")));
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
  const labels = Array.isArray(choices) ? choices.map((choice: unknown) => textOf(membersOf(choice).label)) : [];
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
