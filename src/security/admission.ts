// Decides who may call services over TCP. Every process of this machine can reach a socket on loopback, and so can, through a browser, every
// page whose host name resolves to it. Therefore the request must name a host of loopback, and the caller must have read a file that only this user
// can read.
import { createHash, timingSafeEqual } from "node:crypto";
import { Fault } from "../base/errors.js";
import type { Admit } from "../contracts/service.js";

/** Hosts accepted by every listener on loopback. */
const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Admits callers that send the token and name one of the three loopback hosts or `listensOn`, the configured address; an IPv6 address comes without
 * brackets. Paths in `open` need no token, and neither do those beneath the base address of a listener. `token` is called for each request, because
 * SIGHUP may have replaced the token.
 */
export function admitTokenHolders(
  token: () => string,
  open: ReadonlySet<string>,
  listensOn: string,
  isSecret: (secret: string) => boolean = () => false,
): Admit {
  const own = (listensOn.includes(":") ? `[${listensOn}]` : listensOn).toLowerCase();
  const hosts = new Set([...LOOPBACK_HOSTS, own]);
  const wrongHost = `Call ${[...hosts].join(" or ")} by that name: what is asked for under another host's name is not answered here.`;
  return ({ host, authorization, path, secret }) => {
    if (!hosts.has(nameOf(host))) {
      return new Fault("permission_denied", wrongHost, { rule: "AAEP §8.2.7" });
    }
    if (secret !== undefined) return isSecret(secret) ? undefined : new Fault("not_found", NO_ADDRESS);
    if (open.has(path)) return undefined;
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), digest(token()))) return undefined;
    const sentence =
      given === undefined
        ? "Send the header `authorization: Bearer TOKEN`; the token stands in the file that the daemon names when it starts."
        : "This is not the token of this daemon. Read its file again: it may have changed at a start or at SIGHUP.";
    return new Fault("unauthenticated", sentence, { rule: "AAEP §8.2.7" });
  };
}

const NO_ADDRESS = "No listener has this address, or it was revoked. Make one: aaepd address create";

/** Admits everybody: a socket of mode 0600 can be reached by this user only (AAEP §8.2.7). */
export const admitEverybody: Admit = () => undefined;

/** Returns the name in a `Host` or `:authority`, without its port; empty if there is no valid name. */
function nameOf(host: string | undefined): string {
  return /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host ?? "")?.[1]?.toLowerCase() ?? "";
}

/** Digests have equal length for any input, so the time of the comparison reveals nothing. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
