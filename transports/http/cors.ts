// Decides which web pages may read answers. Off unless configured: without these headers no browser hands an answer to a page of another origin.
import type { Exchange } from "./exchange.js";
import type { CorsNames } from "./http-service.js";

/** How long a browser may cache the answer to a preflight, seconds. */
const REMEMBERED_SECONDS = 7200;

/** The values of the headers, for all services of a server together. */
export interface CorsHeaders {
  readonly methods: string;
  readonly allowed: string;
  readonly exposed: string;
}

export function corsHeaders(services: readonly CorsNames[]): CorsHeaders {
  const joined = (names: readonly string[]): string => [...new Set(names)].join(", ");
  return {
    methods: joined(services.flatMap(({ methods }) => methods)),
    allowed: joined(["Authorization", ...services.flatMap(({ allowedHeaders }) => allowedHeaders)]),
    exposed: joined(["WWW-Authenticate", ...services.flatMap(({ exposedHeaders }) => exposedHeaders)]),
  };
}

/** Whether the request is a browser's preflight. */
export function isPreflight({ request }: Exchange): boolean {
  return request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
}

/** Sets the headers that let the page of the request read the answer. Returns whether it may. */
export function allowOrigin(
  { request, response }: Exchange,
  origins: readonly string[],
  { exposed }: CorsHeaders,
): boolean {
  if (origins.length === 0) return false;
  response.setHeader("vary", "Origin");
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  response.setHeader("access-control-allow-origin", origin);
  // Nothing that a browser adds by itself gives a right here, and AAEP's EventSource asks with it (AAEP app. B.1.7).
  response.setHeader("access-control-allow-credentials", "true");
  response.setHeader("access-control-expose-headers", exposed);
  return true;
}

/** The headers for a preflight of an allowed origin. */
export function preflightHeaders({ request }: Exchange, { methods, allowed }: CorsHeaders): Record<string, string> {
  const isPrivate = request.headers["access-control-request-private-network"] === "true";
  return {
    "access-control-allow-methods": methods,
    "access-control-allow-headers": allowed,
    "access-control-max-age": String(REMEMBERED_SECONDS),
    ...(isPrivate ? { "access-control-allow-private-network": "true" } : {}),
  };
}
