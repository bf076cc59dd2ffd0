import type { AbortSignalLike } from "../../src/contracts/rpc.js";

/** An abort signal for one call. Lighter than the platform's, of which a busy agent would need a hundred thousand a second. */
export interface CallSignal extends AbortSignalLike {
  /** Tells every listener once. */
  readonly abort: () => void;
}

export function createCallSignal(aborted: boolean): CallSignal {
  let isAborted = aborted;
  let listeners: (() => void)[] | undefined;
  return {
    get aborted() {
      return isAborted;
    },
    addEventListener: (_type, listener) => {
      listeners ??= [];
      listeners.push(listener);
    },
    abort: () => {
      if (isAborted) return;
      isAborted = true;
      const told = listeners ?? [];
      listeners = undefined;
      for (const listener of told) listener();
    },
  };
}
