// Formats a question to a person in lines that a screen reader can read one by one. Text of agents is shown, never obeyed.
import type { Envelope } from "#gen/aaep/types.js";
import { textOf } from "../../base/members.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import { isHostDialog } from "../../engine/event/host-dialog.js";
import { consentText, shownName } from "../terminal/agent-text.js";
import { span } from "../terminal/amounts.js";
import { fieldsOf } from "../terminal/fields-of.js";
import { detailsLine } from "./question-details.js";

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
  const { value, label } = fieldsOf(choice);
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
  const line = parts.filter((part) => part !== "").join(" ");
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
