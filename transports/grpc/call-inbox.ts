import type { Fault } from "../../src/base/errors.js";

/** The read side of a call: the client's messages, read only while the consumer asks for them. */
export interface CallInbox {
  readonly frames: AsyncIterable<readonly Uint8Array[]>;
  /** Ends the iteration, and drops further messages. */
  readonly stop: () => void;
  /** Ends the iteration with `fault`, after the frames already read. */
  readonly fail: (fault: Fault) => void;
}

/** The part of a call that is read from. */
export interface ReadableCall {
  readonly read: () => unknown;
  /** Whether the call is over: then `stop` or `fail` will be called. */
  readonly cancelled: boolean;
  readonly on: (event: "readable" | "end", listener: () => void) => unknown;
}

type Batch = readonly Uint8Array[];
type Ending =
  | { readonly kind: "open" }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly fault: Fault };

/** Keeps the handling of one read short, so that other peers need not wait. */
const MOST_FRAMES_AT_ONCE = 256;

/** `onEnd` is called once when the client has sent all its messages. */
export function createCallInbox(call: ReadableCall, onEnd: () => void): CallInbox {
  let ending: Ending = { kind: "open" };
  let asked:
    | { readonly resolve: (result: IteratorResult<Batch>) => void; readonly reject: (fault: Fault) => void }
    | undefined;
  let isListening = false;

  function answer(): void {
    if (asked === undefined) return;
    const { resolve, reject } = asked;
    if (ending.kind === "open") {
      const batch = takeBatch(call);
      if (batch.length === 0) return;
      asked = undefined;
      resolve({ done: false, value: batch });
    } else if (ending.kind === "failed") {
      asked = undefined;
      const { fault } = ending;
      ending = { kind: "done" };
      reject(fault);
    } else {
      asked = undefined;
      resolve({ done: true, value: undefined });
    }
  }

  function end(how: Ending): void {
    if (ending.kind !== "open") return;
    ending = how;
    answer();
  }

  function listen(): void {
    isListening = true;
    call.on("readable", answer);
    call.on("end", () => {
      // If a call breaks, the library ends its messages as if the client had ended them, and reports the break afterwards.
      setImmediate(() => {
        if (call.cancelled || ending.kind !== "open") return;
        onEnd();
        end({ kind: "done" });
      });
    });
  }

  const iterator: AsyncIterator<Batch> = {
    next: () =>
      new Promise((resolve, reject) => {
        asked = { resolve, reject };
        if (!isListening) listen();
        answer();
      }),
    return: () => Promise.resolve({ done: true, value: undefined }),
  };
  return {
    frames: { [Symbol.asyncIterator]: () => iterator },
    stop: () => end({ kind: "done" }),
    fail: (fault) => end({ kind: "failed", fault }),
  };
}

/** The frames of a call that has only one message. */
export function createSingleFrameInbox(frame: Uint8Array, onEnd: () => void): CallInbox {
  let batch: Batch | undefined = [frame];
  const iterator: AsyncIterator<Batch> = {
    next: async () => {
      const value = batch;
      batch = undefined;
      if (value !== undefined) return { done: false, value };
      onEnd();
      return { done: true, value: undefined };
    },
    return: () => Promise.resolve({ done: true, value: undefined }),
  };
  const stop = (): void => {
    batch = undefined;
  };
  return { frames: { [Symbol.asyncIterator]: () => iterator }, stop, fail: stop };
}

function takeBatch(call: ReadableCall): Batch {
  const batch: Uint8Array[] = [];
  while (batch.length < MOST_FRAMES_AT_ONCE) {
    const frame = call.read();
    if (frame === null) break;
    batch.push(frame as Uint8Array);
  }
  return batch;
}
