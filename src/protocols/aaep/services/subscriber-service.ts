// aaep.v1.SubscriberService and aaep.v1.AaepService as methods that every transport of services can serve (AAEP app. B, R19, R20, R22, R26, R28).
import { create, type DescMessage, type DescMethod, toBinary } from "@bufbuild/protobuf";
import { AaepService, ManifestSchema } from "#gen/aaep/v1/aaep_service_pb.js";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import { Fault } from "../../../base/errors.js";
import type { Millis } from "../../../contracts/clock.js";
import type { Codec, Utf8 } from "../../../contracts/codec.js";
import type { Heartbeat, MessageProtocol, ProtocolSession } from "../../../contracts/protocol.js";
import type { ServiceMessage, ServiceMethod } from "../../../contracts/service.js";
import type { Connection } from "../../../contracts/transport.js";
import type { Message } from "../json/message.js";
import { encodeDocument } from "../protobuf/encode.js";
import { createPlainProtocol, type PlainServices } from "../sessions/plain-session.js";
import { AAEP_VERSION } from "../subscriber/negotiate.js";
import { SUBSCRIBER_CALLS, type SubscriberCall, typedAnswer } from "../subscriber/subscriber-calls.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";
import {
  NOTHING_PENDING,
  refuseStrayReply,
  SubscriptionHandler,
  type SubscriptionHandlerServices,
} from "../subscriber/subscription-handler.js";
import { createAaepMessageCodec, createListenCodec, createSubscribeCodec } from "./codec-protobuf.js";
import { documentIn } from "./service-messages.js";

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

interface KeyedSubscription {
  readonly handler: SubscriptionHandler;
  /** Ends the subscription's stream in order. */
  readonly end: () => void;
}

/** Subscriptions whose listeners use calls beside their stream, found by id and key (R19). A key has 128 random bits. */
class KeyedSubscriptions {
  private readonly byIdAndKey = new Map<string, KeyedSubscription>();

  add(one: KeyedSubscription): void {
    this.byIdAndKey.set(`${one.handler.id} ${one.handler.key}`, one);
  }

  /** Undefined for an unknown id and for a wrong key; the caller cannot distinguish the two. */
  find(id: unknown, key: unknown): KeyedSubscription | undefined {
    return typeof id === "string" && typeof key === "string" ? this.byIdAndKey.get(`${id} ${key}`) : undefined;
  }

  remove({ id, key }: Pick<SubscriptionHandler, "id" | "key">): void {
    this.byIdAndKey.delete(`${id} ${key}`);
  }

  /** As `find`, but throws `unknown_subscription`. */
  needed(id: unknown, key: unknown): KeyedSubscription {
    const one = this.find(id, key);
    if (one !== undefined) return one;
    const sentence =
      "There is no such subscription of Listen; give the subscription_id of its acceptance, and the key of its honored_capabilities.aaepd.";
    throw new Fault("unknown_subscription", sentence, { pointer: "/subscription_id", rule: "R19" });
  }
}

/**
 * The protocol of one stream of Listen. An undefined message requests ch. 5's defaults. The subscription is in `subscriptions` while it lasts. `end`
 * closes the stream in order.
 */
function createListenProtocol(
  services: PlainServices,
  subscriptions: KeyedSubscriptions,
  end: () => void,
): Pick<MessageProtocol<unknown>, "open"> {
  return {
    open: (peer, { stream, tell }): ProtocolSession<unknown> => {
      const access = services.access.of(peer);
      const source = new SubscriptionHandler(services, { stream, access, tell, peer });
      let hasEnded = false;
      const endInOrder = (): void => {
        hasEnded = true;
        end();
      };
      return {
        receive: (message) => {
          const { id, key } = source;
          const outcome = source.request(message ?? anonymousRequest(services));
          const isAccepted = outcome.kind === "accepted";
          if (isAccepted) {
            subscriptions.remove({ id, key });
            subscriptions.add({ handler: source, end: endInOrder });
          }
          // A stream without a subscription permits no second attempt.
          return { answers: [outcome.message], closes: !isAccepted && !source.isOpen() };
        },
        refuse: (fault) => ({ answers: [errorMessage(fault)], closes: false, fault }),
        isOpen: () => source.isOpen(),
        finish: (reason) =>
          hasEnded ? { pendingDeliveries: NOTHING_PENDING, messages: () => [] } : source.lastWords(reason),
        ended: (reason) => {
          subscriptions.remove(source);
          source.subscription?.close(reason);
        },
      };
    },
  };
}

/** The request of a listener that names nothing, not even itself (R22). */
export function anonymousRequest({ ids }: Pick<PlainServices, "ids">): Message {
  return requestOf(`listener-${ids.hex(8)}`, {});
}

/** The request of a listener with these capabilities. */
export function requestOf(subscriber_id: string, capabilities: Message): Message {
  return { type: "subscription.request", aaep_version: AAEP_VERSION, subscriber_id, capabilities };
}

/** Reply, Close, and the calls of the list, as methods of aaep.v1.SubscriberService. */
function keyedCalls(
  { engine }: Pick<SubscriptionHandlerServices, "engine">,
  subscriptions: KeyedSubscriptions,
): readonly ServiceMethod[] {
  const { method } = SubscriberService;

  /** As `documentIn`. The audit log has a line of a reply that cannot be decoded, too. */
  const replyIn = (frame: ServiceMessage): Message => {
    try {
      return documentIn(method.reply.input, frame);
    } catch (caught) {
      engine.strayReply("malformed", "", undefined);
      throw caught;
    }
  };

  /** Returns whether the reply counted, never the reason why not (AAEP §6.3.4). */
  const reply = (frame: ServiceMessage): boolean | Promise<boolean> => {
    const said = replyIn(frame);
    const message = (said.confirmation_reply ?? said.clarification_reply ?? {}) as Message;
    const one = subscriptions.find(message.subscription_id, said.key);
    if (one !== undefined) return one.handler.safeReply(message);
    refuseStrayReply(engine, message);
    return false;
  };

  const acceptance = (accepted: boolean): Uint8Array => encodeDocument(method.reply.output, { accepted });

  const listed = (call: SubscriberCall): ServiceMethod => {
    const field = fieldOf(call.type);
    const descriptor = methodWith(field);
    const answerTo = (one: KeyedSubscription, message: Message): Uint8Array | Promise<Uint8Array> => {
      const taken = call.take(one.handler, message);
      if (taken instanceof Promise) return taken.then(() => encodeDocument(descriptor.output, {}));
      const answer = taken && typedAnswer(call, taken);
      return encodeDocument(descriptor.output, answer === undefined ? {} : { [fieldOf(String(answer.type))]: answer });
    };
    return {
      kind: "unary",
      descriptor,
      answer: (frame) => {
        const { key, message } = keyedMessage(descriptor.input, field, frame);
        return answerTo(subscriptions.needed(message.subscription_id, key), message);
      },
    };
  };

  return [
    {
      kind: "unary",
      descriptor: method.reply,
      answer: (frame) => {
        const counts = reply(frame);
        return typeof counts === "boolean" ? acceptance(counts) : counts.then(acceptance);
      },
    },
    {
      kind: "unary",
      descriptor: method.close,
      answer: (frame) => {
        const { key, message } = keyedMessage(method.close.input, "close", frame);
        const { handler, end } = subscriptions.needed(message.subscription_id, key);
        handler.close();
        subscriptions.remove(handler);
        end();
        return encodeDocument(method.close.output, {});
      },
    },
    ...SUBSCRIBER_CALLS.map(listed),
  ];
}

/** The field of protobuf for a message of that type: `list_pending` for `aaepd.list_pending`. */
function fieldOf(type: string): string {
  return type.slice(type.indexOf(".") + 1);
}

function methodWith(field: string): DescMethod {
  const found = SubscriberService.methods.find(
    ({ methodKind, input }) => methodKind === "unary" && input.fields.some(({ name }) => name === field),
  );
  if (found === undefined) throw new Error(`${SubscriberService.typeName} has no method with a field ${field}.`);
  return found;
}

interface KeyedMessage {
  readonly key: unknown;
  readonly message: Message;
}

/** Returns the message in `field`, and the key beside it. Throws `invalid_message` if there is no message. */
function keyedMessage(descriptor: DescMessage, field: string, frame: ServiceMessage): KeyedMessage {
  const said = documentIn(descriptor, frame);
  // If the field is present, it is a message.
  const message = said[field] as Message | undefined;
  if (message !== undefined) return { key: said.key, message };
  const sentence = `Set \`${field}\` of the ${descriptor.typeName}, with the subscription_id in it and the key beside it.`;
  throw new Fault("invalid_message", sentence, { pointer: "", rule: "R19" });
}
