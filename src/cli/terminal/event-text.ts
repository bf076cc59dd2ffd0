// Describes an event in one line for people, by its content alone; callers add colours and columns.

import type { Envelope } from "#gen/aaep/types.js";
import { membersOf, textOf } from "../../base/members.js";
import { isCritical, TERMINAL } from "../../client/event-types.js";
import { isHostDialog } from "../../engine/event/own-members.js";
import { agentText, consentText, type ReadText } from "./agent-text.js";
import { jsonText, sentences } from "./shown-text.js";

export interface EventText {
  /** Kind of the event: one of `EVENT_WORDS`, or the type of an extension's event. */
  readonly what: string;
  /** Empty if the event says nothing more, such as a text that only ends. */
  readonly text: string;
  readonly isCritical: boolean;
}

export interface EventTextOptions {
  /** Shows streamed text quoted, with its white space: for streams that are not cut at words. Default false. */
  readonly quotesText?: boolean;
  /** Puts texts into words. Default: each as it is, with the names of characters that are not seen. */
  readonly read?: ReadText;
}

/** The kinds of core events, in the words of `EventText.what`. */
export const EVENT_WORDS: readonly string[] =
  "started state progress tool text confirm question handoff completed cancelled error".split(" ");

const CORE = /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.(.+)$/;

export function eventText(event: Envelope, options: EventTextOptions = {}): EventText {
  const topic = coreTopicOf(event) ?? event.type;
  const { what, text } = describe(topic, event, options);
  const isQuoted = options.quotesText === true && topic === "output.streaming";
  const parts = [isQuoted ? text : agentText(text), ...daemonNotes(event)];
  return { what, text: parts.filter((part) => part !== "").join(" "), isCritical: isCritical(event) };
}

/** The part of a core event's type behind "agent."; undefined for an extension's event, whatever its type ends with. */
export function coreTopicOf({ type }: Envelope): string | undefined {
  return CORE.exec(type)?.[1];
}

/** Returns the streamed text of an event; undefined for other events. */
export function chunkOf(event: Envelope): string | undefined {
  return coreTopicOf(event) === "output.streaming" && typeof event.chunk === "string" ? event.chunk : undefined;
}

export function endsSession({ type }: Envelope): boolean {
  return TERMINAL.test(type);
}

function describe(topic: string, event: Envelope, options: EventTextOptions): Omit<EventText, "isCritical"> {
  const read = (text: string) => options.read?.(text, event, false) ?? consentText(text);
  const summary = topic.startsWith("awaiting.") ? consentText(summaryOf(event)) : read(summaryOf(event));
  switch (topic) {
    case "session.started":
    case "session.completed":
    case "session.cancelled":
      return { what: topic.slice("session.".length), text: summary };
    case "session.errored":
      return { what: "error", text: sentences(summary, read(textOf(event.remediation_hint))) };
    case "state.changed":
      return { what: "state", text: summary || textOf(event.to_state).replaceAll("_", " ") };
    case "progress.updated":
      return { what: "progress", text: labelled(progressParts(event, read), summary) };
    case "tool.invoked":
      return { what: "tool", text: labelled([textOf(event.tool)], summary) };
    case "tool.completed":
      return { what: "tool", text: labelled([toolResultOf(event)], summary || read(textOf(event.error_message))) };
    case "output.streaming":
      return { what: "text", text: textOfChunk(event, options) };
    case "awaiting.confirmation": {
      const action = summary || consentText(textOf(event.action));
      return { what: "confirm", text: sentences(action, confirmationTerms(event)) };
    }
    case "awaiting.clarification": {
      const question = summary || consentText(textOf(event.question));
      return { what: "question", text: sentences(question, clarificationTerms(event)) };
    }
    case "handoff.requested":
      return { what: "handoff", text: summary || read(textOf(event.reason)) };
    default:
      return { what: topic, text: summary };
  }
}

/** The summary selected for this listener (R14), else the nearest one; empty if there is none. */
export function summaryOf(event: Envelope): string {
  const fields = [event[`summary_${event.verbosity ?? "normal"}`], event.summary_normal, event.summary_terse];
  return [...fields, event.summary_detailed].map(textOf).find((text) => text !== "") ?? "";
}

function textOfChunk(event: Envelope, { quotesText, read }: EventTextOptions): string {
  const text = textOf(event.chunk);
  // Readers of text in pieces see every character.
  if (quotesText === true) return text === "" ? "" : jsonText(text);
  return read?.(text, event, true) ?? consentText(text);
}

function progressParts({ progress }: Envelope, read: (text: string) => string): readonly string[] {
  const { percent, step, total_steps: total, description } = membersOf(progress);
  const amount = typeof percent === "number" ? `${percent}%` : "";
  const steps = typeof step === "number" ? `step ${step}${typeof total === "number" ? ` of ${total}` : ""}` : "";
  return [amount || steps, read(textOf(description))];
}

function toolResultOf({ tool, status, duration_ms: duration }: Envelope): string {
  const time = typeof duration === "number" && duration >= 50 ? ` after ${(duration / 1000).toFixed(1)} s` : "";
  return `${textOf(tool)} ${textOf(status)}${time}`;
}

function confirmationTerms(event: Envelope): string {
  return sentences(consentText(textOf(event.consequence)), deadline(event, event.default_decision));
}

function clarificationTerms(event: Envelope): string {
  const { choices, default_response: response } = event;
  const labels = Array.isArray(choices) ? choices.map((choice) => consentText(textOf(membersOf(choice).label))) : [];
  const list = labels.length === 0 ? "" : `Choices: ${labels.join("; ")}.`;
  return sentences(list, deadline(event, response));
}

/** A question of a host's own dialog has no default here (R5b). */
function deadline(event: Envelope, byDefault: unknown): string {
  const { timeout_seconds: seconds } = event;
  if (typeof seconds !== "number") return "";
  const fallback = isHostDialog(event) ? "in the agent's own window" : consentText(textOf(byDefault));
  return fallback === "" ? `${seconds} s to answer.` : `${seconds} s to answer, then: ${fallback}.`;
}

/** Names of rules, as in "AAEP §4.3.1, R5": a relayed producer, or an agent, may have written anything. */
const RULES = /^(?:(?:AAEP (?:§|app\. )[\w.]{1,12}|R\d{1,2}[a-d]?)(?:, |$)){1,4}$/;

/** Notes that the daemon adds for this subscription: gaps (R27) and overtaken events (R4). */
function daemonNotes({ extensions }: Envelope): readonly string[] {
  const { gap, overtook, breach } = membersOf(extensions?.aaepd);
  const { events, reason } = membersOf(gap);
  const notes: string[] = [];
  if (gap !== undefined) {
    const what = typeof events === "number" ? `up to ${events} events` : "events";
    notes.push(agentText(`[${what} are missing here${textOf(reason) && `: ${textOf(reason)}`}]`));
  }
  if (breach !== undefined)
    notes.push(RULES.test(textOf(breach)) ? `[against the rule ${textOf(breach)}]` : "[against a rule]");
  if (overtook === true) notes.push("[ahead of events held back]");
  return notes;
}

/** Puts labels in front of a text. A label that the text says already is left out. */
function labelled(labels: readonly string[], text: string): string {
  const said = wordsOf(text);
  const label = labels.filter((one) => one !== "" && !said.includes(wordsOf(one))).join(" ");
  if (text === "" || label === "") return text || label;
  return `${label}: ${text}`;
}

/** The words of a text, with blanks around and between. */
function wordsOf(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
}
