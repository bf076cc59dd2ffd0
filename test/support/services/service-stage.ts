// A daemon with both transports of services, and clients that say what they like.
import { create, type MessageShape } from "@bufbuild/protobuf";
import { SubscriptionRequestSchema } from "#gen/aaep/v1/handshake_pb.js";
import {
  ListenRequestSchema,
  type ListenResponse,
  SubscribeRequestSchema,
  type SubscribeResponse,
  SubscriberService,
} from "#gen/aaep/v1/subscriber_service_pb.js";
import type { WireSniffer } from "../oracles/wire-sniffer.js";
import { createMessageQueue } from "../peers/message-queue.js";
import { messageOf } from "../protobuf-documents.js";
import { type DaemonRig, requestOf, startRig } from "../rigs/daemon-rig.js";
import type { ServiceClient } from "./service-client.js";

export const CAPABLE = { supports_confirmation_reply: true, coalesce_boundaries: ["none"] };

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

/** Subscribe, with what comes as it comes. */
export function openSubscribe(client: ServiceClient) {
  const responses = createMessageQueue<SubscribeResponse>("responses");
  const stream = client.stream(SubscriberService.method.subscribe, responses.push);
  void stream.ended.then(responses.end);
  return { ...stream, responses };
}

/** A first message as it should be. */
export function requesting(subscriber_id = "late", others: object = {}): MessageShape<typeof SubscribeRequestSchema> {
  const document = requestOf(CAPABLE, { subscriber_id, ...others });
  const value = messageOf(SubscriptionRequestSchema, document);
  return create(SubscribeRequestSchema, { message: { case: "request", value } });
}

/** A stream of either method, with its request sent, and what comes as it comes. */
export function openListening(client: ServiceClient, isDuplex: boolean, subscriberId: string) {
  const { message } = requesting(subscriberId);
  if (isDuplex || message.case !== "request") {
    const stream = openSubscribe(client);
    stream.send(requesting(subscriberId));
    return stream;
  }
  const responses = createMessageQueue<SubscribeResponse | ListenResponse>("responses");
  const stream = client.stream(SubscriberService.method.listen, responses.push);
  void stream.ended.then(responses.end);
  stream.send(create(ListenRequestSchema, { request: message.value }));
  stream.halfClose();
  return { ...stream, responses };
}
