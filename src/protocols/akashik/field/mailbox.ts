// The notifications that wait for an agent: because it is away, takes nothing, or was told of the entity a moment ago. The newest of each entity and
// subscription waits, within a number and within bytes. Beyond that one notice says from which epoch to poll.

import { bytesOf, type SharedRoom } from "../../../base/shared-room.js";
import { type FieldKept, MOST_WAITING, MOST_WAITING_BYTES, type Notification } from "./field-types.js";

export interface Waiting {
  readonly entity: string;
  readonly notification: Notification;
}

/** As it is kept for the next boot. */
export interface KeptWaiting extends Waiting {
  readonly agentId: string;
  /** Its place in the order of all that has waited for the agent. Epochs do not order the events of one operation. */
  readonly place: number;
}

export interface Mailbox {
  /** Keeps a notification, in place of an earlier one of its entity and subscription. */
  readonly put: (waiting: Waiting) => void;
  readonly get: (key: string) => Waiting | undefined;
  /** Takes out what waits for an entity and a subscription. */
  readonly take: (key: string) => Waiting | undefined;
  /** The keys of everything that waits, oldest first. */
  readonly keys: () => readonly string[];
  readonly size: () => number;
  /** Drops everything that waits for one subscription. The notice goes over to `heir`, a further subscription of the agent, if there is one. */
  readonly drop: (subscriptionId: string, heir: string | undefined) => void;
  readonly clear: () => void;
}

interface Held extends Waiting {
  readonly bytes: number;
}

export interface MailboxServices {
  readonly store: FieldKept;
  /** The room of all mailboxes together, in bytes. */
  readonly room: SharedRoom;
}

/** The entity of the notice, which is none of the Field's. */
const POLL = "poll";

export function waitingKey(subscriptionId: string, entity: string): string {
  return `${subscriptionId} ${entity}`;
}

/** `kept`: the values of an earlier boot, in any order. */
export function createMailbox(
  agentId: string,
  { store, room }: MailboxServices,
  kept: readonly KeptWaiting[],
): Mailbox {
  const waiting = new Map<string, Held>();
  let bytes = 0;
  /** The key of the notice, if it waits. */
  let notice: string | undefined;

  const keyOf = ({ entity, notification }: Waiting): string => waitingKey(notification.subscription_id, entity);
  const storeKey = (key: string): string => `${agentId} ${key}`;
  const weigh = (more: number): void => {
    bytes += more;
    room.add(more);
  };
  const drop = (key: string): Held | undefined => {
    const one = waiting.get(key);
    waiting.delete(key);
    weigh(-(one?.bytes ?? 0));
    return one;
  };
  const weighed = ({ entity, notification }: Waiting): Held => {
    const one = { entity, notification };
    return { ...one, bytes: bytesOf([agentId, one]) };
  };
  const hold = (one: Held): void => {
    const key = keyOf(one);
    // A newer one stands behind everything that is older.
    drop(key);
    waiting.set(key, one);
    weigh(one.bytes);
    if (one.entity === POLL) notice = key;
  };
  const isRoom = (one: Held): boolean => {
    const before = waiting.get(keyOf(one));
    const more = one.bytes - (before?.bytes ?? 0);
    const isCounted = before !== undefined || waiting.size < MOST_WAITING;
    return isCounted && (more <= 0 || bytes + more <= MOST_WAITING_BYTES) && room.isRoom(more);
  };
  const take = (key: string): Waiting | undefined => {
    const one = drop(key);
    if (one === undefined) return undefined;
    store.remove("waiting", storeKey(key));
    if (key === notice) notice = undefined;
    return one;
  };
  const clear = (): void => {
    for (const key of [...waiting.keys()]) take(key);
  };
  let places = 0;
  const add = (one: Held): void => {
    places += 1;
    const { entity, notification } = one;
    const kept: KeptWaiting = { agentId, place: places, entity, notification };
    hold(one);
    store.put("waiting", storeKey(keyOf(one)), () => kept);
  };

  for (const one of [...kept].sort((a, b) => a.place - b.place)) {
    hold(weighed(one));
    places = one.place;
  }

  return {
    put: (given) => {
      // A poll since the notice's epoch tells what comes after it, too.
      if (notice !== undefined) return;
      const one = weighed(given);
      if (isRoom(one)) {
        add(one);
        return;
      }
      let since = one.notification.epoch;
      for (const { notification } of waiting.values()) since = Math.min(since, notification.epoch);
      clear();
      add(weighed({ entity: POLL, notification: pollNotice(one.notification, since) }));
    },
    get: (key) => waiting.get(key),
    take,
    keys: () => [...waiting.keys()],
    size: () => waiting.size,
    drop: (subscriptionId, heir) => {
      for (const [key, { entity, notification }] of [...waiting]) {
        if (notification.subscription_id !== subscriptionId) continue;
        take(key);
        if (entity === POLL && heir !== undefined)
          add(weighed({ entity, notification: { ...notification, subscription_id: heir } }));
      }
    },
    clear,
  };
}

/** The notice that stands for everything that was dropped. */
function pollNotice({ subscription_id, event }: Notification, since: number): Notification {
  return {
    subscription_id,
    event,
    epoch: since,
    relevance_score: 1,
    summary: `More notifications waited than the Field keeps, and were dropped. Poll with ATTUNE and since_epoch ${since}.`,
    memory_unit_id: null,
    conflict_id: null,
    requires_action: true,
  };
}
