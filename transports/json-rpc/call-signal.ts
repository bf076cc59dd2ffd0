import type { AbortSignalLike } from "../../src/contracts/rpc.js";

/** An abort signal for one call. Lighter than the platform's, of which a busy agent would need a hundred thousand a second. */
export interface CallSignal extends AbortSignalLike {
  /** Calls every listener once. */
  readonly abort: (reason: "cancelled" | "ended") => void;
}

/** `given`: the reason of a signal that is aborted from the beginning. */
export function createCallSignal(given?: "cancelled" | "ended"): CallSignal {
  let reason = given;
  let listeners: (() => void)[] | undefined;
  return {
    get aborted() {
      return reason !== undefined;
    },
    get reason() {
      return reason;
    },
    addEventListener: (_type, listener) => {
      listeners ??= [];
      listeners.push(listener);
    },
    abort: (why) => {
      if (reason !== undefined) return;
      reason = why;
      const told = listeners ?? [];
      listeners = undefined;
      for (const listener of told) listener();
    },
  };
}
