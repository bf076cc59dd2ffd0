// aaep.v1.SubscriberService and aaep.v1.AaepService as methods that every transport of services can serve (AAEP app. B, R19, R20, R22, R28).
import { create, type DescMethod, toBinary } from "@bufbuild/protobuf";
import { AaepService, ManifestSchema } from "#gen/aaep/v1/aaep_service_pb.js";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import type { Millis } from "../../../contracts/clock.js";
import type { Codec, Utf8 } from "../../../contracts/codec.js";
import type { Heartbeat, MessageProtocol } from "../../../contracts/protocol.js";
import type { ServiceMethod } from "../../../contracts/service.js";
import type { Connection } from "../../../contracts/transport.js";
import type { Message } from "../json/message.js";
import { encodeDocument } from "../protobuf/encode.js";
import { createPlainProtocol, type PlainServices } from "../sessions/plain-session.js";
import { createAaepMessageCodec } from "./codec-aaep-message.js";
import { createListenCodec, createSubscribeCodec } from "./codec-protobuf.js";
import { createListenProtocol, KeyedSubscriptions, keyedCalls } from "./listen.js";

/** Serves a stream from its first frame to its end. A client's half-close does not end its subscription. */
export type ServeStream = (
  connection: Connection<Uint8Array>,
  codec: Codec<Uint8Array, unknown>,
  protocol: Pick<MessageProtocol<unknown>, "open">,
  heartbeat: Heartbeat<unknown> | undefined,
) => void;

export interface SubscriberServices extends Omit<PlainServices, "heartbeatSeconds"> {
  readonly utf8: Utf8;
  /** The daemon's current manifest. */
  readonly manifest: () => Message;
  readonly serve: ServeStream;
  /** Silence after which a typed stream sends a heartbeat, ms. 0: never. Read for each stream. */
  readonly heartbeatMs: () => Millis;
}

/** Makes the methods of both services for subscribers. Call it once, because their encodings are shared (R14). */
export function subscriberMethods(services: SubscriberServices): readonly ServiceMethod[] {
  const { serve, heartbeatMs, utf8, manifest } = services;
  const { method: typed } = SubscriberService;
  const { method: json } = AaepService;
  const subscriptions = new KeyedSubscriptions();

  const typedStream = (
    descriptor: DescMethod,
    codec: Codec<Uint8Array, unknown>,
    protocolOf: (plain: PlainServices, connection: Connection<Uint8Array>) => Pick<MessageProtocol<unknown>, "open">,
  ): ServiceMethod => ({
    kind: "stream",
    descriptor,
    joinsBatches: true,
    accept: (connection) => {
      // A stream keeps the heartbeat that it began with, which its acceptance reports.
      const everyMs = heartbeatMs();
      const heartbeat = everyMs === 0 ? undefined : { everyMs, message: { type: "aaepd.heartbeat" } };
      // The service's schema has checkpoints, so nobody need ask for them.
      const plain = { ...services, givesCheckpoints: true, heartbeatSeconds: heartbeat && everyMs / 1000 };
      serve(connection, codec, protocolOf(plain, connection), heartbeat);
    },
  });

  // The service of the specification's appendix has no message for heartbeats; gRPC's own keepalive watches its streams.
  const jsonCodec = createAaepMessageCodec(utf8);
  const jsonProtocol = createPlainProtocol({ ...services, heartbeatSeconds: undefined });
  return [
    typedStream(typed.subscribe, createSubscribeCodec(), (plain) => createPlainProtocol(plain)),
    typedStream(typed.listen, createListenCodec(), (plain, connection) =>
      createListenProtocol(plain, subscriptions, () => void connection.close()),
    ),
    ...keyedCalls(services, subscriptions),
    {
      kind: "unary",
      descriptor: typed.getManifest,
      answer: () => encodeDocument(typed.getManifest.output, { manifest: manifest() }),
    },
    {
      kind: "stream",
      descriptor: json.subscribe,
      joinsBatches: false,
      accept: (connection) => serve(connection, jsonCodec, jsonProtocol, undefined),
    },
    {
      kind: "unary",
      descriptor: json.getManifest,
      answer: () => {
        const bytes = utf8.encode(JSON.stringify(manifest()));
        return toBinary(ManifestSchema, create(ManifestSchema, { json: bytes }));
      },
    },
  ];
}
