// Complete events that the daemon makes for a session (R31). Other rooms decide when an event is made, and which subscriptions get it.
import { AWAITING_INPUT } from "../event/agent-states.js";
import type { AgentEvent, Producer, Urgency } from "../event/event.js";
import { type LocalizedMessages, localizedMessages, type TextAudience } from "../messages/localized-messages.js";
import type { GapReason, MessageParameters } from "../messages/messages.js";
import { catalogueLanguage } from "../messages/messages.js";
import { type MadeFacts, madeEvent } from "../sessions/change.js";
import { shortenedText } from "../text/shortened-text.js";
import type { AskingIn } from "./asking.js";

/** Most UTF-16 units of an agent's name in the daemon's texts. */
const NAME_LENGTH = 400;

/** The facts that each of these events needs. */
export interface DaemonEventFacts extends MadeFacts {
  readonly audience: TextAudience;
}

/** A change of state with texts of the daemon. */
function stateEvent(
  facts: DaemonEventFacts,
  fields: { readonly urgency: Urgency; readonly from_state: unknown; readonly to_state: string },
  { hints, summaries }: LocalizedMessages,
  marks: Readonly<Record<string, unknown>>,
): AgentEvent {
  return madeEvent(facts, "state.changed", { localization_hints: hints, ...fields, ...summaries }, marks);
}

/** The agent's name in the daemon's texts. */
export function speakerOf(producer: Producer): string {
  return shortenedText(producer.agent_name ?? producer.agent_id, NAME_LENGTH);
}

/** The state of a session for its summary. */
export type SessionSituation = MessageParameters["sessionSummary"];

/** The part of a session that can no longer be delivered (R27). */
export interface Loss {
  /** Upper bound of the missing events; undefined if it is not known. */
  readonly eventCount: number | undefined;
  readonly reason: GapReason;
}

/** Summarizes a session for a subscription that was not there (AAEP §8.7, R17): a change from `idle` to its state. Declares `lost` as well. */
export function summaryEvent(facts: DaemonEventFacts, situation: SessionSituation, lost: Loss | undefined): AgentEvent {
  const fields = { urgency: "normal", from_state: "idle", to_state: situation.state } as const;
  const texts = localizedMessages(facts.audience, "sessionSummary", () => situation);
  if (lost === undefined) return stateEvent(facts, fields, texts, { summary: true });
  const summaries = joined(lossMessages(facts, lost).summaries, texts.summaries);
  const marks = { summary: true, gap: gapMark(lost) };
  return stateEvent(facts, fields, { ...texts, summaries }, marks);
}

/** Joins the texts field by field; both are in the same languages. */
function joined(
  first: LocalizedMessages["summaries"],
  second: LocalizedMessages["summaries"],
): LocalizedMessages["summaries"] {
  return Object.fromEntries(Object.entries(first).map(([field, text]) => [field, `${text} ${second[field] ?? ""}`]));
}

function lossMessages(facts: DaemonEventFacts, { eventCount, reason }: Loss): LocalizedMessages {
  return localizedMessages(facts.audience, "gap", () => ({ eventCount, reason }));
}

function gapMark({ eventCount, reason }: Loss): Readonly<Record<string, unknown>> {
  return eventCount === undefined ? { reason } : { reason, events: eventCount };
}

/** Declares events that can no longer be delivered (R27). */
export function gapEvent(facts: DaemonEventFacts, gap: Loss): AgentEvent {
  const fields = { urgency: "normal", from_state: "idle", to_state: "idle" } as const;
  return stateEvent(facts, fields, lossMessages(facts, gap), { gap: gapMark(gap) });
}

/** Reports a question to subscriptions that cannot answer it (R6). `extensions.aaepd.asks` has the kind of the question. */
export function noticeEvent(
  facts: DaemonEventFacts,
  question: AgentEvent,
  fromState: unknown,
  askingIn: AskingIn,
): AgentEvent {
  const agent = speakerOf(facts.producer);
  const texts = localizedMessages(facts.audience, "questionNotice", (language, form) => {
    const asking = askingIn(question, language);
    return { agent, kind: asking.kind, asking: asking[form] };
  });
  const marks = { asks: question.action === undefined ? "clarification" : "confirmation", question: question.event_id };
  const fields = { urgency: "critical", from_state: fromState, to_state: AWAITING_INPUT } as const;
  return stateEvent(facts, fields, texts, marks);
}

/** Texts in every language, for events that are journaled and shaped later. */
export function everyLanguage(defaultLanguage: string): TextAudience {
  return { kind: "everyone", primary: catalogueLanguage([defaultLanguage]) };
}
