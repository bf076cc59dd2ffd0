// Producers that break sessions, states and tools (chapter 4).
import type { Deviation, Deviations } from "./deviation.js";
import { eventsAdded, eventsFollowed, leaving, nothing, told } from "./forms.js";
import {
  type Change,
  invented,
  isKind,
  isStart,
  isState,
  isTerminal,
  type Message,
  session,
  text,
} from "./messages.js";

const secondEnding: Change = (end) =>
  isKind(end, "agent.session.completed")
    ? invented(end, "agent.session.cancelled", { cancelled_by: "producer", summary_normal: "Cancelled." })
    : invented(end, "agent.session.completed", { summary_normal: "Done." });

const progressAfter: Change = (end) =>
  invented(end, "agent.progress.updated", {
    urgency: "background",
    progress: { percent: 100 },
    summary_normal: "All steps done.",
  });

const isErrored = (event: Message): boolean => isKind(event, "agent.session.errored");
const isInvoked = (event: Message): boolean => isKind(event, "agent.tool.invoked");
const isToolDone = (event: Message): boolean => isKind(event, "agent.tool.completed");

/** The index of this event among those of its session that `counts` takes, from 0. */
export function counter(counts: (event: Message) => boolean): (event: Message) => number {
  const seen = new Map<string, number>();
  return (event) => {
    if (!counts(event)) return -1;
    const index = seen.get(session(event)) ?? 0;
    seen.set(session(event), index + 1);
    return index;
  };
}

export const SESSIONS: Deviations = {
  // AAEP §4.5.1: a session MUST end with a terminal event; it is not sent.
  "session-never-ends": told(isTerminal, nothing),
  // AAEP §4.1.2: exactly one terminal event per session; another of another kind follows.
  "two-terminal-events": eventsAdded(isTerminal, secondEnding),
  // AAEP §4.5.1: no event of a session after its terminal event; a progress.updated follows.
  "event-after-the-end": eventsAdded(isTerminal, progressAfter),
  // AAEP §3.2.4: all events of a session MUST carry its session_id; state.changed carries another.
  "session-id-changes": told(isState, (event) => ({ ...event, session_id: `${session(event)}x` })),
  // AAEP §4.1.3: session.errored requires error_category; the field is left out.
  "errored-without-category": told(isErrored, leaving("error_category")),
  // AAEP §4.1.3: session.errored MUST have urgency critical; it has normal.
  "errored-not-critical": told(isErrored, (event) => ({ ...event, urgency: "normal" })),
  // AAEP §9.3.1(9): session.started, the terminal events and tool.invoked require summary_normal; it is left out.
  "summary-normal-missing": told(
    (event) => isStart(event) || isTerminal(event) || isInvoked(event),
    leaving("summary_normal"),
  ),
  // AAEP §4.4.3: handoff.requested never comes.
  "handoff-not-told": told((message) => isKind(message, "agent.handoff.requested"), nothing),
};

export const STATES: Deviations = {
  // AAEP §4.2.1: state.changed requires to_state; the field is left out.
  "state-without-to-state": told(isState, leaving("to_state")),
};

/** tool.completed comes behind the state that follows it. */
const completedLate: Deviation = () => {
  const held = new Map<string, Message>();
  return {
    down: (message) => {
      const completed = held.get(session(message));
      held.delete(session(message));
      if (isToolDone(message)) held.set(session(message), message);
      const now = isToolDone(message) ? [] : [message];
      if (completed === undefined) return now;
      return isState(message) ? [{ ...message, timestamp: completed.timestamp }, completed] : [completed, ...now];
    },
  };
};

export const TOOLS: Deviations = {
  // AAEP §4.5.2: every tool.completed MUST be preceded by its tool.invoked; it is not sent.
  "tool-invoked-missing": told(isInvoked, nothing),
  // AAEP §4.3.2: tool.completed comes behind the next state.
  "state-left-before-the-end": completedLate,
  // AAEP §4.3.1: tool_call_id MUST be unique within the session; all calls carry the first one's.
  "tool-call-id-reused": eventsFollowed(() => {
    const first = new Map<string, unknown>();
    return (event) => {
      if (!(isInvoked(event) || isToolDone(event)) || !("tool_call_id" in event)) return event;
      if (!first.has(session(event))) first.set(session(event), event.tool_call_id);
      return { ...event, tool_call_id: first.get(session(event)) };
    };
  }),
  // AAEP §4.3.2: tool of tool.completed MUST match its tool.invoked; it is another name.
  "tool-name-mismatched": told(isToolDone, (event) => ({ ...event, tool: `${text(event.tool)}_two` })),
};
