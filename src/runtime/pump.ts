// The one loop between a subscription and its connection. It pulls while the peer takes, stops while it does not, and so lets everything that
// waits wait where it can still merge (AAEP §8.8). What must not live here: what is delivered, and how it is written.
import { type Fault, faultFrom } from "../base/errors.js";
import type { Clock } from "../contracts/clock.js";
import type { DeliverySource } from "../contracts/protocol.js";
import type { DeliveryRun } from "../engine/views/delivery.js";
import type { SendingTurns } from "./sending-turns.js";

export interface DeliverySink {
  /** Hands a run over. False: take no more until `writable` resolves. */
  readonly send: (run: DeliveryRun) => boolean;
  readonly writable: () => Promise<void>;
  /** An accident: what was to be sent could not be made. The pump has stopped; only this connection is to end. */
  readonly failed: (fault: Fault) => void;
}

export interface Pump {
  /** Pulls when what runs now has returned, once, however often it is called. */
  readonly wake: () => void;
  readonly stop: () => void;
}

/** Joins a source to a sink until `stop`. A turn that has no room left gives only what is critical; the rest follows in the pump's own turn (R34). */
export function createPump(
  source: DeliverySource,
  sink: DeliverySink,
  clock: Pick<Clock, "afterCall">,
  turns: SendingTurns,
): Pump {
  return new TurnPump(source, sink, clock, turns);
}

/** A class, because there is one for each subscription. */
class TurnPump implements Pump {
  private readonly source: DeliverySource;
  private readonly sink: DeliverySink;
  private readonly clock: Pick<Clock, "afterCall">;
  private readonly turns: SendingTurns;
  private leaveTurns: (() => void) | undefined;
  private isQueued = false;
  private isBlocked = false;
  private isStopped = false;

  constructor(source: DeliverySource, sink: DeliverySink, clock: Pick<Clock, "afterCall">, turns: SendingTurns) {
    this.source = source;
    this.sink = sink;
    this.clock = clock;
    this.turns = turns;
  }

  wake(): void {
    if (this.isQueued || this.isBlocked || this.isStopped) return;
    this.isQueued = true;
    this.clock.afterCall(() => this.pull());
  }

  stop(): void {
    this.isStopped = true;
    this.leave();
  }

  private leave(): void {
    this.leaveTurns?.();
    this.leaveTurns = undefined;
  }

  private pull(): void {
    this.isQueued = false;
    if (this.isStopped || this.isBlocked) return;
    try {
      this.pullAll();
    } catch (caught) {
      // Nobody else calls this, so nobody else would catch it, and everybody's daemon would end.
      this.isStopped = true;
      this.leave();
      this.sink.failed(faultFrom(caught));
    }
  }

  private pullAll(): void {
    const { turns } = this;
    // A pump that waits for its turn keeps its place, whatever wakes it.
    if (this.leaveTurns !== undefined || !turns.isRoomLeft()) {
      if (this.pullOnce("critical") !== "blocked") this.waitForTurn();
      return;
    }
    for (;;) {
      if (turns.pull(() => this.pullOnce()) !== "more") return;
      if (turns.isRoomLeft()) continue;
      this.waitForTurn();
      return;
    }
  }

  private pullOnce(only?: "critical"): "more" | "idle" | "blocked" {
    const { source, sink } = this;
    const taken = source.take(only);
    if (taken.kind !== "run") return "idle";
    if (sink.send(taken.run)) return "more";
    this.isBlocked = true;
    this.leave();
    source.setBlocked(true);
    void sink.writable().then(() => this.resume());
    return "blocked";
  }

  private waitForTurn(): void {
    this.leaveTurns ??= this.turns.wait(() => {
      this.leaveTurns = undefined;
      this.pull();
    });
  }

  private resume(): void {
    this.isBlocked = false;
    if (this.isStopped) return;
    this.source.setBlocked(false);
    this.pull();
  }
}
