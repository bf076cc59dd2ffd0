import type { Log } from "../../src/contracts/log.js";
import type { Admit, DescribeFault, ServiceAddress, ServiceMethod } from "../../src/contracts/service.js";
import { type After, assertWithin, platformAfter } from "../framing/options.js";
import type { ServiceListenOptions } from "../service-calls/listen.js";

/** A plain page beside the services, for GET and HEAD. */
export interface HttpPage {
  /** As in `/healthz`. */
  readonly path: string;
  readonly answer: () => HttpPageAnswer | Promise<HttpPageAnswer>;
}

export interface HttpPageAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

export interface ConnectListenOptions extends Pick<ServiceListenOptions, "maxConnections" | "onAcceptFault" | "place"> {
  readonly address: ServiceAddress;
  readonly methods: readonly ServiceMethod[];
  readonly pages: readonly HttpPage[];
  /** Asked before anything else, pages included. It looks at the host before the token. Preflights may be without a token. */
  readonly admit: Admit;
  readonly describeFault: DescribeFault;
  /** Where accidents are written down, of which peers are told only that there was one, and requests that were not admitted. */
  readonly log: Log;
  /** Largest message taken, 1 to 4,294,967,295 bytes. A larger one is refused as `message_too_large`. */
  readonly maxMessageBytes: number;
  /** How long a peer that does not read, and a call that is being answered, may hold up an end, ms. */
  readonly closeTimeoutMs: number;
  /**
   * Web pages that may call from a browser, as in `http://localhost:5173`. Asked for each request. Default none: browsers hand no answer to any page.
   */
  readonly corsOrigins?: () => readonly string[];
  /** Whether compressed requests are taken, and messages of 1 KiB or more are compressed for clients that offer gzip. Default false. */
  readonly compression?: boolean;
  /**
   * How long a connection may stay without a whole request, over TCP also without one that is admitted, and a single call without its message, ms.
   * Asked each time. Default 30,000.
   */
  readonly silentConnectionMs?: () => number;
  /** How often an HTTP/2 connection is asked for a sign of life, ms. Default 30,000. */
  readonly pingIntervalMs?: number;
  /** How long that sign may take; then the connection is dead (G8), ms. Default 10,000. */
  readonly pingTimeoutMs?: number;
  /** Calls at a time on one HTTP/2 connection. Default 2,048. */
  readonly maxConcurrentStreams?: number;
  /** Bytes that may wait for a stream's peer before `send` answers false. At least what the stream itself buffers. Default 65,536. */
  readonly highWaterMarkBytes?: number;
  /** Bytes that may wait in all, for senders that go on after a false. Beyond it the call is cut off. Default 16 MiB. */
  readonly maxBufferedBytes?: number;
  /** The timer for all of these but HTTP/1.1's own. Default the platform's. */
  readonly after?: After;
}

type Defaulted = Omit<ConnectListenOptions, "maxConnections" | "onAcceptFault" | "place">;
export type ResolvedConnectOptions = Required<Defaulted>;

const LARGEST_MESSAGE = 0xff_ff_ff_ff;
const LONGEST_MS = 2 ** 31 - 1;

/** Fills defaults and refuses what is out of range with a Fault "usage". */
export function resolveConnectOptions(options: ConnectListenOptions): ResolvedConnectOptions {
  const resolved: ResolvedConnectOptions = {
    address: options.address,
    methods: options.methods,
    pages: options.pages,
    admit: options.admit,
    describeFault: options.describeFault,
    log: options.log,
    maxMessageBytes: options.maxMessageBytes,
    closeTimeoutMs: options.closeTimeoutMs,
    corsOrigins: options.corsOrigins ?? (() => []),
    compression: options.compression ?? false,
    silentConnectionMs: options.silentConnectionMs ?? (() => 30_000),
    pingIntervalMs: options.pingIntervalMs ?? 30_000,
    pingTimeoutMs: options.pingTimeoutMs ?? 10_000,
    maxConcurrentStreams: options.maxConcurrentStreams ?? 2048,
    highWaterMarkBytes: options.highWaterMarkBytes ?? 64 * 1024,
    maxBufferedBytes: options.maxBufferedBytes ?? 16 * 1024 * 1024,
    after: options.after ?? platformAfter,
  };
  assertWithin("maxMessageBytes", resolved.maxMessageBytes, 1, LARGEST_MESSAGE);
  assertWithin("closeTimeoutMs", resolved.closeTimeoutMs, 0, LONGEST_MS);
  assertWithin("silentConnectionMs", resolved.silentConnectionMs(), 1, LONGEST_MS);
  assertWithin("pingIntervalMs", resolved.pingIntervalMs, 1, LONGEST_MS);
  assertWithin("pingTimeoutMs", resolved.pingTimeoutMs, 1, LONGEST_MS);
  assertWithin("maxConcurrentStreams", resolved.maxConcurrentStreams, 1, LONGEST_MS);
  assertWithin("highWaterMarkBytes", resolved.highWaterMarkBytes, 1, resolved.maxBufferedBytes);
  assertWithin("maxBufferedBytes", resolved.maxBufferedBytes, 1, Number.MAX_SAFE_INTEGER);
  return resolved;
}
