// The time for which a peer has taken nothing, and its limit (R18).
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Epoch } from "../event/event.js";
import type { Lag, LagLimits } from "./subscription-spec.js";

const NO_LAG: Lag = { ms: 0, eventCount: 0 };

/** A class, because there is one for each subscription. */
export class PeerLag {
  /** The instant since which the peer takes nothing; undefined while it takes. */
  since: Millis | undefined;
  private sinceHead: Epoch = 0;
  private last = NO_LAG;
  private isOver = false;

  begin(now: Clock["now"], head: Epoch): Millis {
    this.since = now();
    this.sinceHead = head;
    return this.since;
  }

  /** The present lag; of a peer that was given up, its lag at that moment. A pause does not count (R26). */
  now(isPaused: boolean, now: Clock["now"], head: Epoch): Lag {
    if (this.since === undefined || isPaused) return this.isOver ? this.last : NO_LAG;
    return { ms: now() - this.since, eventCount: head - this.sinceHead };
  }

  /** Whether the lag exceeds a limit for the first time. */
  exceeds(limits: LagLimits, isPaused: boolean, now: Clock["now"], head: Epoch): boolean {
    if (this.since === undefined || this.isOver || isPaused) return false;
    const lag = this.now(isPaused, now, head);
    if (lag.ms < limits.maxMs && lag.eventCount < limits.maxEvents) return false;
    this.last = lag;
    this.isOver = true;
    return true;
  }
}
