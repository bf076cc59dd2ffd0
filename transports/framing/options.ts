import { usage } from "../../src/base/errors.js";
import { DEFAULT_MAX_FRAME_BYTES, type Framing, LARGEST_MAX_FRAME_BYTES } from "./framings.js";

/** Calls `run` once after `milliseconds`; returns the cancellation. Passed in, so that deadlines are tested without sleeping (R24). */
export type After = (milliseconds: number, run: () => void) => () => void;

export interface ByteConnectionOptions {
  /** The framing until the peer's first byte shows its own; from then on the peer's (R23). Default "length-prefixed". */
  readonly framing?: Framing;
  /** Whether the peer keeps to `framing` "newline" whatever its first byte is, so that a line of another kind is a frame too. Default false. */
  readonly isLinesOnly?: boolean;
  /**
   * Largest accepted frame, without its framing, 1 to 16,777,215 bytes. Default 1 MiB + 16 KiB. A larger one ends the frames with
   * `message_too_large`.
   */
  readonly maxFrameBytes?: number;
  /** Default time limit of `close` for handed-over data to leave, ms. After it the rest is dropped. Default 2000. */
  readonly closeTimeoutMs?: number;
  /** The timer for that. Default: the platform's. */
  readonly after?: After;
}

export type ResolvedByteConnectionOptions = Required<ByteConnectionOptions>;

/** Fills in defaults. Throws a Fault "usage" for values out of range. */
export function resolveByteConnectionOptions(options: ByteConnectionOptions): ResolvedByteConnectionOptions {
  const resolved = {
    framing: options.framing ?? "length-prefixed",
    isLinesOnly: options.isLinesOnly ?? false,
    maxFrameBytes: options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES,
    closeTimeoutMs: options.closeTimeoutMs ?? 2000,
    after: options.after ?? platformAfter,
  };
  assertWithin("maxFrameBytes", resolved.maxFrameBytes, 1, LARGEST_MAX_FRAME_BYTES);
  assertWithin("closeTimeoutMs", resolved.closeTimeoutMs, 0, 600_000);
  return resolved;
}

/** Throws a Fault "usage" unless `value` is a whole number from `least` to `most` */
function assertWithin(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw usage(`${name} is ${value}. Give a whole number from ${least} to ${most}.`);
}

/** The platform's timer. It never keeps the process running by itself. */
export function platformAfter(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
