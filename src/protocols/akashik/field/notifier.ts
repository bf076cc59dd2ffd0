// Tells agents of events: those that have subscribed to the event's kind, or the one that it is for. Many take several turns of the event loop (R34).
import { Turns } from "../../../engine/time/turns.js";
import type { EventKind, FieldClock, FieldEvent } from "./field-types.js";
import type { ToldAgent } from "./told-agent.js";

/** Agents that may hear an event, or notifications of one, in one turn. */
const STEPS_PER_TURN = 64;

interface Told {
  readonly event: FieldEvent;
  readonly number: number;
  readonly steps: Iterator<unknown>;
}

export class Notifier {
  /** The number of the newest event. */
  newest = 0;
  private readonly agents: ReadonlyMap<string, ToldAgent>;
  private readonly hearers: ReadonlyMap<EventKind, ReadonlySet<ToldAgent>>;
  private readonly turns: Turns;
  private readonly queue = new Set<Told>();
  private isWaiting = false;
  /** Callers that wait for an event and all before it, in the order of the events. */
  private readonly callers = new Set<{ readonly number: number; readonly resolve: () => void }>();

  /** `agents`, `hearers`: as they are at each time, by id and by what they have subscribed to. */
  constructor(
    agents: ReadonlyMap<string, ToldAgent>,
    hearers: ReadonlyMap<EventKind, ReadonlySet<ToldAgent>>,
    clock: FieldClock,
  ) {
    this.agents = agents;
    this.hearers = hearers;
    this.turns = new Turns(clock, { most: STEPS_PER_TURN });
  }

  /** Tells the agents that the event concerns, the first of them at once, after everything told before. */
  tell(event: FieldEvent): void {
    this.newest += 1;
    this.queue.add({ event, number: this.newest, steps: this.stepsOf(event, this.newest) });
    if (!this.isWaiting) this.work();
  }

  /** Resolves when everything told so far was sent or waits for its agent; undefined: it was or does. */
  settled(): Promise<void> | undefined {
    if (this.queue.size === 0) return undefined;
    return new Promise((resolve) => void this.callers.add({ number: this.newest, resolve }));
  }

  private *stepsOf(event: FieldEvent, number: number): Generator<undefined> {
    for (const agent of this.hearersOf(event)) {
      yield;
      yield* agent.tell(event, number);
    }
  }

  private hearersOf({ kind, onlyFor }: FieldEvent): Iterable<ToldAgent> {
    if (onlyFor === undefined) return this.hearers.get(kind) ?? [];
    const agent = this.agents.get(onlyFor);
    return agent === undefined ? [] : [agent];
  }

  private work(): void {
    this.isWaiting = false;
    for (const one of this.queue) {
      while (one.steps.next().done !== true) {
        if (this.turns.enter()) continue;
        this.isWaiting = true;
        this.turns.wait(() => this.work());
        return;
      }
      this.queue.delete(one);
      for (const caller of this.callers) {
        if (caller.number > one.number) break;
        this.callers.delete(caller);
        caller.resolve();
      }
    }
  }
}
