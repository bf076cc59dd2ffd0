import type { Fault } from "../../src/base/errors.js";

/** The read side of a call: what its client sends, taken only while somebody asks (G2). */
export interface CallInbox {
  readonly frames: AsyncIterable<readonly Uint8Array[]>;
  /** Ends the iteration, and passes over what comes from now on. */
  readonly stop: () => void;
  /** Ends the iteration with `fault`, after the frames already read. */
  readonly fail: (fault: Fault) => void;
}

/** What is read from of a call. */
export interface ReadableCall {
  readonly read: () => unknown;
  /** Whether it is over: then `stop` or `fail` will be called. */
  readonly cancelled: boolean;
  readonly on: (event: "readable" | "end", listener: () => void) => unknown;
}

type Batch = readonly Uint8Array[];
type Ending =
  | { readonly kind: "open" }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly fault: Fault };

/** So that handling what one read brought keeps nobody waiting. */
const MOST_FRAMES_AT_ONCE = 256;

/** `onEnd` is called once when the client has sent all it will send. */
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
      // The library ends the messages of a call that broke as if its client had ended them, and then tells that it broke.
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

/** The frames of a call that has one message only. */
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
