// The path and the host that a request names. HTTP/1.1 permits both in one target, as if to a proxy (RFC 9112 §3.2.2); then that host counts.
import type { IncomingMessage } from "node:http";

const ABSOLUTE = /^https?:\/\/([^/?#]*)([^?#]*)/i;

export interface Target {
  /** Without query, and without the secret of a listener's base address. */
  readonly path: string;
  readonly query: string;
  /** Of a listener's base address, as in `/listen-…/events`. It stands in no log. */
  readonly secret: string | undefined;
}

/** The first step of a base address is its secret. Clients put their own path behind it, some with a second slash. */
const BASE = /^\/+(listen-[\w-]+)(?:$|\/+)/;

export function targetOf(target: string): Target {
  const [whole = "", query = ""] = target.split(/\?(.*)/s, 2);
  const absolute = ABSOLUTE.exec(whole);
  const path = absolute === null ? whole : absolute[2] || "/";
  const [beginning = "", secret] = BASE.exec(path) ?? [];
  return { path: secret === undefined ? path : `/${path.slice(beginning.length)}`, query, secret };
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
