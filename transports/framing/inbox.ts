import type { Readable } from "node:stream";
import type { Fault } from "../../src/base/errors.js";
import type { FrameDecoder } from "./decoder.js";

/** The read side of a byte connection. Reads only while somebody asks for frames; holds at most what one read brought. */
export interface Inbox {
  /** What one read brought, at most `MOST_FRAMES_AT_ONCE` at a time, each in a turn of the event loop of its own. */
  readonly frames: AsyncIterable<readonly Uint8Array[]>;
  /** Ends the iteration without an error and throws away what comes in from now on. */
  readonly stop: () => void;
  /** Ends the iteration with `fault`, after the frames already read. */
  readonly fail: (fault: Fault) => void;
}

type Batch = readonly Uint8Array[];

/** One read of 64 KiB can bring 32,768 frames: handled in one turn, they would keep everybody else waiting for seconds. */
export const MOST_FRAMES_AT_ONCE = 256;

type Ending =
  | { readonly kind: "open" }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly fault: Fault };

/** `onEnd` is called once when the peer's stream has ended, with the decoder's fault where it ended in mid-frame or was lost. */
export function createInbox(stream: Readable, decoder: FrameDecoder, onEnd: (fault: Fault | undefined) => void): Inbox {
  const read: Batch[] = [];
  let ending: Ending = { kind: "open" };
  let asked:
    | { readonly resolve: (result: IteratorResult<Batch>) => void; readonly reject: (fault: Fault) => void }
    | undefined;
  let listening = false;

  function take(chunk: Uint8Array): void {
    if (ending.kind !== "open") return;
    const decoded = decoder.push(chunk);
    for (let at = 0; at < decoded.frames.length; at += MOST_FRAMES_AT_ONCE)
      read.push(decoded.frames.slice(at, at + MOST_FRAMES_AT_ONCE));
    if (decoded.fault !== undefined) {
      end({ kind: "failed", fault: decoded.fault });
      onEnd(decoded.fault);
    }
    answer();
    // The consumer is busy: the peer waits with it (G2).
    if (asked === undefined) stream.pause();
  }

  function end(how: Ending): void {
    if (ending.kind === "open") ending = how;
  }

  /** Gives the waiting consumer what there is to give. */
  function answer(): void {
    if (asked === undefined) return;
    const { resolve, reject } = asked;
    const batch = read.shift();
    if (batch !== undefined) {
      asked = undefined;
      resolve({ done: false, value: batch });
    } else if (ending.kind === "failed") {
      asked = undefined;
      const { fault } = ending;
      ending = { kind: "done" };
      reject(fault);
    } else if (ending.kind === "done") {
      asked = undefined;
      resolve({ done: true, value: undefined });
    }
  }

  function listen(): void {
    listening = true;
    stream.on("data", take);
  }

  stream.on("end", () => {
    if (ending.kind !== "open") return;
    const fault = decoder.end();
    end(fault === undefined ? { kind: "done" } : { kind: "failed", fault });
    onEnd(fault);
    answer();
  });

  const iterator: AsyncIterator<Batch> = {
    next: () =>
      new Promise((resolve, reject) => {
        asked = { resolve, reject };
        if (read.length > 0) {
          // The rest of a read: others first.
          setImmediate(answer);
          return;
        }
        answer();
        if (asked === undefined) return;
        if (!listening) listen();
        stream.resume();
      }),
    return: () => {
      stream.pause();
      return Promise.resolve({ done: true, value: undefined });
    },
  };

  return {
    frames: { [Symbol.asyncIterator]: () => iterator },
    stop: () => {
      read.length = 0;
      ending = { kind: "done" };
      stream.off("data", take);
      stream.resume();
      answer();
    },
    fail: (fault) => {
      end({ kind: "failed", fault });
      answer();
    },
  };
}
