import type { Log } from "../../src/contracts/log.js";
import type { Admit, DescribeFault, ServiceMethod } from "../../src/contracts/service.js";
import type { ServiceAddress } from "../../src/contracts/transport.js";
import { type After, platformAfter } from "../framing/options.js";
import type { ServiceListenOptions } from "../service-calls/listen.js";

const LIMITS = {
  /** Streams at a time on one connection. Further streams wait at the client. */
  maxStreams: 2048,
  /** Interval of the pings that detect a vanished client, ms. */
  keepaliveIntervalMs: 30_000,
  /** How long a client may take to answer a ping, ms. After it the connection is ended. */
  keepaliveTimeoutMs: 10_000,
};

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
  /**
   * Time limit for handed-over data to leave when a stream is closed, and of `drain` for calls under way, ms. After it the connection is closed.
   * Default 2,000.
   */
  readonly closeTimeoutMs?: number;
  /** Other limits than `LIMITS`, for tests. */
  readonly limits?: Partial<typeof LIMITS>;
  /** The timer of `closeTimeoutMs` and `silentConnectionMs`. Default: the platform's. Pings and the deadlines of clients use the library's own. */
  readonly after?: After;
}

export type ResolvedGrpcOptions = Required<Omit<GrpcOptions, "limits" | Exclude<keyof ServiceListenOptions, "after">>> &
  ServiceListenOptions & { readonly limits: typeof LIMITS };

export function resolveGrpcOptions(options: GrpcOptions): ResolvedGrpcOptions {
  return {
    admit: () => undefined,
    maxMessageBytes: (1024 + 16) * 1024,
    closeTimeoutMs: 2000,
    after: platformAfter,
    ...options,
    limits: { ...LIMITS, ...options.limits },
  };
}
