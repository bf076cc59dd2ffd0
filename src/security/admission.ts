// Who may call services over TCP (C8). A socket on loopback can be reached by every process of this machine, and through a browser by every page
// whose name was made to point here. So the host must be one of loopback's, and the caller must have read a file that only this user can read.
import { createHash, timingSafeEqual } from "node:crypto";
import { Fault } from "../base/errors.js";
import type { Admit } from "../contracts/service.js";

/** Hosts that every listener on loopback answers for. */
const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Admits callers with the token that name one of the three loopback hosts or `listensOn`, the address that was configured, an IPv6 address without
 * brackets; paths in `open` need no token. `token` is asked for each call: it may have been made anew.
 */
export function admitTokenHolders(token: () => string, open: ReadonlySet<string>, listensOn: string): Admit {
  const own = (listensOn.includes(":") ? `[${listensOn}]` : listensOn).toLowerCase();
  const hosts = new Set([...LOOPBACK_HOSTS, own]);
  const wrongHost = `Call ${[...hosts].join(" or ")} by that name: what is asked for under another host's name is not answered here.`;
  return ({ host, authorization, path }) => {
    if (!hosts.has(nameOf(host))) {
      return new Fault("permission_denied", wrongHost, { rule: "AAEP §8.2.7" });
    }
    if (open.has(path)) return undefined;
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), digest(token()))) return undefined;
    const sentence =
      given === undefined
        ? "Send the header `authorization: Bearer TOKEN`; the token stands in the file that the daemon names when it starts."
        : "This is not the token of this daemon; read its file again, it is written anew at each start and at SIGHUP.";
    return new Fault("unauthenticated", sentence, { rule: "AAEP §8.2.7" });
  };
}

/** Admits everybody: who can reach a socket of mode 0600 is this user (AAEP §8.2.7). */
export const admitEverybody: Admit = () => undefined;

/** The name in a `Host` or `:authority`, without its port; empty where it is none. */
function nameOf(host: string | undefined): string {
  return /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host ?? "")?.[1]?.toLowerCase() ?? "";
}

/** Of equal length whatever was given, so that comparing tells nothing. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
