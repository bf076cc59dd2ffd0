import type { Log } from "../../src/contracts/log.js";
import type { Admit } from "../../src/contracts/service.js";
import type { ServiceAddress } from "../../src/contracts/transport.js";
import { type After, platformAfter } from "../framing/options.js";
import type { ServiceListenOptions } from "../service-calls/listen.js";

/** A plain page beside the services, for GET and HEAD. */
export interface HttpPage {
  /** Path of the page, as in `/healthz`. */
  readonly path: string;
  /** Whether the page shows more than that the server runs. Beneath the base address of a listener there are only the other ones. */
  readonly needsToken: boolean;
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
  /** Called before anything else, also for pages. Checks the host before the token. Preflights need no token. */
  readonly admit: Admit;
  /** Receives internal errors, of which a peer learns only that there was one, and requests that were not admitted. */
  readonly log: Log;
  /** Longest delay of an end by a peer that does not read, or by a call under way, ms. */
  readonly closeTimeoutMs: number;
  /**
   * Origins of web pages that may call from a browser, as in `http://localhost:5173`. Read for each request. Default none: browsers hand no answer to
   * any page.
   */
  readonly corsOrigins?: () => readonly string[];
  /** How long a connection may stay without a whole request, over TCP also without an admitted one, ms. Read each time. Default 30,000. */
  readonly silentConnectionMs?: () => number;
  /** Interval of the pings on an HTTP/2 connection, ms. Default 30,000. */
  readonly pingIntervalMs?: number;
  /** How long the answer to a ping may take, ms; after it the connection counts as dead. Default 10,000. */
  readonly pingTimeoutMs?: number;
  /** The timer for all of these except HTTP/1.1's own. Default: the platform's. */
  readonly after?: After;
}

const DEFAULTS = {
  corsOrigins: (): readonly string[] => [],
  silentConnectionMs: () => 30_000,
  pingIntervalMs: 30_000,
  pingTimeoutMs: 10_000,
  after: platformAfter,
};

export type ResolvedHttpOptions = HttpListenOptions & Required<Pick<HttpListenOptions, keyof typeof DEFAULTS>>;

export function resolveHttpOptions(options: HttpListenOptions): ResolvedHttpOptions {
  return { ...DEFAULTS, ...options };
}
