// The rights of each connection (R36). A local socket belongs to this user, standard input to the parent, and a token comes from a file of this
// user.
import type { Access, AccessPolicy } from "../contracts/access.js";
import type { PeerIdentity } from "../contracts/transport.js";

const EVERYTHING: Access = { may: () => true };

/** Allows everything: every peer is the same user, or a program of that user. */
export const SAME_USER_MAY_ALL: AccessPolicy = { of: () => EVERYTHING };

/** Asks `policy` once for each identity and remembers the answer. All calls of one connection show the same identity. */
export function decideOnce(policy: AccessPolicy): AccessPolicy {
  const decided = new WeakMap<PeerIdentity, Access>();
  return {
    of: (peer) => {
      let access = decided.get(peer);
      if (access === undefined) {
        access = policy.of(peer);
        decided.set(peer, access);
      }
      return access;
    },
  };
}
