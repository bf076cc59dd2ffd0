// Time: the platform's timers, waits that can be cut short, and how long to wait before the next attempt.
import type { Fault } from "../base/errors.js";
import type { Clock } from "../contracts/clock.js";

/** The part of a clock that the clients need. */
export type Timers = Pick<Clock, "now" | "wakeAt">;

/** The longest wait that a timer can be set to, ms. */
const LONGEST_TIMER_MS = 0x7fff_ffff;

/** The platform's timers, in Node and in browsers alike. A pending wake-up keeps a Node process running. */
export const PLATFORM_TIMERS: Timers = timersThat(() => {});

/** The platform's timers, for wake-ups that keep no Node process running. */
export const QUIET_TIMERS: Timers = timersThat((timer) => timer.unref?.());

function timersThat(begin: (timer: { readonly unref?: () => void }) => void): Timers {
  return {
    now: () => performance.now(),
    wakeAt: (at, wake) => {
      const timer = setTimeout(wake, Math.min(Math.max(0, at - performance.now()), LONGEST_TIMER_MS));
      begin(timer);
      return () => clearTimeout(timer);
    },
  };
}

/** Keeps a Node process running for so long, ms, because a caller waits. Returns the function that ends it. */
export function keepRunning(forMs: number): () => void {
  const timer = setTimeout(() => {}, Math.min(forMs, LONGEST_TIMER_MS));
  return () => clearTimeout(timer);
}

/** A wait between two attempts that can be cut short. */
export class Pause {
  readonly #timers: Timers;
  #cutShort = (): void => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  take(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#timers.wakeAt(this.#timers.now() + milliseconds, () => resolve());
      this.#cutShort = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Ends the current wait. */
  cutShort(): void {
    this.#cutShort();
  }
}

export interface BackOffOptions {
  /** The longest wait before the first retry, ms. Default 100. The wait doubles with every further retry. */
  readonly firstMs?: number;
  /** The upper limit of all waits, ms. Default 1000: on one machine an attempt costs nothing, and an agent may be there for a moment only. */
  readonly longestMs?: number;
}

/**
 * Milliseconds before retry number `retry` (from 0). `chance` is from [0, 1) and decides half of the wait, so that clients that lost one daemon
 * together do not all return at the same moment.
 */
export function backOffMs(retry: number, chance: number, options: BackOffOptions = {}): number {
  const { firstMs = 100, longestMs = 1000 } = options;
  const longest = Math.min(longestMs, firstMs * 2 ** Math.min(retry, 30));
  return Math.round(longest * (0.5 + chance / 2));
}

/** Whether the address itself is wrong or forbidden, so that no further attempt will help. */
export function isHopeless({ code }: Fault): boolean {
  return code === "address_invalid" || code === "permission_denied";
}
