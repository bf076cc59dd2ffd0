// TCP is limited to loopback: traffic that leaves the machine must be encrypted, and its peers need roles (AAEP §8.2.8); neither exists yet.
import { Fault } from "../../src/base/errors.js";

export function isLoopback(host: string): boolean {
  return /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(host) || host === "::1" || host === "localhost";
}

/** Throws a Fault "address_invalid" for any other host. */
export function assertLoopback(host: string): void {
  if (isLoopback(host)) return;
  throw new Fault(
    "address_invalid",
    `Listen on 127.0.0.1, [::1] or localhost instead of ${host}: what leaves this machine must be encrypted and its peers told apart by role, and neither can be done yet.`,
    { rule: "AAEP §8.2.8", origin: "local" },
  );
}
