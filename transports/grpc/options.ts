import type { Log } from "../../src/contracts/log.js";
import type { Admit, DescribeFault, ServiceMethod } from "../../src/contracts/service.js";
import type { ServiceAddress } from "../../src/contracts/transport.js";
import { type After, assertWithin, platformAfter } from "../framing/options.js";
import type { ServiceListenOptions } from "../service-calls/listen.js";

export interface GrpcOptions extends ServiceListenOptions {
  readonly address: ServiceAddress;
  /** The methods to serve. Health checks and reflection are added. */
  readonly methods: readonly ServiceMethod[];
  /**
   * Called for every call before it is served, including `HEALTH_PATHS` and reflection. Default: admits every call, as on a Unix socket, where the
   * mode of the file has decided.
   */
  readonly admit?: Admit;
  /** Makes the typed detail of a status (R20). */
  readonly describeFault: DescribeFault;
  /** Receives internal errors, of which a status reports only that there was one, and calls refused before they were served. */
  readonly log: Pick<Log, "error" | "debug">;
  /** Largest accepted message, bytes, 1 to 16,777,215. Default 1 MiB + 16 KiB. A larger one ends its call with RESOURCE_EXHAUSTED. */
  readonly maxMessageBytes?: number;
  /** Most metadata of a call, bytes, plus 32 for each entry, 1,024 and up; at most 128 entries. Default 16,384. */
  readonly maxMetadataBytes?: number;
  /** Streams at a time on one connection, 1 and up. Further streams wait at the client. Default 2,048. */
  readonly maxStreams?: number;
  /** Bytes that may wait for the client of a stream before `send` answers false. Default 65,536. */
  readonly highWaterMarkBytes?: number;
  /** Most bytes that may wait in all, for senders that continue after a false. Beyond it the connection is closed. Default 16 MiB. */
  readonly maxBufferedBytes?: number;
  /**
   * Time limit for handed-over data to leave when a stream is closed, and of `drain` for calls under way, ms. After it the connection is closed.
   * Default 2,000.
   */
  readonly closeTimeoutMs?: number;
  /** Interval of the pings that detect a vanished client, ms, 1 and up. Default 30,000. */
  readonly keepaliveIntervalMs?: number;
  /** How long a client may take to answer a ping, ms, 1 and up. After it the connection is ended. Default 10,000. */
  readonly keepaliveTimeoutMs?: number;
  /** The timer of `closeTimeoutMs` and `silentConnectionMs`. Default: the platform's. Pings and the deadlines of clients use the library's own. */
  readonly after?: After;
}

export type ResolvedGrpcOptions = Required<Omit<GrpcOptions, Exclude<keyof ServiceListenOptions, "after">>> &
  ServiceListenOptions;

const MIB = 1024 * 1024;
/** The longest delay that the platform's timers take. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Fills in defaults. Throws a Fault "usage" for values out of range. */
export function resolveGrpcOptions(options: GrpcOptions): ResolvedGrpcOptions {
  const resolved: ResolvedGrpcOptions = {
    ...options,
    admit: options.admit ?? (() => undefined),
    maxMessageBytes: options.maxMessageBytes ?? MIB + 16 * 1024,
    maxMetadataBytes: options.maxMetadataBytes ?? 16 * 1024,
    maxStreams: options.maxStreams ?? 2048,
    highWaterMarkBytes: options.highWaterMarkBytes ?? 64 * 1024,
    maxBufferedBytes: options.maxBufferedBytes ?? 16 * MIB,
    closeTimeoutMs: options.closeTimeoutMs ?? 2000,
    keepaliveIntervalMs: options.keepaliveIntervalMs ?? 30_000,
    keepaliveTimeoutMs: options.keepaliveTimeoutMs ?? 10_000,
    after: options.after ?? platformAfter,
  };
  assertWithin("maxMessageBytes", resolved.maxMessageBytes, 1, 16 * MIB - 1);
  assertWithin("maxMetadataBytes", resolved.maxMetadataBytes, 1024, 16 * MIB - 1);
  assertWithin("maxStreams", resolved.maxStreams, 1, 0x7f_ff_ff_ff);
  assertWithin("maxBufferedBytes", resolved.maxBufferedBytes, 1, Number.MAX_SAFE_INTEGER);
  assertWithin("highWaterMarkBytes", resolved.highWaterMarkBytes, 1, resolved.maxBufferedBytes);
  assertWithin("closeTimeoutMs", resolved.closeTimeoutMs, 0, 600_000);
  assertWithin("keepaliveIntervalMs", resolved.keepaliveIntervalMs, 1, LONGEST_TIMER_MS - 1);
  assertWithin("keepaliveTimeoutMs", resolved.keepaliveTimeoutMs, 1, LONGEST_TIMER_MS - 1);
  return resolved;
}
