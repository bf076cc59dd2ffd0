// A service of the HTTP server, beside its plain pages: the methods of Connect, and later other transports. The front door admits a request before a
// service sees it. All services of a server share its connections, versions, origins and end.
import type { Fault } from "../../src/base/errors.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { Exchange } from "./exchange.js";

/** Refuses one request, unless something was answered already. `httpStatus`: in every protocol; default what the protocol makes of the fault. */
export type Refuse = (fault: Fault, httpStatus?: number) => void;

/** Serves one request. Rejects only by an accident. */
export type HttpHandler = (exchange: Exchange, refuse: Refuse) => Promise<void>;

/** How a refusal is written in one protocol over HTTP. */
export interface RefusalForm {
  /** Whether a refusal is no matter of HTTP, whose status is 200 then. */
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
  /** Undefined for a path that is none of its. */
  readonly handlerAt: (path: string) => HttpHandler | undefined;
  /** Undefined for a content type that is none of its protocols'. */
  readonly refusalForm: (contentType: string) => RefusalForm | undefined;
  readonly cors: CorsNames;
  /** Ends the streams that are open, with `fault` and in so much time. */
  readonly endStreams: (fault: Fault, withinMs: Millis) => void;
}
