// The path and the host that a request names. HTTP/1.1 permits both in one target, as if to a proxy (RFC 9112 §3.2.2); then that host counts.
import type { IncomingMessage } from "node:http";

const ABSOLUTE = /^https?:\/\/([^/?#]*)([^?#]*)/i;

/** The path without its query. */
export function pathOf(target: string): string {
  const absolute = ABSOLUTE.exec(target);
  if (absolute !== null) return absolute[2] || "/";
  return target.split("?", 1)[0] ?? "";
}

/** Returns every host that the request names. Undefined: the request has several Host headers, and other programs might believe another one. */
export function hostsOf({
  url = "",
  headers,
  rawHeaders,
}: IncomingMessage): ReadonlySet<string | undefined> | undefined {
  const named = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  if (named > 1) return undefined;
  const absolute = ABSOLUTE.exec(url);
  if (absolute !== null) return new Set([absolute[1]]);
  const authority = headers[":authority"];
  const host = headers.host;
  return new Set([authority ?? host, host ?? authority].map((one) => (Array.isArray(one) ? one[0] : one)));
}
