// What a request names: a path, and a host. HTTP/1.1 lets it name both in one (RFC 9112 §3.2.2), as if to a proxy, and then that host counts.
import type { IncomingMessage } from "node:http";

const ABSOLUTE = /^https?:\/\/([^/?#]*)([^?#]*)/i;

/** Without its query. */
export function pathOf(target: string): string {
  const absolute = ABSOLUTE.exec(target);
  if (absolute !== null) return absolute[2] || "/";
  return target.split("?", 1)[0] ?? "";
}

/** Every host that the request names. Undefined: it has several headers for that, of which others might believe another one. */
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
