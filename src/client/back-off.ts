// How long to wait before the next attempt. Own code: it is one formula, and a package would bring timers and loops of its own.
import type { Fault } from "../base/errors.js";

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
