// A service of the HTTP server, beside its plain pages: Connect, event streams, and posts of JSON. The front door admits a request before a service
// sees it. All services of a server share its connections, versions, origins and end.
import type { Fault } from "../../src/base/errors.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { Exchange } from "./exchange.js";

/** Refuses one request, unless it has been answered. `httpStatus` applies in every protocol; default: the protocol's status for the fault. */
export type Refuse = (fault: Fault, httpStatus?: number) => void;

/** Serves one request. Rejects only by an internal error. */
export type HttpHandler = (exchange: Exchange, refuse: Refuse) => Promise<void>;

/** Writes refusals in one protocol over HTTP. */
export interface RefusalForm {
  /** Whether the protocol reports refusals by a status of its own; the status of HTTP is then 200. */
  readonly hasOwnStatus: boolean;
  readonly write: (exchange: Exchange, fault: Fault, httpStatus: number) => void;
}

/** The requests and headers that web pages of other origins may send, and the headers that they may read. */
export interface CorsNames {
  readonly methods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
}

export interface HttpService {
  /** Undefined for a path of other services. */
  readonly handlerAt: (path: string) => HttpHandler | undefined;
  /** The same beneath the base address of a listener. Default: no path. */
  readonly ownHandlerAt?: (path: string) => HttpHandler | undefined;
  /** Undefined for a content type of other protocols. */
  readonly refusalForm: (contentType: string) => RefusalForm | undefined;
  readonly cors: CorsNames;
  /** Ends the open streams with `fault`, within the given time. */
  readonly endStreams: (fault: Fault, withinMs: Millis) => void;
}
