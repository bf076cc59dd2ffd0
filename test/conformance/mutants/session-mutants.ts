// Producers that break sessions, states and tools (chapter 4).
import {
  freshEventId,
  invented,
  isConfirmation,
  isKind,
  isStart,
  isState,
  isTerminal,
  session,
  text,
} from "./messages.js";
import type { Message, Mutant } from "./mutant.js";
import { eventsAdded, eventsChanged, eventsFollowed, fieldLeftOut, messagesDropped } from "./mutant-forms.js";

const secondEnding = (end: Message): Message =>
  isKind(end, "agent.session.completed")
    ? invented(end, "agent.session.cancelled", { cancelled_by: "producer", summary_normal: "Cancelled." })
    : invented(end, "agent.session.completed", { summary_normal: "Done." });

const progressAfter = (end: Message): Message =>
  invented(end, "agent.progress.updated", {
    urgency: "background",
    progress: { percent: 100 },
    summary_normal: "All steps done.",
  });

export const SESSIONS: readonly Mutant[] = [
  messagesDropped(
    {
      name: "session-started-missing",
      paragraph: "AAEP §4.1.1",
      breaks: "session.started MUST be the first event of a session; it is not sent.",
    },
    isStart,
  ),
  eventsAdded(
    {
      name: "session-started-repeated",
      paragraph: "AAEP §4.1.1",
      breaks: "Exactly one session.started per session; a second one follows.",
    },
    () => (event) => (isStart(event) ? [{ ...event, event_id: freshEventId() }] : []),
  ),
  messagesDropped(
    {
      name: "session-never-ends",
      paragraph: "AAEP §4.5.1",
      breaks: "A session MUST end with a terminal event; it is not sent.",
    },
    isTerminal,
  ),
  eventsAdded(
    {
      name: "two-terminal-events",
      paragraph: "AAEP §4.1.2",
      breaks: "Exactly one terminal event per session; another of another kind follows.",
    },
    () => (event) => (isTerminal(event) ? [secondEnding(event)] : []),
  ),
  eventsAdded(
    {
      name: "event-after-the-end",
      paragraph: "AAEP §4.5.1",
      breaks: "No event of a session after its terminal event; a progress.updated follows.",
    },
    () => (event) => (isTerminal(event) ? [progressAfter(event)] : []),
  ),
  eventsFollowed(
    {
      name: "session-id-changes",
      paragraph: "AAEP §3.2.4",
      breaks: "All events of a session MUST carry its session_id; state.changed carries another.",
    },
    () => (event) => (isState(event) ? { ...event, session_id: `${session(event)}x` } : event),
  ),
  eventsChanged(
    {
      name: "cancelled-told-as-completed",
      paragraph: "AAEP §4.1.4",
      breaks: "A cancelled session ends with session.cancelled; it ends with session.completed.",
    },
    (event) =>
      isKind(event, "agent.session.cancelled")
        ? { ...invented(event, "agent.session.completed", { summary_normal: "Done." }), event_id: event.event_id }
        : event,
  ),
  eventsChanged(
    {
      name: "failures-told-as-success",
      paragraph: "AAEP §4.3.2",
      breaks: "tool.completed has the tool's status; a failure has success.",
    },
    (event) => (isKind(event, "agent.tool.completed") ? { ...event, status: "success" } : event),
  ),
  fieldLeftOut(
    {
      name: "errored-without-category",
      paragraph: "AAEP §4.1.3",
      breaks: "session.errored requires error_category; the field is left out.",
    },
    "error_category",
    (event) => isKind(event, "agent.session.errored"),
  ),
  eventsChanged(
    {
      name: "errored-not-critical",
      paragraph: "AAEP §4.1.3",
      breaks: "session.errored MUST have urgency critical; it has normal.",
    },
    (event) => (isKind(event, "agent.session.errored") ? { ...event, urgency: "normal" } : event),
  ),
  fieldLeftOut(
    {
      name: "summary-normal-missing",
      paragraph: "AAEP §9.3.1(9)",
      breaks: "session.started, the terminal events and tool.invoked require summary_normal; it is left out.",
    },
    "summary_normal",
    (event) => isStart(event) || isTerminal(event) || isKind(event, "agent.tool.invoked"),
  ),
];

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

export const STATES: readonly Mutant[] = [
  eventsFollowed(
    {
      name: "state-chain-broken",
      paragraph: "AAEP §4.2.1",
      breaks: "from_state MUST continue the last to_state or what events imply; it names a state never entered.",
    },
    () => {
      const index = counter(isState);
      return (event) => (index(event) > 0 ? { ...event, from_state: "elsewhere" } : event);
    },
  ),
  eventsFollowed(
    {
      name: "first-state-not-idle",
      paragraph: "AAEP §4.2.1",
      breaks: "The first state.changed of a session MUST leave idle; it leaves another state.",
    },
    () => {
      const index = counter(isState);
      return (event) =>
        index(event) === 0 && event.from_state === "idle" ? { ...event, from_state: "elsewhere" } : event;
    },
  ),
  fieldLeftOut(
    {
      name: "state-without-to-state",
      paragraph: "AAEP §4.2.1",
      breaks: "state.changed requires to_state; the field is left out.",
    },
    "to_state",
    isState,
  ),
  eventsChanged(
    {
      name: "progress-says-nothing",
      paragraph: "AAEP §4.2.2",
      breaks: "progress MUST contain at least one member; it is empty.",
    },
    (event) => (isKind(event, "agent.progress.updated") ? { ...event, progress: {} } : event),
  ),
];

const isInvoked = (event: Message): boolean => isKind(event, "agent.tool.invoked");
const isToolDone = (event: Message): boolean => isKind(event, "agent.tool.completed");
const callKey = (event: Message): string => `${session(event)} ${text(event.tool_call_id) || text(event.tool)}`;

export const TOOLS: readonly Mutant[] = [
  messagesDropped(
    {
      name: "tool-completed-missing",
      paragraph: "AAEP §9.3.1(5)",
      breaks: "Every tool.invoked MUST be followed by tool.completed; it is not sent.",
    },
    isToolDone,
  ),
  messagesDropped(
    {
      name: "tool-invoked-missing",
      paragraph: "AAEP §4.5.2",
      breaks: "Every tool.completed MUST be preceded by its tool.invoked; it is not sent.",
    },
    isInvoked,
  ),
  {
    name: "tool-invoked-after-completed",
    paragraph: "AAEP §4.3.1",
    breaks: "tool.invoked MUST come before the tool's effect; it comes after tool.completed.",
    link: ({ toSubscriber }) => {
      const held = new Map<string, Message>();
      return {
        fromProducer: (message) => {
          if (isInvoked(message)) return void held.set(callKey(message), message);
          toSubscriber(message);
          const invoked = isToolDone(message) ? held.get(callKey(message)) : undefined;
          if (invoked === undefined) return;
          held.delete(callKey(message));
          toSubscriber({ ...invoked, timestamp: message.timestamp });
        },
      };
    },
  },
  eventsChanged(
    {
      name: "tool-call-id-mismatched",
      paragraph: "AAEP §4.3.1",
      breaks: "tool_call_id MUST match between tool.invoked and tool.completed; it differs.",
    },
    (event) =>
      isToolDone(event) && "tool_call_id" in event ? { ...event, tool_call_id: `${text(event.tool_call_id)}x` } : event,
  ),
  eventsFollowed(
    {
      name: "tool-call-id-reused",
      paragraph: "AAEP §4.3.1",
      breaks: "tool_call_id MUST be unique within the session; all calls carry the first one's.",
    },
    () => {
      const first = new Map<string, unknown>();
      return (event) => {
        if (!(isInvoked(event) || isToolDone(event)) || !("tool_call_id" in event)) return event;
        if (!first.has(session(event))) first.set(session(event), event.tool_call_id);
        return { ...event, tool_call_id: first.get(session(event)) };
      };
    },
  ),
  eventsChanged(
    {
      name: "tool-name-mismatched",
      paragraph: "AAEP §4.3.2",
      breaks: "tool of tool.completed MUST match its tool.invoked; it is another name.",
    },
    (event) => (isToolDone(event) ? { ...event, tool: `${text(event.tool)}_two` } : event),
  ),
  eventsChanged(
    {
      name: "tool-status-invented",
      paragraph: "AAEP §4.3.2",
      breaks: "status is success, error or timeout; it is `finished`.",
    },
    (event) => (isToolDone(event) ? { ...event, status: "finished" } : event),
  ),
  eventsFollowed(
    {
      name: "irreversible-without-question",
      paragraph: "AAEP §4.3.1",
      breaks:
        "An irreversible tool.invoked MUST have been confirmed; it goes out in a session where nothing was asked.",
    },
    () => {
      const asked = new Set<string>();
      return (event) => {
        if (isConfirmation(event)) asked.add(session(event));
        return isInvoked(event) && !asked.has(session(event)) ? { ...event, irreversible: true } : event;
      };
    },
  ),
];
