// A browser lets every page open a WebSocket to this machine, and send the requests of an EventSource; it only tells whose page it is.
import { Fault } from "../../src/base/errors.js";
import type { Exchange } from "../http/exchange.js";

/** Returns the fault of a request from a page of another origin that nobody has named. Programs that are no browsers tell no origin. */
export function foreignPage({ request }: Exchange, origins: readonly string[]): Fault | undefined {
  const { origin, host, "sec-fetch-site": site } = request.headers;
  if (origin !== undefined && (origins.includes(origin) || origin === `http://${host}`)) return undefined;
  const isForeign = origin !== undefined || site === "cross-site" || site === "same-site";
  if (!isForeign) return undefined;
  const sentence = "Pages of this origin may not listen to this daemon. Name the origin in corsOrigins if they should.";
  return new Fault("permission_denied", sentence, { rule: "AAEP §8.2.7" });
}
