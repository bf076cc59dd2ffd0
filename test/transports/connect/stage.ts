// The service of subscribers with calls that a test takes in its own hands.
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Client, type ConnectError, createClient } from "@connectrpc/connect";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import {
  ListenResponseSchema,
  ReplyResponseSchema,
  SubscribeResponseSchema,
  SubscriberService,
} from "#gen/aaep/v1/subscriber_service_pb.js";
import type { ServiceCall, ServiceMethod } from "../../../src/contracts/service.js";
import type { Connection } from "../../../src/contracts/transport.js";
import { createMessageQueue, type MessageQueue } from "../../support/peers/message-queue.js";
import { type ConnectRig, type ProtocolName, type RigOptions, startConnect, type Version } from "./rig.js";

type ServerStream = Connection<Uint8Array>;

export interface Stage extends ConnectRig {
  readonly listens: MessageQueue<ServerStream>;
  readonly subscribes: MessageQueue<ServerStream>;
  readonly client: (
    protocol: ProtocolName,
    version: Version,
    more?: Parameters<ConnectRig["transport"]>[2],
  ) => Client<typeof SubscriberService>;
}

export interface StageOptions extends Omit<RigOptions, "methods"> {
  /** What Reply answers. Default: that it counted. */
  readonly reply?: (request: Uint8Array, call: ServiceCall) => Uint8Array | Promise<Uint8Array>;
}

export const COUNTED = toBinary(ReplyResponseSchema, create(ReplyResponseSchema, { accepted: true }));

export async function startStage({ reply = () => COUNTED, ...options }: StageOptions = {}): Promise<Stage> {
  const listens = createMessageQueue<ServerStream>("Listen");
  const subscribes = createMessageQueue<ServerStream>("Subscribe");
  const methods: readonly ServiceMethod[] = [
    { kind: "stream", descriptor: SubscriberService.method.listen, joinsBatches: true, accept: listens.push },
    { kind: "stream", descriptor: SubscriberService.method.subscribe, joinsBatches: true, accept: subscribes.push },
    { kind: "unary", descriptor: SubscriberService.method.reply, answer: reply },
  ];
  const rig = await startConnect({ ...options, methods });
  return {
    ...rig,
    listens,
    subscribes,
    client: (protocol, version, more) => createClient(SubscriberService, rig.transport(protocol, version, more)),
  };
}

/** Every protocol over every version of HTTP that its clients have. */
export const WAYS: readonly (readonly [ProtocolName, Version])[] = [
  ["connect", "1.1"],
  ["connect", "2"],
  ["grpc", "2"],
  ["grpc-web", "1.1"],
  ["grpc-web", "2"],
];

/** One event, as the bytes of a message of the stream. The same for Listen and for Subscribe. */
export function eventFrame(id: string, text = ""): Uint8Array {
  const init: MessageInitShape<typeof ListenResponseSchema> = {
    events: [{ eventId: id, payload: { case: "sessionStarted", value: { summaryNormal: text } } }],
  };
  return toBinary(ListenResponseSchema, create(ListenResponseSchema, init));
}

export const HEARTBEAT = toBinary(
  SubscribeResponseSchema,
  create(SubscribeResponseSchema, { message: { case: "heartbeat", value: {} } }),
);

/** The code of the fault that an error carries as its detail. */
export function detailOf(error: ConnectError): string | undefined {
  const detail = error.details.find((one) => "type" in one && one.type === AaepdErrorSchema.typeName);
  return detail !== undefined && "type" in detail ? fromBinary(AaepdErrorSchema, detail.value).code : undefined;
}
