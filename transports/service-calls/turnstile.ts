// One read of 64 KiB can bring 1,400 requests, and the bodies of many can be whole at once: served in one turn of the event loop, they would delay
// all other peers.

/** Longest time of a turn in which further calls begin, ms (R34). */
const TURN_MS = 2;

/** Lets few calls begin in a turn, connection by connection. */
export interface Turnstile {
  /**
   * Calls `run` in this turn or a later one, after earlier calls of the same `from`. False: too many of its calls already wait, and `run` is not
   * called.
   */
  readonly pass: (from: object, run: () => void) => boolean;
}

export interface TurnstileOptions {
  /** Calls that begin in one turn, of all connections together. Default 32. */
  readonly mostATurn?: number;
  /** Most waiting calls of one connection. */
  readonly mostWaiting: number;
  /** The time, in ms. Default: that of the platform. */
  readonly now?: () => number;
}

export function createTurnstile({
  mostATurn = 32,
  mostWaiting,
  now = () => performance.now(),
}: TurnstileOptions): Turnstile {
  /** In the order in which the connections come next. */
  const waiting = new Map<object, (() => void)[]>();
  let passed = 0;
  let begunAt = 0;
  let isTurnDue = false;

  const hasRoom = (): boolean => passed === 0 || (passed < mostATurn && now() - begunAt < TURN_MS);

  function countOne(): void {
    if (passed === 0) begunAt = now();
    passed += 1;
    if (isTurnDue) return;
    isTurnDue = true;
    setImmediate(takeTurn);
  }

  function takeTurn(): void {
    passed = 0;
    isTurnDue = false;
    while (hasRoom()) {
      const next = waiting.entries().next();
      if (next.done === true) return;
      const [from, runs] = next.value;
      const run = runs.shift();
      // Moves the connection behind all others.
      waiting.delete(from);
      if (runs.length > 0) waiting.set(from, runs);
      countOne();
      run?.();
    }
  }

  return {
    pass: (from, run) => {
      if (waiting.size === 0 && hasRoom()) {
        countOne();
        run();
        return true;
      }
      const runs = waiting.get(from);
      if (runs === undefined) waiting.set(from, [run]);
      else if (runs.length < mostWaiting) runs.push(run);
      else return false;
      return true;
    },
  };
}
