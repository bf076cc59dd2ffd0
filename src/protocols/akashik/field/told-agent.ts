// An agent as the Field tells it of events: at once, at the end of a window, or when it comes back.
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

export function createToldAgent(
  registered: FieldAgent,
  { clock, kept: store }: Pick<FieldServices, "clock" | "kept">,
  kept: readonly KeptWaiting[],
): ToldAgent {
  const subscriptions = new Map<string, ToldSubscription>();
  const mailbox = createMailbox(registered.id, store, kept);
  let agent = registered;
  let listener = listenerOf(agent);
  let link: AgentLink | undefined;
  let cancelRetry = (): void => {};

  const isHeld = ({ entity, notification }: Waiting): boolean =>
    link === undefined || subscriptions.get(notification.subscription_id)?.windows.isOpen(entity) === true;

  const offer = (one: Waiting): void => {
    if (isHeld(one) || link?.push(one.notification) !== true) {
      mailbox.put(one);
      if (link !== undefined) retry(link);
      return;
    }
    const { entity, notification } = one;
    const key = waitingKey(notification.subscription_id, entity);
    // An older one of the entity, which the agent has not been sent yet.
    mailbox.take(key);
    subscriptions.get(notification.subscription_id)?.windows.open(entity, () => {
      const next = mailbox.take(key);
      if (next !== undefined) offer(next);
    });
  };

  /** Sends what waits, a part in each turn. */
  const sendWaiting = (to: AgentLink, keys: readonly string[]): void => {
    for (const key of keys.slice(0, SENT_PER_TURN)) {
      const one = link === to ? mailbox.take(key) : undefined;
      if (one !== undefined) offer(one);
    }
    const rest = keys.slice(SENT_PER_TURN);
    if (rest.length > 0) clock.afterTurn(() => sendWaiting(to, rest));
  };

  /** Tries again later with what waits though no window is open. */
  const retry = (to: AgentLink): void => {
    cancelRetry();
    cancelRetry = clock.wakeAt(clock.now() + RETRY_MS, () => sendWaiting(to, mailbox.keys()));
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
      cancelRetry();
    },
    subscribe: (subscription, since) => {
      const one = { ...subscription, since, windows: createWindows(subscription.debounceMs ?? 0, clock) };
      subscriptions.set(one.id, one);
      return one;
    },
    unsubscribe: (subscription) => {
      subscription.windows.stop();
      subscriptions.delete(subscription.id);
      mailbox.drop(subscription.id);
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
