// An agent as the Field tells it of events: at once, at the end of a window of `debounce_ms`, or when it comes back (Akashik SUBSCRIBE).
import type { SharedRoom } from "../../../base/shared-room.js";
import type { Millis } from "../../../contracts/clock.js";
import {
  type EventKind,
  type FieldAgent,
  type FieldClock,
  type FieldEvent,
  type FieldKept,
  type FieldSubscription,
  MOST_WINDOWS_EACH,
  type Notification,
  type Push,
} from "./field-types.js";
import { keyOf, Mailbox, type Waiting, waitingKey } from "./mailbox.js";
import { type Listener, listenerOf, relevanceScore } from "./relevance.js";

/** Notifications to an agent that has come back, in one turn of the event loop (R34). */
const SENT_PER_TURN = 64;
/** The wait before another attempt with an agent that takes nothing. */
const RETRY_MS: Millis = 1000;

interface ToldSubscription extends FieldSubscription {
  /** The number of the event after which it began. Earlier events are not for it. */
  readonly since: number;
}

/** The services that all agents share. */
export interface AgentServices {
  readonly clock: FieldClock;
  readonly store: FieldKept;
  /** Of bytes that wait. */
  readonly waiting: SharedRoom;
  readonly windows: SharedRoom;
  /** The agents that have a subscription to a kind of event. */
  readonly hearers: Map<EventKind, Set<ToldAgent>>;
}

export class ToldAgent {
  /** As it registered last. */
  agent: FieldAgent;
  readonly subscriptions = new Map<string, ToldSubscription>();
  readonly mailbox: Mailbox;
  private readonly services: AgentServices;
  /** The open windows by entity and subscription, with their cancellations: after a notification left, the next one of its entity waits. */
  private readonly windows = new Map<string, () => void>();
  private listener: Listener;
  private push: Push | undefined;
  private cancelRetry: (() => void) | undefined;

  constructor(agent: FieldAgent, services: AgentServices) {
    this.services = services;
    this.mailbox = new Mailbox(agent.id, services.store, services.waiting);
    this.agent = agent;
    this.listener = listenerOf(agent);
  }

  isThere(): boolean {
    return this.push !== undefined;
  }

  /** The agent registers again, with another role or other interests. Its subscriptions and what waits for it stay. */
  become(agent: FieldAgent): void {
    this.agent = agent;
    this.listener = listenerOf(agent);
  }

  /** The agent is there. Everything that waited is sent, in later turns. */
  came(push: Push): void {
    this.push = push;
    this.resume();
  }

  /** The agent takes notifications again. Everything that waits is sent, in later turns. */
  resume(): void {
    const { push } = this;
    if (push !== undefined) this.services.clock.afterTurn(() => this.sendWaiting(push, this.mailbox.keys()));
  }

  /** The agent is away. */
  left(): void {
    this.push = undefined;
    this.cancelRetry?.();
    this.cancelRetry = undefined;
  }

  subscribe(subscription: FieldSubscription, since: number): void {
    this.subscriptions.set(subscription.id, { ...subscription, since });
    const { hearers } = this.services;
    for (const kind of subscription.events) hearers.set(kind, (hearers.get(kind) ?? new Set()).add(this));
  }

  unsubscribe(id: string): void {
    const kinds = this.subscriptions.get(id)?.events ?? [];
    this.subscriptions.delete(id);
    const heard = new Set([...this.subscriptions.values()].flatMap(({ events }) => events));
    for (const kind of kinds) if (!heard.has(kind)) this.services.hearers.get(kind)?.delete(this);
    for (const [key, cancel] of this.windows) if (key.startsWith(waitingKey(id, ""))) this.endWindow(key, cancel);
    this.mailbox.drop(id, this.subscriptions.keys().next().value);
  }

  /** Tells of an event, unless the agent caused it. A step is one notification. */
  *tell(event: FieldEvent, number: number): Generator<undefined> {
    if (event.causedBy === this.agent.id) return;
    let score: number | undefined;
    for (const subscription of this.subscriptions.values()) {
      if (subscription.since >= number || !subscription.events.includes(event.kind)) continue;
      score ??= relevanceScore(event.subject, this.listener);
      if (score < (subscription.minRelevance ?? 0)) continue;
      this.offer({ entity: event.entity, notification: notificationOf(event, subscription.id, score) });
      yield;
    }
  }

  private offer(one: Waiting): void {
    // The end of its window sends the newest.
    if (this.isInWindow(one)) this.mailbox.put(one);
    else if (this.send(one) !== "sent") {
      this.mailbox.put(one);
      this.retry();
    }
  }

  private send(one: Waiting): "sent" | "no window" | "not taken" {
    const { clock, windows } = this.services;
    const key = keyOf(one);
    const windowMs = this.subscriptions.get(one.notification.subscription_id)?.debounceMs ?? 0;
    if (windowMs > 0 && !(this.windows.size < MOST_WINDOWS_EACH && windows.isRoom())) return "no window";
    if (this.push?.(one.notification) !== true) return "not taken";
    // Also an older one of the entity, which the agent has not been sent yet.
    this.mailbox.take(key);
    if (windowMs === 0) return "sent";
    windows.add(1);
    const cancel = clock.wakeAt(clock.now() + windowMs, () => {
      this.endWindow(key, cancel);
      const next = this.mailbox.get(key);
      if (next !== undefined && this.send(next) !== "sent") this.retry();
    });
    this.windows.set(key, cancel);
    return "sent";
  }

  private isInWindow(one: Waiting): boolean {
    return this.windows.has(keyOf(one));
  }

  private endWindow(key: string, cancel: () => void): void {
    cancel();
    this.windows.delete(key);
    this.services.windows.add(-1);
  }

  /** Sends what waits, a part in each turn, until the agent takes no more. */
  private sendWaiting(to: Push, keys: readonly string[]): void {
    for (const key of keys.slice(0, SENT_PER_TURN)) {
      const one = this.push === to ? this.mailbox.get(key) : undefined;
      if (one === undefined || this.isInWindow(one)) continue;
      const outcome = this.send(one);
      if (outcome === "sent") continue;
      this.retry();
      if (outcome === "not taken") return;
    }
    const rest = keys.slice(SENT_PER_TURN);
    if (rest.length > 0) this.services.clock.afterTurn(() => this.sendWaiting(to, rest));
  }

  /** Tries again later with everything that waits though its entity has no window. */
  private retry(): void {
    const { push, services } = this;
    if (push === undefined) return;
    this.cancelRetry ??= services.clock.wakeAt(services.clock.now() + RETRY_MS, () => {
      this.cancelRetry = undefined;
      this.sendWaiting(push, this.mailbox.keys());
    });
  }
}

function notificationOf(event: FieldEvent, subscriptionId: string, score: number): Notification {
  return {
    subscription_id: subscriptionId,
    event: event.kind,
    epoch: event.epoch,
    relevance_score: score,
    summary: event.summary,
    memory_unit_id: event.unitId ?? null,
    conflict_id: event.conflictId ?? null,
    requires_action: event.requiresAction ?? false,
  };
}
