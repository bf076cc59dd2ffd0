// The events that a conversation heard, by session, as the watching cases judge them.
import type { ScenarioName } from "../drive/driver.js";
import { arrivedIn, type Conversation, type Message, type Recorded } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { type Heard, isCritical, isEvent, isType } from "./stage.js";

/** An event that came. */
export interface HeardEvent {
  readonly recorded: Recorded;
  readonly event: Message;
}

/** The events of one session on one conversation, in their order. */
export interface HeardSession {
  readonly sessionId: string;
  readonly events: readonly HeardEvent[];
  /** The subscription was there before the session, so it was to hear all of it. */
  readonly isFromBeginning: boolean;
  /** The scenario whose session it seems to be. */
  readonly scenario: ScenarioName | undefined;
  /** It is surely the session of a scenario: the driver named it, or no other began meanwhile. */
  readonly isOwn: boolean;
  /**
   * The session is a scenario's own, and one that began after the scenario was over has been heard. So its end was to be heard before: by order, not
   * by a clock.
   */
  readonly isOver: boolean;
  /** The terms may keep events of the session back: filters, a pause, a low cognitive load, or a rate. */
  readonly isFiltered: boolean;
  /** The terms let the producer merge nothing and keep nothing back. */
  readonly isWhole: boolean;
  /** The subscription can answer confirmations, so it is asked. */
  readonly answersConfirmations: boolean;
}

/** All events of all conversations. */
export function heardEvents(conversations: readonly Conversation[]): readonly HeardEvent[] {
  return conversations
    .flatMap(arrivedIn)
    .flatMap((recorded) => (isEvent(recorded.message) ? [{ recorded, event: recorded.message }] : []));
}

export function heardSessions({ conversations, shown }: Heard): readonly HeardSession[] {
  const begun = beginnings(conversations, shown);
  const own = ownSessions(begun, shown);
  return conversations.flatMap((conversation) => {
    const sessions = new Map<string, HeardEvent[]>();
    for (const heard of heardEvents([conversation])) {
      const id = wordsOf(heard.event.session_id);
      const events = sessions.get(id);
      if (events === undefined) sessions.set(id, [heard]);
      else events.push(heard);
    }
    const accepted = arrivedIn(conversation).find(({ message }) => message.type === "subscription.accepted");
    // A producer below level 3 may send events unasked, from the connection's beginning on.
    const listensFrom = accepted?.at ?? conversation.startedAt.at;
    const isFiltered = conversation.record.some(({ way, message }) => way === "sent" && filters(message));
    const answersConfirmations = conversation.record.some(
      ({ way, message }) => way === "sent" && capabilitiesIn(message).supports_confirmation_reply === true,
    );
    const lastBegun = Math.max(...Array.from(sessions, ([id, events]) => (inOrder(events) ? (begun.get(id) ?? 0) : 0)));
    return Array.from(sessions, ([sessionId, events]) => {
      const begunAt = begun.get(sessionId);
      const isFromBeginning = begunAt !== undefined && listensFrom < begunAt;
      const isOwn = own.has(sessionId);
      const overAt = shown.get(sessionId)?.overAt;
      const isOver = isOwn && overAt !== undefined && overAt < lastBegun;
      return {
        sessionId,
        events,
        isFromBeginning,
        scenario: shown.get(sessionId)?.scenario,
        isOwn,
        isOver,
        isFiltered,
        isWhole: isWhole(conversation),
        answersConfirmations,
      };
    });
  });
}

/** Whether an event came that may not overtake those before it, as a critical one may. */
function inOrder(events: readonly HeardEvent[]): boolean {
  return events.some(({ event }) => !isCritical(event));
}

/** When each session began: when a case asked for it, or when it was first heard to begin, by anybody. */
function beginnings(conversations: readonly Conversation[], shown: Heard["shown"]): ReadonlyMap<string, number> {
  const begun = new Map(Array.from(shown, ([id, { askedAt }]) => [id, askedAt]));
  for (const { recorded, event } of heardEvents(conversations)) {
    if (!isType(event, "session.started")) continue;
    const id = wordsOf(event.session_id);
    begun.set(id, Math.min(begun.get(id) ?? Number.POSITIVE_INFINITY, recorded.at));
  }
  return begun;
}

/** The sessions that are surely those of scenarios. */
function ownSessions(begun: ReadonlyMap<string, number>, shown: Heard["shown"]): ReadonlySet<string> {
  const all = [...begun];
  return new Set(
    [...shown].flatMap(([id, { isNamed, askedAt, overAt = Number.POSITIVE_INFINITY }]) => {
      const isAlone = !all.some(([other, at]) => other !== id && at >= askedAt && at <= overAt);
      return isNamed || isAlone ? [id] : [];
    }),
  );
}

function filters(message: Message | undefined): boolean {
  const { event_filters, cognitive_load, aaepd, max_events_per_second } = capabilitiesIn(message);
  const isThinned = event_filters !== undefined || cognitive_load === "low" || aaepd !== undefined;
  return isThinned || max_events_per_second !== undefined;
}

/** The capabilities that a request or a renegotiation asks for; empty for everything else. */
export function capabilitiesIn(message: Message | undefined): Message {
  return (message?.capabilities ?? {}) as Message;
}

export function isTerminal(event: Message): boolean {
  return isType(event, "session.completed", "session.errored", "session.cancelled");
}

/**
 * No paragraph lets a producer merge or keep back an event under these terms: there is no rate (AAEP §5.3.1.1), no boundary but each event's own
 * (§5.3.1.6), and no type that is left out (§5.3.1.7). Questions come (§5.3.1.4), and so does what a lower load would spare (§5.3.1.10).
 */
export const WHOLE: Message = {
  supports_confirmation_reply: true,
  supports_clarification_reply: true,
  coalesce_boundaries: ["none"],
  event_filters: { include: ["*"], exclude: [] },
  cognitive_load: "high",
};

/** Whether a conversation asked for these terms alone, and the producer honors them. It has to name the boundaries: below level 3 it may merge. */
function isWhole(conversation: Conversation): boolean {
  const terms = conversation.record.flatMap(({ way, message }) =>
    way === "sent" && message?.capabilities ? [message] : [],
  );
  const accepted = arrivedIn(conversation).find(({ message }) => message.type === "subscription.accepted");
  if (terms.length !== 1 || JSON.stringify(terms[0]?.capabilities) !== JSON.stringify(WHOLE)) return false;
  const honored = (accepted?.message.honored_capabilities ?? {}) as Message;
  if (honored.max_events_per_second !== undefined) return false;
  const differing = Object.entries(WHOLE).find(
    ([name, value]) => honored[name] !== undefined && JSON.stringify(honored[name]) !== JSON.stringify(value),
  );
  return differing === undefined && honored.coalesce_boundaries !== undefined;
}
