// Producers whose events are wrong by little: every second one, one type, a digit (chapters 3 and 4).
import {
  freshEventId,
  freshHex,
  invented,
  isChunk,
  isEvent,
  isKind,
  isQuestion,
  isStart,
  isState,
  record,
  session,
  text,
} from "./messages.js";
import type { Message, Mutant, MutantLink } from "./mutant.js";
import { eventsAdded, eventsChanged, eventsFollowed, type Rule } from "./mutant-forms.js";

const rule = (name: string, paragraph: string, breaks: string): Rule => ({ name, paragraph, breaks });
const ofAgent = (event: Message, agent_id: string): Message => ({
  ...event,
  producer: { ...record(event.producer), agent_id },
});

/** tool.completed has the time of its call, and less of a millisecond. */
function microsecondsFall(): (event: Message) => Message {
  let called = "";
  return (event) => {
    if (isKind(event, "agent.tool.invoked")) called = text(event.timestamp).slice(0, 23);
    if (isKind(event, "agent.tool.invoked")) return { ...event, timestamp: `${called}500Z` };
    return isKind(event, "agent.tool.completed") ? { ...event, timestamp: `${called}400Z` } : event;
  };
}

/** tool.completed comes behind the state that follows it. */
function completedLate({ toSubscriber }: MutantLink): ReturnType<Mutant["link"]> {
  const held = new Map<string, Message>();
  return {
    fromProducer: (message) => {
      const completed = held.get(session(message));
      held.delete(session(message));
      const isAfter = completed !== undefined && isState(message);
      if (completed !== undefined && !isAfter) toSubscriber(completed);
      if (isKind(message, "agent.tool.completed")) return void held.set(session(message), message);
      toSubscriber(isAfter ? { ...message, timestamp: completed.timestamp } : message);
      if (isAfter) toSubscriber({ ...completed, timestamp: completed.timestamp });
    },
  };
}

/** Ids are counted in each session. */
function idsBySession(): (event: Message) => Message {
  const counts = new Map<string, number>();
  return (event) => {
    const count = (counts.get(session(event)) ?? 0) + 1;
    counts.set(session(event), count);
    return { ...event, event_id: `evt_${count}` };
  };
}

const pondering = (state: unknown): unknown => (state === "thinking" ? "pondering" : state);

export const WATCHED: readonly Mutant[] = [
  eventsFollowed(
    rule("agent-of-every-second-event", "AAEP §3.2.6.1", "Every second event has another agent_id."),
    () => {
      let count = 0;
      return (event) => {
        count += 1;
        return count % 2 === 0 ? ofAgent(event, freshHex()) : event;
      };
    },
  ),
  eventsChanged(rule("agent-with-its-version", "AAEP §3.2.6.1", "The agent_id has the version in it."), (event) =>
    ofAgent(event, `agent-${text(record(event.producer).agent_version)}`),
  ),
  eventsFollowed(rule("event-ids-by-session", "AAEP §3.2.3", "Each session counts its events."), idsBySession),
  eventsChanged(rule("timestamps-a-minute-back", "AAEP §3.2.5", "Events are dated back by a minute."), (event) =>
    isQuestion(event)
      ? event
      : { ...event, timestamp: new Date(Date.parse(text(event.timestamp)) - 60_000).toISOString() },
  ),
  eventsFollowed(rule("microseconds-fall", "AAEP §3.2.5", "Microseconds fall within a millisecond."), microsecondsFall),
  eventsChanged(rule("fallback-in-words", "AAEP §11.1.2", "fallback_chain has no tags."), (event) => ({
    ...event,
    localization_hints: { ...record(event.localization_hints), fallback_chain: ["English (US)"] },
  })),
  eventsAdded(
    rule("foreign-type-undeclared", "AAEP §7.4", "A type of an extension has no context."),
    () => (event) =>
      isStart(event)
        ? [
            {
              ...invented(event, "x", { summary_normal: "Sorted." }),
              type: "vendor:photos.sorted",
              timestamp: event.timestamp,
            },
          ]
        : [],
  ),
  {
    ...rule("state-left-before-the-end", "AAEP §4.3.2", "tool.completed comes behind the next state."),
    link: completedLate,
  },
  eventsChanged(rule("thinking-renamed", "AAEP §9.3.1(3)", "No state is thinking."), (event) =>
    isState(event) ? { ...event, from_state: pondering(event.from_state), to_state: pondering(event.to_state) } : event,
  ),
  eventsChanged(rule("completion-hinted-early", "AAEP §4.3.3", "Every chunk has the hint completion."), (event) =>
    isChunk(event) ? { ...event, coalesce_hint: "completion" } : event,
  ),
  {
    ...rule("clarification-asked-twice", "AAEP §6.1(4)", "A clarification is asked again at once."),
    link: ({ toSubscriber }) => ({
      fromProducer: (message) => {
        toSubscriber(message);
        if (isEvent(message) && isKind(message, "agent.awaiting.clarification"))
          toSubscriber({ ...message, event_id: freshEventId(), reply_token: `rpl_${freshHex()}` });
      },
    }),
  },
];
