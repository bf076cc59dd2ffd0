// A connection that is being served, as those see it who end it.
import type { Millis } from "../../contracts/clock.js";
import type { EndReason } from "../../contracts/protocol.js";

/** A connection that is being served. */
export interface Served {
  /**
   * Ends it from this side, with everything that is owed on a shutdown, as the peer takes it (R8a). `until`: an instant of the clock, ms; default the
   * protocol's own. Resolves with at most how many messages did not leave in time. Never rejects.
   */
  readonly finish: (reason: EndReason, until?: Millis) => Promise<number>;
  /** Resolves when the peer has ended its side; what it sent has been taken. Never rejects. */
  readonly inputEnded: Promise<void>;
  /** Resolves when it is over. Never rejects. */
  readonly done: Promise<void>;
}
