import type { Log } from "../../src/contracts/log.js";
import type { DescribeFault, ServiceMethod } from "../../src/contracts/service.js";
import { type After, assertWithin, platformAfter } from "../framing/options.js";

export interface ConnectOptions {
  readonly methods: readonly ServiceMethod[];
  readonly describeFault: DescribeFault;
  /** Receives internal errors, of which a peer learns only that there was one. */
  readonly log: Log;
  /** Largest accepted message, 1 to 4,294,967,295 bytes. A larger one is refused as `message_too_large`. */
  readonly maxMessageBytes: number;
  /** Longest delay of a stream's end by a peer that does not read, ms. */
  readonly closeTimeoutMs: number;
  /** Whether compressed requests are accepted, and messages of 1 KiB or more are compressed for clients that offer gzip. Default false. */
  readonly compression?: boolean;
  /** Longest wait for the message of a unary call, ms. Read each time. Default 30,000. */
  readonly silentConnectionMs?: () => number;
  /** Bytes that may wait for a stream's peer before `send` answers false. At least the stream's own buffer. Default 65,536. */
  readonly highWaterMarkBytes?: number;
  /** Most bytes that may wait in all, for senders that continue after a false. Beyond it the call is cut off. Default 16 MiB. */
  readonly maxBufferedBytes?: number;
  /** The timer for all of these. Default: the platform's. */
  readonly after?: After;
}

export type ResolvedConnectOptions = Required<ConnectOptions>;

const LARGEST_MESSAGE = 0xff_ff_ff_ff;
const LONGEST_MS = 2 ** 31 - 1;

/** Fills in defaults. Throws a Fault "usage" for values out of range. */
export function resolveConnectOptions(options: ConnectOptions): ResolvedConnectOptions {
  const resolved: ResolvedConnectOptions = {
    methods: options.methods,
    describeFault: options.describeFault,
    log: options.log,
    maxMessageBytes: options.maxMessageBytes,
    closeTimeoutMs: options.closeTimeoutMs,
    compression: options.compression ?? false,
    silentConnectionMs: options.silentConnectionMs ?? (() => 30_000),
    highWaterMarkBytes: options.highWaterMarkBytes ?? 64 * 1024,
    maxBufferedBytes: options.maxBufferedBytes ?? 16 * 1024 * 1024,
    after: options.after ?? platformAfter,
  };
  assertWithin("maxMessageBytes", resolved.maxMessageBytes, 1, LARGEST_MESSAGE);
  assertWithin("closeTimeoutMs", resolved.closeTimeoutMs, 0, LONGEST_MS);
  assertWithin("silentConnectionMs", resolved.silentConnectionMs(), 1, LONGEST_MS);
  assertWithin("highWaterMarkBytes", resolved.highWaterMarkBytes, 1, resolved.maxBufferedBytes);
  assertWithin("maxBufferedBytes", resolved.maxBufferedBytes, 1, Number.MAX_SAFE_INTEGER);
  return resolved;
}
