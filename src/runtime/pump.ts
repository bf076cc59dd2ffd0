// The one loop between a subscription and its connection. It pulls while the peer takes, stops while it does not, and so lets everything that
// waits wait where it can still merge (AAEP §8.8). What must not live here: what is delivered, and how it is written.
import { type Fault, faultFrom } from "../base/errors.js";
import type { Clock } from "../contracts/clock.js";
import type { DeliverySource } from "../contracts/protocol.js";
import type { DeliveryRun } from "../engine/delivery.js";

export interface DeliverySink {
  /** Hands a run over. False: take no more until `writable` resolves. */
  readonly send: (run: DeliveryRun) => boolean;
  readonly writable: () => Promise<void>;
  /** An accident: what was to be sent could not be made. The pump has stopped; only this connection is to end. */
  readonly failed: (fault: Fault) => void;
}

export interface Pump {
  /** Pulls at the end of this turn, once, however often it is called. */
  readonly wake: () => void;
  readonly stop: () => void;
}

/** Joins a source to a sink until `stop`. */
export function createPump(source: DeliverySource, sink: DeliverySink, clock: Pick<Clock, "afterTurn">): Pump {
  let isQueued = false;
  let isBlocked = false;
  let isStopped = false;

  const pull = (): void => {
    isQueued = false;
    if (isStopped || isBlocked) return;
    try {
      pullAll();
    } catch (caught) {
      // Nobody else calls this, so nobody else would catch it, and everybody's daemon would end.
      isStopped = true;
      sink.failed(faultFrom(caught));
    }
  };

  const pullAll = (): void => {
    for (let taken = source.take(); taken.kind === "run"; taken = source.take()) {
      if (sink.send(taken.run)) continue;
      isBlocked = true;
      source.setBlocked(true);
      void sink.writable().then(resume);
      return;
    }
  };

  const resume = (): void => {
    isBlocked = false;
    if (isStopped) return;
    source.setBlocked(false);
    pull();
  };

  return {
    wake: () => {
      if (isQueued || isBlocked || isStopped) return;
      isQueued = true;
      clock.afterTurn(pull);
    },
    stop: () => {
      isStopped = true;
    },
  };
}
