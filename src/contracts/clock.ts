/** Milliseconds on a monotonic clock. Only differences have meaning. */
export type Millis = number;

/** Time, passed in (R24). Nothing in the pure folders reads a clock of its own. */
export interface Clock {
  readonly now: () => Millis;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly wallTime: () => number;
  /** Calls `wake` once at or after `at`. Returns the cancellation. */
  readonly wakeAt: (at: Millis, wake: () => void) => () => void;
  /** Calls `run` once after the running call, in the same turn of the event loop; work that this turn brings later waits for its end. */
  readonly afterCall: (run: () => void) => void;
  /** Tells the turns of the event loop apart: the same number throughout a turn, and another in every later one. */
  readonly turnNumber: () => number;
  /** Calls `run` once after the current turn of the event loop, so that writes of one turn leave together. */
  readonly afterTurn: (run: () => void) => void;
}
