// A listener's way to a daemon over HTTP.
import type { Connector } from "../listener/types.js";
import { type HttpConnectorOptions, openHttpCalls } from "./calls.js";
import { createListenConnection } from "./listen-connection.js";

/**
 * For `subscribe`: the daemon at `address`, the URL of its option `--http`, such as "http://127.0.0.1:8700", by nothing but
 * `fetch`. A page needs its origin among the daemon's `cors_origins`. A connection takes one of the six that a browser has for a host, and one more
 * while a call is under way.
 */
export function httpConnector(address: string, options: HttpConnectorOptions = {}): Connector {
  return async () => {
    const abort = new AbortController();
    return createListenConnection(await openHttpCalls(address, options, abort.signal), abort, options.timers);
  };
}
