// aaep.v1.SubscriberService and aaep.v1.AaepService as methods that every transport of services can serve (AAEP app. B, R19, R20, R22, R28).
import { create, toBinary } from "@bufbuild/protobuf";
import { AaepService, ManifestSchema } from "#gen/aaep/v1/aaep_service_pb.js";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { Codec } from "../../../contracts/codec.js";
import type { Heartbeat, MessageProtocol } from "../../../contracts/protocol.js";
import type { ServiceMethod } from "../../../contracts/service.js";
import type { Connection } from "../../../contracts/transport.js";
import type { Utf8 } from "../json/json-codec.js";
import type { Message } from "../json/message.js";
import { encodeDocument } from "../protobuf/encode.js";
import { createPlainProtocol, type PlainServices } from "../sessions/plain-session.js";
import { CallTurns } from "./call-turns.js";
import { createAaepMessageCodec } from "./codec-aaep-message.js";
import { createListenCodec, createSubscribeCodec } from "./codec-protobuf.js";
import { KeyedSubscriptions, keyedCalls } from "./keyed-calls.js";
import { createListenProtocol } from "./listen-session.js";
import { claimsOfRequest } from "./service-messages.js";

/** Serves a stream from its first frame to its end. A client's half-close does not end its subscription. */
type ServeStream = (
  connection: Connection<Uint8Array>,
  codec: Codec<Uint8Array, unknown>,
  protocol: Pick<MessageProtocol<unknown>, "open">,
  heartbeat: Heartbeat<unknown> | undefined,
) => void;

export interface SubscriberServices extends Omit<PlainServices, "heartbeatSeconds"> {
  readonly clock: Pick<Clock, "afterTurn">;
  readonly utf8: Utf8;
  /** The daemon's current manifest. */
  readonly manifest: () => Message;
  readonly serve: ServeStream;
  /** Silence after which a typed stream sends a heartbeat, ms. 0: never. Read for each stream. Default 15,000. */
  readonly heartbeatMs?: () => Millis;
}

const HEARTBEAT_MS = 15_000;

/** Makes the methods of both services for subscribers. Call it once, because their encodings are shared (R14). */
export function subscriberMethods(services: SubscriberServices): readonly ServiceMethod[] {
  return [...typedMethods(services), ...jsonMethods(services)];
}

function typedMethods(services: SubscriberServices): readonly ServiceMethod[] {
  const { serve, heartbeatMs = () => HEARTBEAT_MS } = services;
  // The service's schema has checkpoints, so nobody need ask for them.
  const typed: PlainServices = { ...services, givesCheckpoints: true };
  /** A stream keeps the heartbeat that it began with, which its acceptance reports. */
  const begun = (): { readonly plain: PlainServices; readonly heartbeat: Heartbeat<unknown> | undefined } => {
    const everyMs = heartbeatMs();
    if (everyMs === 0) return { plain: typed, heartbeat: undefined };
    const heartbeat = { everyMs, message: { type: "aaepd.heartbeat" } };
    return { plain: { ...typed, heartbeatSeconds: everyMs / 1000 }, heartbeat };
  };
  const subscribeCodec = createSubscribeCodec();
  const listenCodec = createListenCodec();
  const subscriptions = new KeyedSubscriptions();
  const { method } = SubscriberService;
  return [
    {
      kind: "stream",
      descriptor: method.subscribe,
      joinsBatches: true,
      accept: (connection) => {
        const { plain, heartbeat } = begun();
        serve(connection, subscribeCodec, createPlainProtocol(plain, claimsOfRequest), heartbeat);
      },
    },
    {
      kind: "stream",
      descriptor: method.listen,
      joinsBatches: true,
      accept: (connection) => {
        const end = (): void => void connection.close();
        const { plain, heartbeat } = begun();
        serve(connection, listenCodec, createListenProtocol(plain, subscriptions, end), heartbeat);
      },
    },
    ...keyedCalls(services, new CallTurns(services.clock), subscriptions),
    {
      kind: "unary",
      descriptor: method.getManifest,
      answer: () => encodeDocument(method.getManifest.output, { manifest: services.manifest() }),
    },
  ];
}

/** The service of the specification's appendix. It has no message for heartbeats; gRPC's own keepalive watches its streams. */
function jsonMethods(services: SubscriberServices): readonly ServiceMethod[] {
  const codec = createAaepMessageCodec(services.utf8);
  const protocol = createPlainProtocol({ ...services, heartbeatSeconds: undefined });
  const { method } = AaepService;
  return [
    {
      kind: "stream",
      descriptor: method.subscribe,
      joinsBatches: false,
      accept: (connection) => services.serve(connection, codec, protocol, undefined),
    },
    {
      kind: "unary",
      descriptor: method.getManifest,
      answer: () => {
        const json = services.utf8.encode(JSON.stringify(services.manifest()));
        return toBinary(ManifestSchema, create(ManifestSchema, { json }));
      },
    },
  ];
}
