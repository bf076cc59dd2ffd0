// Tells the Field what sessions of AAEP do, as a subscription of the daemon's own (Akashik companion).
import { someText } from "../../base/members.js";
import type { Engine } from "../../engine/engine.js";
import { type AgentEvent, type TopicKind, topicKind } from "../../engine/event/event.js";
import { defaultTerms } from "../../protocols/aaep/subscriber/negotiate.js";
import type { Field, Told } from "../../protocols/akashik/field/field.js";
import type { EventKind } from "../../protocols/akashik/field/field-types.js";
import { subjectOf, wordsOf } from "../../protocols/akashik/field/words.js";
import type { ConversationServices } from "../../runtime/conversation.js";

interface Mapped {
  readonly kind: EventKind;
  /** The kind of the entity. Debouncing is by entity. */
  readonly of: "agent" | "handoff" | "session" | "task";
  readonly requiresAction?: boolean;
}

/** The events of the Field that events of AAEP are, by their kinds. Of other kinds the Field does not hear. */
const MAPPED: Partial<Record<TopicKind, Mapped>> = {
  "session.started": { kind: "agent.joined", of: "agent" },
  "session.errored": { kind: "agent.failed", of: "agent", requiresAction: true },
  "awaiting.confirmation": { kind: "session.paused", of: "session", requiresAction: true },
  "awaiting.clarification": { kind: "session.paused", of: "session", requiresAction: true },
  // A later change of the task's state does not stand for a handoff, so it is an entity of its own.
  "handoff.requested": { kind: "handoff.incoming", of: "handoff", requiresAction: true },
  "session.completed": { kind: "session.ended", of: "session" },
  "session.cancelled": { kind: "session.ended", of: "session" },
  "state.changed": { kind: "task.state_changed", of: "task" },
  "tool.completed": { kind: "task.completed", of: "task" },
};

/** The types of AAEP that the Field hears of, as patterns of a filter. */
const HEARD_TYPES: readonly string[] = Object.keys(MAPPED).map((kind) => `aaep:agent.${kind}`);

function mapped(event: AgentEvent): Mapped | undefined {
  const kind = topicKind(event.type);
  // The Field answers no question, so it hears of one by the state of its agent (R6).
  return MAPPED[kind === "state.changed" && event.to_state === "awaiting_input" ? "awaiting.confirmation" : kind];
}

/** The beginning of a `target_uri` that names an agent of Akashik. */
const AGENT_URI = "akashik:";

/** The event for the Field. Its entity of kind "agent" is the agent; of the other kinds it is the session, which is the agent's task. */
function fieldEventOf(event: AgentEvent): Told | undefined {
  const found = mapped(event);
  if (found === undefined) return undefined;
  const { kind, of, requiresAction = false } = found;
  const { producer } = event;
  const agentId = someText(producer?.agent_id);
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
  return someText(uri)?.startsWith(AGENT_URI) === true ? String(uri).slice(AGENT_URI.length) : undefined;
}

/** The agent's own sentence, in its own language, else the name of what happened. A tool that failed is not merely completed. */
function summaryOf(event: AgentEvent, kind: EventKind): string {
  const status = someText(event.status);
  const happened = status === undefined || status === "success" ? kind : `${kind}: ${status}`;
  return someText(event.summary_normal) ?? someText(event.summary_terse) ?? someText(event.action) ?? happened;
}

/** Starts the feed. Returns its end. */
export function feedSessions(
  engine: Pick<Engine, "subscribe">,
  field: Pick<Field, "settled" | "tell">,
  { clock, log }: Pick<ConversationServices, "clock" | "log">,
): () => void {
  let isAwake = false;
  const wake = (): void => {
    if (isAwake) return;
    isAwake = true;
    clock.afterCall(() => void take());
  };
  const subscription = engine.subscribe({
    subscriberId: "aaepd-akashik",
    terms: { ...defaultTerms(), eventFilters: { include: HEARD_TYPES, exclude: [] } },
    resumeAfter: undefined,
    outlet: { wake, ended: (reason) => log.error({ reason }, "the Field hears no more of sessions") },
  });
  /** One batch a turn, which has at most 256 events (R34). */
  const take = async (): Promise<void> => {
    // The Field has told everything before, so no more waits in it than one batch.
    await field.settled();
    isAwake = false;
    const taken = subscription.take();
    if (taken.kind !== "batch") return;
    for (const { event } of taken.batch.deliveries) {
      const told = fieldEventOf(event);
      if (told !== undefined) field.tell(told);
    }
    if (!taken.isAll) {
      isAwake = true;
      clock.afterTurn(() => void take());
    }
  };
  wake();
  return () => subscription.close();
}
