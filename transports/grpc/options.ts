import type { Log } from "../../src/contracts/log.js";
import type { Admit, DescribeFault, ServiceMethod } from "../../src/contracts/service.js";
import type { ServiceAddress } from "../../src/contracts/transport.js";
import { type After, platformAfter } from "../framing/options.js";
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
  /** Largest accepted message, bytes. Default 1 MiB + 16 KiB. A larger one ends its call with RESOURCE_EXHAUSTED. */
  readonly maxMessageBytes?: number;
  /** Streams at a time on one connection. Further streams wait at the client. Default 2,048. */
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
  /** Interval of the pings that detect a vanished client, ms. Default 30,000. */
  readonly keepaliveIntervalMs?: number;
  /** How long a client may take to answer a ping, ms. After it the connection is ended. Default 10,000. */
  readonly keepaliveTimeoutMs?: number;
  /** The timer of `closeTimeoutMs` and `silentConnectionMs`. Default: the platform's. Pings and the deadlines of clients use the library's own. */
  readonly after?: After;
}

export type ResolvedGrpcOptions = Required<Omit<GrpcOptions, Exclude<keyof ServiceListenOptions, "after">>> &
  ServiceListenOptions;

export function resolveGrpcOptions(options: GrpcOptions): ResolvedGrpcOptions {
  return {
    admit: () => undefined,
    maxMessageBytes: (1024 + 16) * 1024,
    maxStreams: 2048,
    highWaterMarkBytes: 64 * 1024,
    maxBufferedBytes: 16 * 1024 * 1024,
    closeTimeoutMs: 2000,
    keepaliveIntervalMs: 30_000,
    keepaliveTimeoutMs: 10_000,
    after: platformAfter,
    ...options,
  };
}
