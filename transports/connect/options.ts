import type { Log } from "../../src/contracts/log.js";
import type { DescribeFault, ServiceMethod } from "../../src/contracts/service.js";
import { type After, platformAfter } from "../framing/options.js";

export interface ConnectOptions {
  readonly methods: readonly ServiceMethod[];
  readonly describeFault: DescribeFault;
  /** Receives internal errors, of which a peer learns only that there was one. */
  readonly log: Log;
  /** Largest accepted message, bytes. A larger one is refused as `message_too_large`. */
  readonly maxMessageBytes: number;
  /** Longest delay of a stream's end by a peer that does not read, ms. */
  readonly closeTimeoutMs: number;
  /** Whether compressed requests are accepted, and messages of 1 KiB or more are compressed for clients that offer gzip. Default false. */
  readonly compression?: boolean;
  /** Longest wait for the message of a unary call, ms. Read each time. Default 30,000. */
  readonly silentConnectionMs?: () => number;
  /** The timer for all of these. Default: the platform's. */
  readonly after?: After;
}

export type ResolvedConnectOptions = Required<ConnectOptions>;

export function resolveConnectOptions(options: ConnectOptions): ResolvedConnectOptions {
  return {
    compression: false,
    silentConnectionMs: () => 30_000,
    after: platformAfter,
    ...options,
  };
}
