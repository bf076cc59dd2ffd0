// An agent as the Field tells it of events: at once, at the end of a window, or when it comes back.

import type { SharedRoom } from "../../../base/shared-room.js";
import type { Millis } from "../../../contracts/clock.js";
import type {
  AgentLink,
  FieldAgent,
  FieldEvent,
  FieldServices,
  FieldSubscription,
  Notification,
} from "./field-types.js";
import { createMailbox, type KeptWaiting, type Waiting, waitingKey } from "./mailbox.js";
import { type Listener, listenerOf } from "./relevance.js";
import { createWindows, type Windows } from "./windows.js";

/** Notifications to an agent that has come back, in one turn of the event loop (R34). */
const SENT_PER_TURN = 64;
/** The wait before another attempt with an agent that takes nothing. */
const RETRY_MS: Millis = 1000;

export interface ToldSubscription extends FieldSubscription {
  /** The number of the event after which it began. Earlier events are not for it. */
  readonly since: number;
  readonly windows: Windows;
}

export interface ToldAgent {
  /** As it registered last. */
  readonly agent: () => FieldAgent;
  readonly listener: () => Listener;
  /** The agent registers again, with another role or other interests. */
  readonly become: (agent: FieldAgent) => void;
  readonly subscriptions: ReadonlyMap<string, ToldSubscription>;
  readonly isThere: () => boolean;
  readonly waitingCount: () => number;
  /** The agent is there. Everything that waited is sent, in later turns. */
  readonly came: (link: AgentLink) => void;
  /** The agent takes notifications again. Everything that waits is sent, in later turns. */
  readonly resume: () => void;
  /** The agent is away. */
  readonly left: () => void;
  readonly subscribe: (subscription: FieldSubscription, since: number) => ToldSubscription;
  readonly unsubscribe: (subscription: ToldSubscription) => void;
  /** Tells of an event, unless the agent caused it or it is for another agent. */
  readonly tell: (event: FieldEvent, subscription: ToldSubscription, score: number) => void;
}

/** The rooms that all agents share. */
export interface AgentRooms {
  readonly waiting: SharedRoom;
  readonly windows: SharedRoom;
}

export function createToldAgent(
  registered: FieldAgent,
  { clock, kept: store, rooms }: Pick<FieldServices, "clock" | "kept"> & { readonly rooms: AgentRooms },
  kept: readonly KeptWaiting[],
): ToldAgent {
  const subscriptions = new Map<string, ToldSubscription>();
  const mailbox = createMailbox(registered.id, { store, room: rooms.waiting }, kept);
  let agent = registered;
  let listener = listenerOf(agent);
  let link: AgentLink | undefined;
  let cancelRetry: (() => void) | undefined;

  const windowsOf = ({ notification }: Waiting): Windows | undefined =>
    subscriptions.get(notification.subscription_id)?.windows;
  const isInWindow = (one: Waiting): boolean => windowsOf(one)?.isOpen(one.entity) === true;

  /** Returns false if the agent does not take it now; it then was not sent. */
  const send = (one: Waiting): boolean => {
    const windows = windowsOf(one);
    if (link === undefined || windows?.isRoom() === false || !link.push(one.notification)) return false;
    const key = waitingKey(one.notification.subscription_id, one.entity);
    // Also an older one of the entity, which the agent has not been sent yet.
    mailbox.take(key);
    windows?.open(one.entity, () => {
      const next = mailbox.get(key);
      if (next !== undefined && !send(next)) retry();
    });
    return true;
  };

  const offer = (one: Waiting): void => {
    // The end of its window sends the newest.
    if (isInWindow(one)) mailbox.put(one);
    else if (!send(one)) {
      mailbox.put(one);
      retry();
    }
  };

  /** Sends what waits, a part in each turn, until the agent takes no more. */
  const sendWaiting = (to: AgentLink, keys: readonly string[]): void => {
    for (const key of keys.slice(0, SENT_PER_TURN)) {
      const one = link === to ? mailbox.get(key) : undefined;
      if (one === undefined || isInWindow(one) || send(one)) continue;
      retry();
      // Where only windows have no room, the agent may take something else.
      if (windowsOf(one)?.isRoom() !== false) return;
    }
    const rest = keys.slice(SENT_PER_TURN);
    if (rest.length > 0) clock.afterTurn(() => sendWaiting(to, rest));
  };

  /** Tries again later with everything that waits though no window is open. */
  const retry = (): void => {
    const to = link;
    if (to === undefined) return;
    cancelRetry ??= clock.wakeAt(clock.now() + RETRY_MS, () => {
      cancelRetry = undefined;
      sendWaiting(to, mailbox.keys());
    });
  };

  const resume = (): void => {
    const to = link;
    if (to !== undefined) clock.afterTurn(() => sendWaiting(to, mailbox.keys()));
  };

  return {
    agent: () => agent,
    listener: () => listener,
    become: (next) => {
      agent = next;
      listener = listenerOf(next);
    },
    subscriptions,
    isThere: () => link !== undefined,
    waitingCount: mailbox.size,
    came: (next) => {
      link = next;
      resume();
    },
    resume,
    left: () => {
      link = undefined;
      cancelRetry?.();
      cancelRetry = undefined;
    },
    subscribe: (subscription, since) => {
      const one = {
        ...subscription,
        since,
        windows: createWindows(subscription.debounceMs ?? 0, clock, rooms.windows),
      };
      subscriptions.set(one.id, one);
      return one;
    },
    unsubscribe: (subscription) => {
      subscription.windows.stop();
      subscriptions.delete(subscription.id);
      mailbox.drop(subscription.id, subscriptions.keys().next().value);
    },
    tell: (event, subscription, score) => {
      const isItsOwn = event.causedBy === agent.id;
      const isForAnother = event.onlyFor !== undefined && event.onlyFor !== agent.id;
      if (isItsOwn || isForAnother) return;
      offer({ entity: event.entity, notification: notificationOf(event, subscription.id, score) });
    },
  };
}

function notificationOf(event: FieldEvent, subscriptionId: string, score: number): Notification {
  return {
    subscription_id: subscriptionId,
    event: event.kind,
    epoch: event.epoch,
    relevance_score: score,
    summary: event.summary,
    memory_unit_id: event.unitId,
    conflict_id: event.conflictId,
    requires_action: event.requiresAction,
  };
}
