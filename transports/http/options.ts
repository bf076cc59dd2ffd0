import type { Log } from "../../src/contracts/log.js";
import type { Admit, ServiceAddress } from "../../src/contracts/service.js";
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

export interface HttpListenOptions extends Pick<ServiceListenOptions, "maxConnections" | "onAcceptFault" | "place"> {
  readonly address: ServiceAddress;
  readonly pages: readonly HttpPage[];
  /** Asked before anything else, pages included. It looks at the host before the token. Preflights may be without a token. */
  readonly admit: Admit;
  /** Where accidents are written down, of which peers are told only that there was one, and requests that were not admitted. */
  readonly log: Log;
  /** How long a peer that does not read, and a call that is being answered, may hold up an end, ms. */
  readonly closeTimeoutMs: number;
  /**
   * Web pages that may call from a browser, as in `http://localhost:5173`. Asked for each request. Default none: browsers hand no answer to any page.
   */
  readonly corsOrigins?: () => readonly string[];
  /**
   * How long a connection may stay without a whole request, over TCP also without one that is admitted, ms. Asked each time. Default 30,000.
   */
  readonly silentConnectionMs?: () => number;
  /** How often an HTTP/2 connection is asked for a sign of life, ms. Default 30,000. */
  readonly pingIntervalMs?: number;
  /** How long that sign may take; then the connection is dead (G8), ms. Default 10,000. */
  readonly pingTimeoutMs?: number;
  /** Requests at a time on one HTTP/2 connection. Default 2,048. */
  readonly maxConcurrentStreams?: number;
  /** The timer for all of these but HTTP/1.1's own. Default the platform's. */
  readonly after?: After;
}

type Defaulted = Omit<HttpListenOptions, "maxConnections" | "onAcceptFault" | "place">;
export type ResolvedHttpOptions = Required<Defaulted>;

const LONGEST_MS = 2 ** 31 - 1;

/** Fills defaults and refuses what is out of range with a Fault "usage". */
export function resolveHttpOptions(options: HttpListenOptions): ResolvedHttpOptions {
  const resolved: ResolvedHttpOptions = {
    address: options.address,
    pages: options.pages,
    admit: options.admit,
    log: options.log,
    closeTimeoutMs: options.closeTimeoutMs,
    corsOrigins: options.corsOrigins ?? (() => []),
    silentConnectionMs: options.silentConnectionMs ?? (() => 30_000),
    pingIntervalMs: options.pingIntervalMs ?? 30_000,
    pingTimeoutMs: options.pingTimeoutMs ?? 10_000,
    maxConcurrentStreams: options.maxConcurrentStreams ?? 2048,
    after: options.after ?? platformAfter,
  };
  assertWithin("closeTimeoutMs", resolved.closeTimeoutMs, 0, LONGEST_MS);
  assertWithin("silentConnectionMs", resolved.silentConnectionMs(), 1, LONGEST_MS);
  assertWithin("pingIntervalMs", resolved.pingIntervalMs, 1, LONGEST_MS);
  assertWithin("pingTimeoutMs", resolved.pingTimeoutMs, 1, LONGEST_MS);
  assertWithin("maxConcurrentStreams", resolved.maxConcurrentStreams, 1, LONGEST_MS);
  return resolved;
}
