// Passes the calls of a peer to their handlers: all calls of a read in the turn in which it came. No more is read until they are handled.
// After a costly call the rest waits for the next turn.
import { type Fault, faultFrom } from "../../src/base/errors.js";
import type { Connection } from "../../src/contracts/transport.js";
import { createIncomingParser, type Incoming } from "./incoming.js";

export type IncomingCall = Extract<Incoming, { readonly kind: "call" }>;
export type IncomingRefused = Extract<Incoming, { readonly kind: "refused" }>;
export type IncomingAnswer = Extract<Incoming, { readonly kind: "answer" }>["message"];

export interface FrameReaderOptions {
  /** `isCancelled`: the peer cancelled the call in the same read. Must not throw. */
  readonly onCall: (call: IncomingCall, isCancelled: boolean) => void;
  /** Receives the answers of one read to requests of this side. */
  readonly onAnswers: (messages: readonly IncomingAnswer[]) => void;
  /** Called before any call of the same read. */
  readonly onCancelled: (id: string | number) => void;
  /** Answers a message that cannot be taken, in its place among the calls. */
  readonly onRefused: (message: IncomingRefused) => void;
  /** Returns a promise that resolves when the next messages may be handled; undefined: at once. */
  readonly ready: () => Promise<void> | undefined;
  /** Whether this call may cost so much that other peers come first. */
  readonly isCostly: (method: string, params: unknown) => boolean;
  /** Returns a promise that resolves when the next call may be handled; undefined: at once. */
  readonly room: () => Promise<void> | undefined;
  /** Called after everything received has been passed on, with the fault that ended the frames, if any. */
  readonly onEnd: (fault: Fault | undefined) => void;
}

export interface FrameReader {
  /** Passes no further message on. */
  readonly stop: () => void;
}

/** Nothing is passed on before this function has returned. */
export function createFrameReader(frames: Connection<Uint8Array>["frames"], options: FrameReaderOptions): FrameReader {
  const parse = createIncomingParser();
  let stopped = false;

  /** Handles the messages of one read. Returns a promise if that continues in later turns. */
  function handleTogether(batch: readonly Uint8Array[]): Promise<void> | undefined {
    const calls: (IncomingCall | IncomingRefused)[] = [];
    let answers: IncomingAnswer[] | undefined;
    let cancelled: Set<string | number> | undefined;
    for (const frame of batch) {
      const incoming = parse(frame);
      switch (incoming.kind) {
        case "call":
        case "refused":
          calls.push(incoming);
          break;
        case "answer":
          answers ??= [];
          answers.push(incoming.message);
          break;
        case "cancellation":
          cancelled ??= new Set();
          cancelled.add(incoming.id);
          options.onCancelled(incoming.id);
          break;
        case "ignored":
          break;
      }
    }
    if (answers !== undefined) options.onAnswers(answers);
    const rest = handOver(calls, 0, cancelled);
    return rest === calls.length ? undefined : handOverLater(calls, rest, cancelled);
  }

  /** Passes calls on from `at`, up to the first that is costly or leaves no room for more. Returns where it stopped. */
  function handOver(
    calls: readonly (IncomingCall | IncomingRefused)[],
    at: number,
    cancelled: ReadonlySet<unknown> | undefined,
  ): number {
    for (let index = at; index < calls.length && !stopped; index += 1) {
      const call = calls[index];
      if (call === undefined) break;
      if (call.kind === "refused") {
        options.onRefused(call);
        continue;
      }
      options.onCall(call, cancelled !== undefined && call.id !== undefined && cancelled.has(call.id));
      if (index + 1 === calls.length) break;
      if (options.room() !== undefined || options.isCostly(call.method, call.params)) return index + 1;
    }
    return calls.length;
  }

  async function handOverLater(
    calls: readonly (IncomingCall | IncomingRefused)[],
    from: number,
    cancelled: ReadonlySet<unknown> | undefined,
  ): Promise<void> {
    for (let at = from; at < calls.length; at = handOver(calls, at, cancelled)) await (options.room() ?? nextTurn());
  }

  async function read(): Promise<Fault | undefined> {
    try {
      for await (const batch of frames) {
        if (stopped) return undefined;
        // Only real promises are awaited: each await costs a turn of the queue of promises.
        const handled = handleTogether(batch);
        if (handled !== undefined) await handled;
        const ready = options.ready();
        if (ready !== undefined) await ready;
        const room = options.room();
        if (room !== undefined) await room;
      }
      return undefined;
    } catch (caught) {
      return faultFrom(caught);
    }
  }

  void read().then(options.onEnd);
  return {
    stop: () => {
      stopped = true;
    },
  };
}

/** Resolves after the current turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
