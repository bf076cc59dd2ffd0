// Sessions of AAEP as events of the Field (Akashik companion).
import { type AgentEvent, topicKind } from "../../engine/event/event.js";
import type { Told } from "../../protocols/akashik/field/field.js";
import type { EventKind } from "../../protocols/akashik/field/field-types.js";
import { subjectOf, wordsOf } from "../../protocols/akashik/field/words.js";

interface Mapped {
  readonly kind: EventKind;
  /** The kind of the entity. Debouncing is by entity. */
  readonly of: "agent" | "handoff" | "session" | "task";
  readonly requiresAction?: boolean;
}

/** The event of the Field that an event of AAEP is; undefined for an event without one. */
function mapped(event: AgentEvent): Mapped | undefined {
  switch (topicKind(event.type)) {
    case "session.started":
      return { kind: "agent.joined", of: "agent" };
    case "session.errored":
      return { kind: "agent.failed", of: "agent", requiresAction: true };
    case "awaiting.confirmation":
    case "awaiting.clarification":
      return { kind: "session.paused", of: "session", requiresAction: true };
    case "handoff.requested":
      // A later change of the task's state does not stand for a handoff, so it is an entity of its own.
      return { kind: "handoff.incoming", of: "handoff", requiresAction: true };
    case "session.completed":
    case "session.cancelled":
      return { kind: "session.ended", of: "session" };
    case "state.changed":
      // The Field answers no question, so it hears of one by the state of its agent (R6).
      return event.to_state === "awaiting_input"
        ? { kind: "session.paused", of: "session", requiresAction: true }
        : { kind: "task.state_changed", of: "task" };
    case "tool.completed":
      return { kind: "task.completed", of: "task" };
    case "progress.updated":
    case "tool.invoked":
    case "output.streaming":
    case "extension":
      return undefined;
  }
}

/** The beginning of a `target_uri` that names an agent of Akashik. */
const AGENT_URI = "akashik:";

/** The types of AAEP that the Field hears of, as patterns of a filter. */
export const HEARD_TYPES: readonly string[] = [
  "session.started",
  "session.errored",
  "awaiting.confirmation",
  "awaiting.clarification",
  "handoff.requested",
  "session.completed",
  "session.cancelled",
  "state.changed",
  "tool.completed",
].map((kind) => `aaep:agent.${kind}`);

/** The event for the Field. Its entity of kind "agent" is the agent; of the other kinds it is the session, which is the agent's task. */
export function fieldEventOf(event: AgentEvent): Told | undefined {
  const found = mapped(event);
  if (found === undefined) return undefined;
  const { kind, of, requiresAction = false } = found;
  const { producer } = event;
  const agentId = textOf(producer?.agent_id);
  const summary = summaryOf(event, kind);
  return {
    kind,
    entity: of === "agent" ? `agent ${agentId ?? event.session_id}` : `${of} ${event.session_id}`,
    causedBy: agentId,
    onlyFor: kind === "handoff.incoming" ? targetOf(event) : undefined,
    subject: subjectOf(kind, () => wordsOf(summary, agentId ?? "")),
    summary,
    requiresAction,
  };
}

/** The agent of Akashik to which a session is handed over; undefined if it is handed to somebody else, of which every agent may hear. */
function targetOf({ target_uri: uri }: AgentEvent): string | undefined {
  return textOf(uri)?.startsWith(AGENT_URI) === true ? String(uri).slice(AGENT_URI.length) : undefined;
}

/** The agent's own sentence, in its own language, else the name of what happened. A tool that failed is not merely completed. */
function summaryOf(event: AgentEvent, kind: EventKind): string {
  const status = textOf(event.status);
  const happened = status === undefined || status === "success" ? kind : `${kind}: ${status}`;
  return textOf(event.summary_normal) ?? textOf(event.summary_terse) ?? textOf(event.action) ?? happened;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
