// A daemon with both transports of services, and clients that say what they like.
import { create, type MessageShape } from "@bufbuild/protobuf";
import { SubscriptionRequestSchema } from "#gen/aaep/v1/handshake_pb.js";
import { SubscribeRequestSchema } from "#gen/aaep/v1/subscriber_service_pb.js";
import type { WireSniffer } from "../oracles/wire-sniffer.js";
import { messageOf } from "../protobuf-documents.js";
import { type DaemonRig, requestOf, startRig } from "../rigs/daemon-rig.js";
import type { ServiceClient } from "./service-client.js";

const CAPABLE = { supports_confirmation_reply: true, coalesce_boundaries: ["none"] };

/** Time stands still. */
export function startServices(): Promise<DaemonRig> {
  return startRig({ clock: "hands", services: { grpc: "unix", http: "unix" } });
}

/** What listeners and agents are made with. */
export function partyOf(
  rig: DaemonRig,
  client: ServiceClient,
): { readonly client: ServiceClient; readonly sniffer: WireSniffer } {
  return { client, sniffer: rig.sniffer };
}

/** A first message as it should be. */
export function requesting(subscriber_id = "late", others: object = {}): MessageShape<typeof SubscribeRequestSchema> {
  const document = requestOf(CAPABLE, { subscriber_id, ...others });
  const value = messageOf(SubscriptionRequestSchema, document);
  return create(SubscribeRequestSchema, { message: { case: "request", value } });
}
