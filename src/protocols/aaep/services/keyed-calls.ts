// Unary calls of a listener beside its stream of Listen; each call shows the key of its acceptance (R19, R26, R28).
import type { DescMessage } from "@bufbuild/protobuf";
import { SubscriptionCloseSchema } from "#gen/aaep/v1/handshake_pb.js";
import {
  CloseRequestSchema,
  CloseResponseSchema,
  LeaveResponseSchema,
  ListPendingResponseSchema,
  RenegotiateResponseSchema,
  RepeatResponseSchema,
  ReplyRequestSchema,
  ReplyResponseSchema,
  SkipResponseSchema,
  StopResponseSchema,
  SubscriberService,
} from "#gen/aaep/v1/subscriber_service_pb.js";
import { Fault } from "../../../base/errors.js";
import type { Clock } from "../../../contracts/clock.js";
import type { ServiceCall, ServiceMessage, ServiceMethod } from "../../../contracts/service.js";
import { isJson } from "../json/claims.js";
import type { Message } from "../json/message.js";
import { encodeDocument } from "../protobuf/encode.js";
import { fieldsIn, soleText } from "../protobuf/loose-fields.js";
import { safeReply } from "../subscriber/safe-reply.js";
import { refuseStrayReply, type SubscriptionHandlerServices } from "../subscriber/subscription-handler.js";
import { createCallTurns } from "./call-turns.js";
import type { KeyedSubscription, KeyedSubscriptions } from "./keyed-subscriptions.js";
import { claimsOfKeyed, type KeyedClaims, withoutKey } from "./service-claims.js";
import { documentIn, messageBytes } from "./service-frames.js";

type Unary = Extract<ServiceMethod, { kind: "unary" }>;

/** Reply, Renegotiate, Close, ListPending, Repeat, Skip, Leave and Stop of aaep.v1.SubscriberService. */
export function keyedCalls(
  { engine }: Pick<SubscriptionHandlerServices, "engine">,
  clock: Pick<Clock, "afterTurn">,
  subscriptions: KeyedSubscriptions,
): readonly ServiceMethod[] {
  const { method } = SubscriberService;
  const turns = createCallTurns(clock);

  /** A call whose cost grows with open or journaled state. Its subscription is looked up again in its turn, because it may be gone by then. */
  const costly = (
    descriptor: Unary["descriptor"],
    field: string,
    answer: (one: KeyedSubscription, message: Message) => Uint8Array,
  ): Unary => ({
    kind: "unary",
    descriptor,
    answer: (frame: ServiceMessage, { signal }: ServiceCall) => {
      const { key, message } = keyedMessage(descriptor.input, field, frame);
      const { subscription_id: id } = message;
      return turns(subscriptions.needed(id, key).handler.id, messageBytes(frame), () => {
        if (signal.aborted) throw new Fault("cancelled", "The call was taken back before its turn came.");
        return answer(subscriptions.needed(id, key), message);
      });
    },
  });

  /** Returns whether the reply counted, never the reason why not (AAEP §6.3.4). */
  const reply = (frame: ServiceMessage): boolean | Promise<boolean> => {
    const said = documentIn(method.reply.input, frame);
    const message = (said.confirmation_reply ?? said.clarification_reply ?? {}) as Message;
    const one = subscriptions.find(message.subscription_id, said.key);
    const text = frame.written && withoutKey(frame.written.text);
    if (one !== undefined) return safeReply(one.handler, message, text);
    refuseStrayReply(engine, message, text);
    return false;
  };

  /** Refuses a reply that is no message: it did not count. A text that is no JSON is no reply either. */
  const refuseReply = (text: string, fault: Fault): Uint8Array => {
    if (!isJson(text)) throw fault;
    const { subscriptionId, key, replyToken } = claimsOfKeyed(text, ...REPLY_FIELDS);
    const one = subscriptions.find(subscriptionId, key);
    const written = withoutKey(text);
    if (one !== undefined) one.handler.refuseReply(replyToken, written);
    else engine.strayReply("malformed", replyToken, { text: written });
    return encodeDocument(ReplyResponseSchema, { accepted: false });
  };

  const end = ({ handler, end }: KeyedSubscription): Uint8Array => {
    handler.close();
    subscriptions.remove(handler.id);
    end();
    return encodeDocument(CloseResponseSchema, {});
  };

  /** Carries out a malformed close if its subscription is clear (R33). */
  const endClaimed = ({ subscriptionId, key }: CloseClaims, fault: unknown): Uint8Array => {
    const one = subscriptions.find(subscriptionId, key);
    if (one === undefined) throw fault;
    return end(one);
  };

  return [
    {
      kind: "unary",
      descriptor: method.reply,
      answer: (frame) => {
        const counts = reply(frame);
        const encode = (accepted: boolean): Uint8Array => encodeDocument(ReplyResponseSchema, { accepted });
        return typeof counts === "boolean" ? encode(counts) : counts.then(encode);
      },
      refused: refuseReply,
    },
    costly(method.renegotiate, "renegotiate", ({ handler, end }, asked) => {
      const { message, ended } = handler.renegotiate(asked);
      if (!ended) return encodeDocument(RenegotiateResponseSchema, { accepted: message });
      subscriptions.remove(handler.id);
      end();
      return encodeDocument(RenegotiateResponseSchema, { rejected: message });
    }),
    {
      kind: "unary",
      descriptor: method.close,
      answer: (frame) => {
        let said: KeyedMessage;
        try {
          said = keyedMessage(method.close.input, "close", frame);
        } catch (caught) {
          return endClaimed(closeClaimsIn(frame), caught);
        }
        return end(subscriptions.needed(said.message.subscription_id, said.key));
      },
      refused: (text, fault) => endClaimed(claimsOfKeyed(text, "close"), fault),
    },
    costly(method.listPending, "list_pending", ({ handler }, message) => {
      const pending = { type: "aaepd.pending", ...handler.listPending(message) };
      return encodeDocument(ListPendingResponseSchema, { pending });
    }),
    costly(method.repeat, "repeat", ({ handler }, message) => {
      handler.repeat(message);
      return encodeDocument(RepeatResponseSchema, {});
    }),
    {
      kind: "unary",
      descriptor: method.leave,
      answer: async (frame) => {
        const { key, message } = keyedMessage(method.leave.input, "leave", frame);
        await subscriptions.needed(message.subscription_id, key).handler.leave(message);
        return encodeDocument(LeaveResponseSchema, {});
      },
    },
    {
      kind: "unary",
      descriptor: method.stop,
      answer: (frame) => {
        const { key, message } = keyedMessage(method.stop.input, "stop", frame);
        subscriptions.needed(message.subscription_id, key).handler.stop(message);
        return encodeDocument(StopResponseSchema, {});
      },
    },
    costly(method.skip, "skip", ({ handler }, message) => {
      handler.skip(message);
      return encodeDocument(SkipResponseSchema, {});
    }),
  ];
}

const REPLY_FIELDS = ReplyRequestSchema.oneofs.flatMap(({ fields }) =>
  fields.flatMap(({ name, jsonName }) => [name, jsonName]),
);

type CloseClaims = Pick<KeyedClaims, "subscriptionId" | "key">;

/** Reads the claims of a close whose bytes cannot be decoded. */
function closeClaimsIn(frame: Uint8Array): CloseClaims {
  const { key, close } = CloseRequestSchema.field;
  const messages = fieldsIn(frame, close.number);
  const ids = messages.flatMap((one) => fieldsIn(one, SubscriptionCloseSchema.field.subscriptionId.number));
  return { subscriptionId: soleText(ids), key: soleText(fieldsIn(frame, key.number)) };
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
