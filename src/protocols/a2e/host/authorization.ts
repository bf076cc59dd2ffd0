// Whether a peer may begin: an agent with its handshake, a provider with its registration.
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { A2eOptions } from "./a2e-services.js";

/** Whether a peer may begin: over TCP its transport has checked a token. */
export function isAuthorized(
  shown: unknown,
  { trust }: PeerIdentity,
  { authToken }: Pick<A2eOptions, "authToken">,
): boolean {
  const wanted = authToken();
  return wanted === undefined || trust === "token-holder" || isToken(shown, wanted);
}

/** Whether a shown token is the wanted one. The time of the comparison depends on the lengths alone. */
function isToken(shown: unknown, wanted: string): boolean {
  if (typeof shown !== "string" || shown.length !== wanted.length) return false;
  let difference = 0;
  for (let index = 0; index < wanted.length; index += 1)
    difference |= shown.charCodeAt(index) ^ wanted.charCodeAt(index);
  return difference === 0;
}
