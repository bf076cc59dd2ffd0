// The handshake of an agent: who it is, and which of the capabilities that it asks for some provider serves.
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { A2eOptions } from "../host/a2e-services.js";
import { isAuthorized } from "../host/authorization.js";
import { type CapabilityName, isAvailable, isCapability, type ServedCapability } from "../messages/capabilities.js";
import { type A2eMessage, versionIn } from "../messages/message.js";
import type { Held, Router } from "../providers/router.js";

export type RejectionReason = "auth_failed" | "version_mismatch" | "no_caps" | "server_error";

export type Negotiated =
  | { readonly kind: "rejected"; readonly reason: RejectionReason }
  | {
      readonly kind: "accepted";
      readonly capabilities: readonly CapabilityName[];
      readonly accepted: readonly object[];
    };

/** Decides about a `handshake/req` of the right form. */
export function negotiate(
  request: A2eMessage,
  peer: PeerIdentity,
  router: Pick<Router, "holderOf">,
  options: Pick<A2eOptions, "authToken">,
): Negotiated {
  if (versionIn(request) !== "spoken") return { kind: "rejected", reason: "version_mismatch" };
  if (!isAuthorized(request.auth_token, peer, options)) return { kind: "rejected", reason: "auth_failed" };
  const asked = new Set(request.agent_caps as readonly string[]);
  const held: Held[] = [];
  for (const name of asked) {
    const holder = isCapability(name) && isAvailable(name) ? router.holderOf(name) : undefined;
    if (holder !== undefined) held.push(holder);
  }
  if (held.length === 0) return { kind: "rejected", reason: "no_caps" };
  return {
    kind: "accepted",
    capabilities: held.map(({ served }) => served.name),
    accepted: held.map(({ provider, served }) => ({
      capability: served.name,
      enabled: true,
      metadata: metadataOf(provider, served),
    })),
  };
}

/** Whether some provider serves each of the capabilities that could be served. */
export function isAllServed(asked: unknown, { holderOf }: Pick<Router, "holderOf">): boolean {
  const names = Array.isArray(asked) ? asked.filter((name) => isCapability(name) && isAvailable(name)) : [];
  return names.length > 0 && names.every((name) => holderOf(name) !== undefined);
}

/** The provider's own metadata, with the members that every host gives. */
function metadataOf({ name, kind, priority }: Held["provider"], { metadata }: ServedCapability): object {
  return { name, type: kind, priority, exclusive: false, ...metadata };
}
