// The one loop between a subscription and its connection. The pump pulls while the peer takes and stops while the peer does not, so waiting events
// stay where they can still merge (AAEP §8.8). At the end of the subscription it pulls what is still pending. The content of deliveries and their
// encoding are no concern of the pump.
import { type Fault, faultFrom } from "../base/errors.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { DeliverySource, DeliveryStream, EndReason } from "../contracts/protocol.js";
import type { NamedSubscription, PendingDeliveries } from "../engine/subscriptions/subscription-spec.js";
import type { Turns } from "../engine/time/turns.js";
import { checkpointBatch, type DeliveryBatch, withCheckpoint } from "../engine/views/delivery.js";

export interface DeliverySink {
  /** Hands a batch over. False: take no more until `writable` resolves. */
  readonly send: (batch: DeliveryBatch) => boolean;
  readonly writable: () => Promise<void>;
  /** Reports an internal error: a delivery could not be made. The pump has stopped; only this connection is to end. */
  readonly failed: (fault: Fault) => void;
  /** The engine has ended the subscription. */
  readonly ended: (reason: EndReason) => void;
}

/** The services that all pumps share. */
export interface PumpServices {
  readonly clock: Clock;
  readonly sendingTurns: Turns;
}

/** The shortest time between two checkpoints of one subscription, and the longest from a hand-over to the next checkpoint (R17). */
const CHECKPOINT_EVERY_MS: Millis = 1000;
/** After this time without a checkpoint the pump looks whether the place moved, as it does if events were only held back. */
const QUIET_MS: Millis = 15_000;
/** A little less than a second: the source reads the clock before the pump does, and may be paced at exactly a second. */
const DUE_AFTER_MS: Millis = CHECKPOINT_EVERY_MS - 1;

/** Default time limit for the end of a subscription, ms. */
export const LAST_WORDS_MS: Millis = 10_000;
/** Time reserved for the close, so that a slow peer receives the close too: this long, or a quarter of the time limit if that is less. */
const CLOSING_MS: Millis = 500;

/** The end of a subscription, while its pending deliveries are handed over. */
interface HandOver {
  readonly pending: PendingDeliveries;
  readonly settle: (leftCount: number) => void;
}

/**
 * Pulls from the subscription that has joined and hands over to a sink, until `stop`. A turn without room left delivers only critical events; the
 * rest follows in the pump's own turn (R34).
 */
export class Pump implements DeliveryStream {
  private source: DeliverySource | undefined;
  private handingOver: HandOver | undefined;
  private readonly sink: DeliverySink;
  private readonly services: PumpServices;
  private leaveTurns: (() => void) | undefined;
  private isQueued = false;
  private isBlocked = false;
  private isStopped = false;
  // When the place was last sent or checked.
  private lastToldAt: Millis = Number.NEGATIVE_INFINITY;
  private isPlaceDue = false;
  /** Whether events were handed over since then. */
  private isPlaceOwed = false;
  private cancelLook = (): void => {};

  constructor(sink: DeliverySink, services: PumpServices) {
    this.sink = sink;
    this.services = services;
  }

  join(source: DeliverySource): void {
    this.source = source;
    if (this.isBlocked) source.setBlocked(true);
    this.wake();
  }

  /** A subscription that has not taken the stream over, or has lost it, does not end the stream. */
  ended(reason: EndReason, subscription: NamedSubscription): void {
    this.services.clock.afterTurn(() => {
      if (subscription.id === this.source?.id) this.sink.ended(reason);
    });
  }

  /** Pulls after the running call has returned, once for any number of calls. */
  wake(): void {
    if (this.isQueued || this.isBlocked || this.isStopped) return;
    this.isQueued = true;
    this.services.clock.afterCall(this.pull);
  }

  /**
   * Hands over the pending deliveries of the subscription that ends, as the peer takes them, until none is left, the time is over (R8a) or the pump
   * is stopped. `until`: an instant of the clock, ms; default: in 10 s. Resolves with an upper bound of the events that were left, and then the pump
   * has stopped.
   */
  handOver(pending: PendingDeliveries, until?: Millis): Promise<number> {
    const { clock } = this.services;
    const limit = until ?? clock.now() + LAST_WORDS_MS;
    const lastAt = limit - Math.max(0, Math.min(CLOSING_MS, (limit - clock.now()) / 4));
    this.source = undefined;
    this.cancelLook();
    return new Promise((resolve) => {
      const cancel = clock.wakeAt(lastAt, () => this.stop());
      const settle = (leftCount: number): void => {
        cancel();
        resolve(leftCount);
      };
      this.handingOver = { pending, settle };
      // Perhaps nothing is pending: asked also while the peer takes nothing.
      this.isBlocked = false;
      this.pull();
    });
  }

  stop(): void {
    const { handingOver } = this;
    this.isStopped = true;
    this.handingOver = undefined;
    this.leave();
    this.cancelLook();
    handingOver?.settle(handingOver.pending.leftCount());
  }

  private leave(): void {
    this.leaveTurns?.();
    this.leaveTurns = undefined;
  }

  /** A turn without room has some for critical events alone. `isInvited`: the pump has waited for this turn. */
  private readonly pull = (isInvited = false): void => {
    this.isQueued = false;
    if (this.isStopped || this.isBlocked) return;
    const { sendingTurns } = this.services;
    // A pump that waits for its turn keeps its place in the line, whatever wakes it.
    const hasRoom = isInvited || (this.leaveTurns === undefined && sendingTurns.enter());
    try {
      let state = this.pullOnce(hasRoom ? undefined : "critical");
      while (hasRoom && state === "more" && sendingTurns.enter()) state = this.pullOnce();
      if (state === "more" || (state === "idle" && !hasRoom)) this.waitForTurn();
    } catch (caught) {
      // The clock calls this method, so an uncaught error here would end the daemon for everybody.
      this.stop();
      this.sink.failed(faultFrom(caught));
    }
  };

  private pullOnce(only?: "critical"): "more" | "idle" | "blocked" {
    const { source } = this;
    if (source === undefined) return only === undefined ? this.drainOnce() : "idle";
    const taken = source.take(only);
    let batch = taken.kind === "batch" ? taken.batch : undefined;
    if (source.terms.checkpoints)
      batch = batch === undefined ? this.placeAlone(source, only) : this.withPlace(source, batch);
    if (batch === undefined) return "idle";
    if (!this.sink.send(batch)) return this.block();
    return taken.kind === "batch" && taken.isAll ? "idle" : "more";
  }

  private drainOnce(): "more" | "idle" | "blocked" {
    const { handingOver } = this;
    const drained = handingOver?.pending.drain();
    switch (drained?.kind) {
      case undefined:
        return "idle";
      case "batch":
        return this.sink.send(drained.batch) ? "more" : this.block();
      case "later":
        // The rest is still being read.
        this.waitForTurn();
        return "idle";
      case "done":
        this.stop();
        return "idle";
    }
  }

  private block(): "blocked" {
    this.isBlocked = true;
    this.leave();
    this.source?.setBlocked(true);
    void this.sink.writable().then(() => this.resume());
    return "blocked";
  }

  /** Adds the checkpoint to the batch if it is due (R17). */
  private withPlace(source: DeliverySource, batch: DeliveryBatch): DeliveryBatch {
    const { services } = this;
    const now = services.clock.now();
    const isDue = this.isPlaceDue || now - this.lastToldAt >= DUE_AFTER_MS;
    const checkpoint = source.checkpoint(isDue);
    // A place that does not move is checked no more often than one that moves (R34).
    if (isDue || checkpoint !== undefined) this.told(now);
    if (checkpoint !== undefined) return withCheckpoint(batch, checkpoint);
    if (!this.isPlaceOwed) this.lookAt(now + CHECKPOINT_EVERY_MS);
    this.isPlaceOwed = true;
    return batch;
  }

  /** Returns the checkpoint alone, after there was nothing to take. */
  private placeAlone(source: DeliverySource, only: "critical" | undefined): DeliveryBatch | undefined {
    if (only !== undefined) return undefined;
    const { services } = this;
    if (this.lastToldAt === Number.NEGATIVE_INFINITY) {
      // The message that accepted the subscription reported the place.
      this.told(services.clock.now());
    }
    const isDue = this.isPlaceDue;
    const checkpoint = source.checkpoint(isDue);
    if (isDue || checkpoint !== undefined) this.told(services.clock.now());
    return checkpoint && checkpointBatch(checkpoint);
  }

  private told(now: Millis): void {
    this.isPlaceDue = false;
    this.isPlaceOwed = false;
    this.lastToldAt = now;
    this.lookAt(now + QUIET_MS);
  }

  private lookAt(at: Millis): void {
    this.cancelLook();
    this.cancelLook = this.services.clock.wakeAt(at, () => {
      this.isPlaceDue = true;
      this.wake();
    });
  }

  private waitForTurn(): void {
    this.leaveTurns ??= this.services.sendingTurns.wait(() => {
      this.leaveTurns = undefined;
      this.pull(true);
    });
  }

  private resume(): void {
    this.isBlocked = false;
    if (this.isStopped) return;
    this.source?.setBlocked(false);
    this.pull();
  }
}
