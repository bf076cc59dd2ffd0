// What a listener says by calls beside its stream of Listen; each shows the key of its acceptance (R19, R26, R28).

import type { DescMessage } from "@bufbuild/protobuf";
import {
  CloseResponseSchema,
  ListPendingResponseSchema,
  RenegotiateResponseSchema,
  RepeatResponseSchema,
  ReplyResponseSchema,
  SkipResponseSchema,
  SubscriberService,
} from "#gen/aaep/v1/subscriber_service_pb.js";
import { Fault } from "../../base/errors.js";
import type { Clock } from "../../contracts/clock.js";
import type { ServiceCall, ServiceMethod } from "../../contracts/service.js";
import { createCallTurns } from "./call-turns.js";
import type { KeyedSubscription, KeyedSubscriptions } from "./keyed-subscriptions.js";
import { encodeDocument } from "./protobuf/encode.js";
import { safeReply } from "./safe-reply.js";
import { documentIn } from "./service-frames.js";
import { createSubscriptionDesk, type DeskServices, type Message } from "./subscription-desk.js";

type Unary = Extract<ServiceMethod, { kind: "unary" }>;

/** Reply, Renegotiate, Close, ListPending, Repeat and Skip of aaep.v1.SubscriberService. */
export function keyedCalls(
  services: DeskServices,
  clock: Pick<Clock, "afterTurn">,
  subscriptions: KeyedSubscriptions,
): readonly ServiceMethod[] {
  const { method } = SubscriberService;
  const desk = createSubscriptionDesk(services);
  const turns = createCallTurns(clock);

  /** A call whose cost grows with what is open or journaled. Its subscription is looked for again in its turn, when it may be gone. */
  const costly = (
    descriptor: Unary["descriptor"],
    field: string,
    answer: (one: KeyedSubscription, message: Message) => Uint8Array,
  ): Unary => ({
    kind: "unary",
    descriptor,
    answer: (frame: Uint8Array, { signal }: ServiceCall) => {
      const { key, message } = keyedMessage(descriptor.input, field, frame);
      const { subscription_id: id } = message;
      return turns(subscriptions.needed(id, key).open.id, () => {
        if (signal.aborted) throw new Fault("cancelled", "The call was taken back before its turn came.");
        return answer(subscriptions.needed(id, key), message);
      });
    },
  });

  /** Whether it counted, and never why not (AAEP §6.3.4). */
  const reply = (frame: Uint8Array): boolean | Promise<boolean> => {
    const said = documentIn(method.reply.input, frame);
    const message = (said.confirmation_reply ?? said.clarification_reply ?? {}) as Message;
    const one = subscriptions.find(message.subscription_id, said.key);
    if (one !== undefined) return safeReply(one.open, message);
    desk.strayReply(message);
    return false;
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
    },
    costly(method.renegotiate, "renegotiate", ({ open, wake, end }, asked) => {
      const { message, ended } = open.renegotiate(asked);
      if (!ended) {
        wake();
        return encodeDocument(RenegotiateResponseSchema, { accepted: message });
      }
      subscriptions.remove(open.id);
      end();
      return encodeDocument(RenegotiateResponseSchema, { rejected: message });
    }),
    {
      kind: "unary",
      descriptor: method.close,
      answer: (frame) => {
        const { key, message } = keyedMessage(method.close.input, "close", frame);
        const { open, end } = subscriptions.needed(message.subscription_id, key);
        open.close(message);
        subscriptions.remove(open.id);
        end();
        return encodeDocument(CloseResponseSchema, {});
      },
    },
    costly(method.listPending, "list_pending", ({ open }, message) => {
      const questions = open.listPending(message);
      return encodeDocument(ListPendingResponseSchema, { pending: { type: "aaepd.pending", questions } });
    }),
    costly(method.repeat, "repeat", ({ open }, message) => {
      open.repeat(message);
      return encodeDocument(RepeatResponseSchema, {});
    }),
    costly(method.skip, "skip", ({ open }, message) => {
      open.skip(message);
      return encodeDocument(SkipResponseSchema, {});
    }),
  ];
}

/** The message in `field`, and the key beside it. Throws `invalid_message` where there is no message. */
function keyedMessage(
  descriptor: DescMessage,
  field: string,
  frame: Uint8Array,
): { readonly key: unknown; readonly message: Message } {
  const said = documentIn(descriptor, frame);
  // Where the field is there, it is a message.
  const message = said[field] as Message | undefined;
  if (message !== undefined) return { key: said.key, message };
  const sentence = `Set \`${field}\` of the ${descriptor.typeName}, with the subscription_id in it and the key beside it.`;
  throw new Fault("invalid_message", sentence, { pointer: "", rule: "R19" });
}
