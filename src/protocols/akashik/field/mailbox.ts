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

/** The entity of the notice, which is none of the Field's. */
const POLL = "poll";

export function waitingKey(subscriptionId: string, entity: string): string {
  return `${subscriptionId} ${entity}`;
}

export class Mailbox {
  private readonly agentId: string;
  private readonly store: FieldKept;
  private readonly room: SharedRoom;
  private readonly waiting = new Map<string, Waiting & { readonly bytes: number }>();
  private bytes = 0;
  private places = 0;
  /** The key of the notice, if it waits. */
  private notice: string | undefined;

  /** `room`: of all mailboxes together, in bytes. */
  constructor(agentId: string, store: FieldKept, room: SharedRoom) {
    this.agentId = agentId;
    this.store = store;
    this.room = room;
  }

  /** Holds what waited in an earlier boot. Called in the order of the places. */
  recall({ place, entity, notification }: KeptWaiting): void {
    this.hold({ entity, notification });
    this.places = place;
  }

  /** Keeps a notification, in place of an earlier one of its entity and subscription. */
  put(one: Waiting): void {
    // A poll since the notice's epoch tells what comes after it, too.
    if (this.notice !== undefined) return;
    if (this.isRoom(one)) {
      this.add(one);
      return;
    }
    let since = one.notification.epoch;
    for (const { notification } of this.waiting.values()) since = Math.min(since, notification.epoch);
    for (const key of this.keys()) this.take(key);
    this.add({ entity: POLL, notification: pollNotice(one.notification, since) });
  }

  get(key: string): Waiting | undefined {
    return this.waiting.get(key);
  }

  /** Takes out what waits for an entity and a subscription. */
  take(key: string): void {
    if (!this.waiting.has(key)) return;
    this.leave(key);
    this.store.remove("waiting", `${this.agentId} ${key}`);
    if (key === this.notice) this.notice = undefined;
  }

  /** The keys of everything that waits, oldest first. */
  keys(): readonly string[] {
    return [...this.waiting.keys()];
  }

  size(): number {
    return this.waiting.size;
  }

  /** Drops everything that waits for one subscription. The notice goes over to `heir`, a further subscription of the agent, if there is one. */
  drop(subscriptionId: string, heir: string | undefined): void {
    for (const [key, { entity, notification }] of [...this.waiting]) {
      if (notification.subscription_id !== subscriptionId) continue;
      this.take(key);
      if (entity === POLL && heir !== undefined)
        this.add({ entity, notification: { ...notification, subscription_id: heir } });
    }
  }

  private isRoom(one: Waiting): boolean {
    const before = this.waiting.get(keyOf(one));
    const more = this.weightOf(one) - (before?.bytes ?? 0);
    const isCounted = before !== undefined || this.waiting.size < MOST_WAITING;
    return isCounted && (more <= 0 || this.bytes + more <= MOST_WAITING_BYTES) && this.room.isRoom(more);
  }

  private add(one: Waiting): void {
    const key = this.hold(one);
    this.places += 1;
    const kept: KeptWaiting = { agentId: this.agentId, place: this.places, ...one };
    this.store.put("waiting", `${this.agentId} ${key}`, () => kept);
  }

  private hold(one: Waiting): string {
    const key = keyOf(one);
    // A newer one stands behind everything that is older.
    this.leave(key);
    const bytes = this.weightOf(one);
    this.waiting.set(key, { ...one, bytes });
    this.weigh(bytes);
    if (one.entity === POLL) this.notice = key;
    return key;
  }

  private leave(key: string): void {
    this.weigh(-(this.waiting.get(key)?.bytes ?? 0));
    this.waiting.delete(key);
  }

  private weigh(more: number): void {
    this.bytes += more;
    this.room.add(more);
  }

  private weightOf(one: Waiting): number {
    return bytesOf([this.agentId, one]);
  }
}

/** The key of what waits. */
export function keyOf({ entity, notification }: Waiting): string {
  return waitingKey(notification.subscription_id, entity);
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
