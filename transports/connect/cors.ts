// Which web pages may read answers. Off unless configured: without these headers no browser hands an answer to a page of another origin.
import { cors } from "@connectrpc/connect";
import type { Exchange } from "./exchange.js";

const ALLOWED_HEADERS = ["Authorization", ...cors.allowedHeaders].join(", ");
const EXPOSED_HEADERS = ["WWW-Authenticate", ...cors.exposedHeaders].join(", ");
/** How long a browser may remember the answer to a preflight, seconds. */
const REMEMBERED_SECONDS = 7200;

/** Whether a browser asks what it may do. */
export function isPreflight({ request }: Exchange): boolean {
  return request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
}

/** Sets what lets the page of the request read the answer. Answers whether it may. */
export function allowOrigin({ request, response }: Exchange, origins: readonly string[]): boolean {
  if (origins.length === 0) return false;
  response.setHeader("vary", "Origin");
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", EXPOSED_HEADERS);
  return true;
}

/** For a preflight of an origin that is allowed. */
export function preflightHeaders({ request }: Exchange): Record<string, string> {
  const isPrivate = request.headers["access-control-request-private-network"] === "true";
  return {
    "access-control-allow-methods": cors.allowedMethods.join(", "),
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-max-age": String(REMEMBERED_SECONDS),
    ...(isPrivate ? { "access-control-allow-private-network": "true" } : {}),
  };
}
