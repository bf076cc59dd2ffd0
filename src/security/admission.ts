// Who may call services over TCP (C8). A socket on loopback can be reached by every process of this machine, and through a browser by every page
// whose name was made to point here. So the host must be one of loopback's, and the caller must have read a file that only this user can read.
import { createHash, timingSafeEqual } from "node:crypto";
import { Fault } from "../base/errors.js";
import type { Admit } from "../contracts/service.js";

/** Admits whoever calls a loopback host with the token; paths in `open` need no token. */
export function admitTokenHolders(token: string, open: ReadonlySet<string>): Admit {
  const wanted = digest(token);
  return ({ host, authorization, path }) => {
    if (!isLoopbackHost(host)) {
      const sentence =
        "Call 127.0.0.1, [::1] or localhost by that name: what is asked for under another host's name is not answered here.";
      return new Fault("permission_denied", sentence, { rule: "AAEP §8.2.7" });
    }
    if (open.has(path)) return undefined;
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), wanted)) return undefined;
    const sentence =
      given === undefined
        ? "Send the header `authorization: Bearer TOKEN`; the token stands in the file that the daemon names when it starts."
        : "This is not the token of this daemon; read its file again, it is written anew at each start.";
    return new Fault("unauthenticated", sentence, { rule: "AAEP §8.2.7" });
  };
}

/** Admits everybody: who can reach a socket of mode 0600 is this user (AAEP §8.2.7). */
export const admitEverybody: Admit = () => undefined;

/** Whether a `Host` or `:authority`, with or without its port, names this machine and nothing else. */
export function isLoopbackHost(host: string | undefined): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host ?? "")?.[1]?.toLowerCase();
  if (name === undefined) return false;
  return name === "localhost" || name === "[::1]" || /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(name);
}

/** Of equal length whatever was given, so that comparing tells nothing. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
