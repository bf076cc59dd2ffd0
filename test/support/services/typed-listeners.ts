// Subscribers of aaep.v1.SubscriberService: the whole conversation on one stream, or a stream to listen to and calls beside it.
import { create, type DescMessage } from "@bufbuild/protobuf";
import { EventSchema } from "#gen/aaep/v1/event_pb.js";
import {
  AaepdCheckpointSchema,
  AaepdHeartbeatSchema,
  AaepdLeaveSchema,
  AaepdListPendingSchema,
  type AaepdPending,
  AaepdRepeatSchema,
  AaepdReplyNotTakenSchema,
  AaepdSkipSchema,
  AaepdStopSchema,
  ClarificationReplySchema,
  ConfirmationReplySchema,
  SubscriptionAcceptedSchema,
  SubscriptionCloseSchema,
  SubscriptionRejectedSchema,
  SubscriptionRenegotiateSchema,
  SubscriptionRequestSchema,
} from "#gen/aaep/v1/handshake_pb.js";
import {
  CloseRequestSchema,
  LeaveRequestSchema,
  ListenRequestSchema,
  type ListenResponse,
  ListPendingRequestSchema,
  RenegotiateRequestSchema,
  RepeatRequestSchema,
  ReplyRequestSchema,
  SkipRequestSchema,
  StopRequestSchema,
  SubscribeRequestSchema,
  type SubscribeResponse,
  SubscriberService,
} from "#gen/aaep/v1/subscriber_service_pb.js";
import type { Message, WireSniffer } from "../oracles/wire-sniffer.js";
import { createMessageQueue, type MessageQueue } from "../peers/message-queue.js";
import { allPending } from "../peers/pages.js";
import { cursorIn, type Subscription } from "../peers/peers.js";
import type { Converting } from "./converting.js";
import { errorDocument, refusalIn, refusalOf } from "./refusals.js";
import type { ServiceClient, ServiceEnd, ServiceStream } from "./service-client.js";

export interface ServiceListener extends Omit<Subscription, "peer"> {
  readonly heartbeats: MessageQueue<Message>;
  /** How many events each message carried. */
  readonly runs: readonly number[];
  /** How its stream ended. Rejects where there was none. */
  readonly ended: () => Promise<ServiceEnd>;
  /** Its connection breaks, without a word. */
  readonly vanish: () => Promise<void>;
  readonly stopReading: () => void;
  readonly readOn: () => void;
}

export interface ListenerOptions {
  readonly client: ServiceClient;
  readonly convert: Converting;
  readonly sniffer: WireSniffer;
  readonly label?: string;
}

/** What a stream of either method brings, taken apart. */
function createHearing({ convert, sniffer, label = "listener" }: ListenerOptions) {
  const events = createMessageQueue<Message>(`${label}'s events`);
  const answers = createMessageQueue<Message>(`${label}'s answers`);
  const closings = createMessageQueue<Message>(`${label}'s closings`);
  const heartbeats = createMessageQueue<Message>(`${label}'s heartbeats`);
  const notTaken = createMessageQueue<Message>(`${label}'s replies that did not count`);
  const checkpoints = createMessageQueue<Message>(`${label}'s checkpoints`);
  let cursor: string | undefined;
  const placing = (message: Message): Message => {
    cursor = cursorIn(message) ?? cursor;
    return sniffer.document(message);
  };
  const eventTexts: string[] = [];
  const runs: number[] = [];
  return {
    events,
    answers,
    closings,
    heartbeats,
    notTaken,
    checkpoints,
    cursor: () => cursor,
    eventTexts,
    runs,
    take: ({ events: some, message }: SubscribeResponse | ListenResponse): void => {
      if (some.length > 0) runs.push(some.length);
      for (const event of some) {
        const document = sniffer.document(convert.toDocument(EventSchema, event));
        eventTexts.push(JSON.stringify(document));
        events.push(document);
      }
      if (some.length > 0 && message.case !== undefined) throw new Error(`a ${message.case} beside events`);
      switch (message.case) {
        case "accepted":
          answers.push(placing(convert.toDocument(SubscriptionAcceptedSchema, message.value)));
          break;
        case "rejected":
          answers.push(sniffer.document(convert.toDocument(SubscriptionRejectedSchema, message.value)));
          break;
        case "pending":
          answers.push(sniffer.document(pendingDocument(convert, message.value)));
          break;
        case "error":
          answers.push(sniffer.document(errorDocument(message.value)));
          break;
        case "close":
          closings.push(placing(convert.toDocument(SubscriptionCloseSchema, message.value)));
          break;
        case "heartbeat":
          heartbeats.push(sniffer.document(convert.toDocument(AaepdHeartbeatSchema, message.value)));
          break;
        case "checkpoint":
          checkpoints.push(placing(convert.toDocument(AaepdCheckpointSchema, message.value)));
          break;
        case "replyNotTaken":
          notTaken.push(sniffer.document(convert.toDocument(AaepdReplyNotTakenSchema, message.value)));
          break;
        case undefined:
          if (some.length === 0) throw new Error("a message with nothing in it");
      }
    },
    end: (): void => {
      for (const queue of [events, answers, closings, heartbeats, notTaken, checkpoints]) queue.end();
    },
  };
}

/** Each test says which answers it waits for; what ends before is told by how it ended. */
async function answerOr(answers: MessageQueue<Message>, stream: ServiceStream<never>, what: string): Promise<Message> {
  const silent = stream.ended.then((end): Promise<Message> => {
    // What came with the end has been taken by now.
    const [answer] = answers.rest();
    return answer === undefined
      ? Promise.reject(new Error(`ended before ${what}: ${JSON.stringify(end)}`))
      : Promise.resolve(answer);
  });
  silent.catch(() => {});
  return Promise.race([answers.next(what), silent]);
}

export function streamListener(options: ListenerOptions): ServiceListener {
  const { client, convert } = options;
  const hearing = createHearing(options);
  const { answers } = hearing;
  let stream: ServiceStream<ReturnType<typeof requestOf>> | undefined;
  let id = "";

  const requestOf = <Descriptor extends DescMessage>(name: string, descriptor: Descriptor, document: Message) =>
    create(SubscribeRequestSchema, {
      // The case belongs to the descriptor that stands beside it.
      message: { case: name, value: convert.toMessage(descriptor, document) } as never,
    });
  const open = (): NonNullable<typeof stream> => {
    if (stream === undefined) {
      stream = client.stream(SubscriberService.method.subscribe, hearing.take);
      void stream.ended.then(hearing.end);
    }
    return stream;
  };
  const say = (name: string, descriptor: DescMessage, document: Message): void =>
    open().send(requestOf(name, descriptor, document));
  const listPending = () =>
    allPending((after) => {
      say("listPending", AaepdListPendingSchema, { type: "aaepd.list_pending", ...after });
      return answers.next("the open questions");
    });
  /** What is not answered where it works is followed by what is answered always. */
  const tell = async (name: string, descriptor: DescMessage, document: Message): Promise<Message> => {
    say(name, descriptor, document);
    say("listPending", AaepdListPendingSchema, { type: "aaepd.list_pending" });
    const first = await answers.next(`the answer to ${name}`);
    if (first.type !== "aaepd.error") return {};
    await answers.next("the open questions");
    return first;
  };
  return {
    ...hearing,
    id: () => id,
    subscribe: async (request) => {
      say("request", SubscriptionRequestSchema, request);
      const answer = await answerOr(answers, open() as ServiceStream<never>, "accepted or rejected");
      if (typeof answer.subscription_id === "string") id = answer.subscription_id;
      return answer;
    },
    renegotiate: (capabilities) => {
      const document = { type: "subscription.renegotiate", subscription_id: id, capabilities };
      say("renegotiate", SubscriptionRenegotiateSchema, document);
      return answers.next("accepted or rejected");
    },
    skip: (params) => tell("skip", AaepdSkipSchema, { ...params, type: "aaepd.skip" }),
    repeat: (eventId) => tell("repeat", AaepdRepeatSchema, { type: "aaepd.repeat", event_id: eventId }),
    stop: (sessionId) => tell("stop", AaepdStopSchema, { type: "aaepd.stop", session_id: sessionId }),
    leave: (token) => tell("leave", AaepdLeaveSchema, { type: "aaepd.leave", reply_token: token }),
    listPending,
    reply: async (message) => {
      const document = { ...message, subscription_id: id };
      if (message.type === "clarification.reply") say("clarificationReply", ClarificationReplySchema, document);
      else say("confirmationReply", ConfirmationReplySchema, document);
    },
    close: async () => {
      const document = { type: "subscription.close", subscription_id: id, reason_code: "subscriber_shutdown" };
      say("close", SubscriptionCloseSchema, document);
      assertOrderly(await open().ended);
      await client.close();
    },
    ended: () => open().ended,
    vanish: async () => {
      client.abandon();
      await stream?.ended;
      await client.close();
    },
    stopReading: () => open().stopReading(),
    readOn: () => open().readOn(),
  };
}

export function listenListener(options: ListenerOptions): ServiceListener {
  const { client, convert } = options;
  const hearing = createHearing(options);
  const { answers } = hearing;
  const { method } = SubscriberService;
  let stream: ServiceStream<ReturnType<typeof listenRequest>> | undefined;
  let id = "";
  let key = "";

  const listenRequest = (request: Message) =>
    create(ListenRequestSchema, { request: convert.toMessage(SubscriptionRequestSchema, request) });
  const opened = (): NonNullable<typeof stream> => {
    if (stream === undefined) throw new Error("no stream was opened");
    return stream;
  };
  return {
    ...hearing,
    id: () => id,
    subscribe: async (request) => {
      stream = client.stream(method.listen, hearing.take);
      stream.send(listenRequest(request));
      stream.halfClose();
      const answer = await answerOr(answers, stream as ServiceStream<never>, "accepted or rejected");
      if (answer.type === "subscription.rejected") assertOrderly(await stream.ended);
      if (typeof answer.subscription_id !== "string") return answer;
      void stream.ended.then(hearing.end);
      id = answer.subscription_id;
      key = (answer.honored_capabilities as { readonly aaepd: { readonly key: string } }).aaepd.key;
      return answer;
    },
    renegotiate: async (capabilities) => {
      const document = { type: "subscription.renegotiate", subscription_id: id, capabilities };
      const renegotiate = convert.toMessage(SubscriptionRenegotiateSchema, document);
      try {
        const { message } = await client.unary(
          method.renegotiate,
          create(RenegotiateRequestSchema, { key, renegotiate }),
        );
        if (message.case === undefined) throw new Error("an answer with nothing in it");
        return options.sniffer.document(
          message.case === "accepted"
            ? convert.toDocument(SubscriptionAcceptedSchema, message.value)
            : convert.toDocument(SubscriptionRejectedSchema, message.value),
        );
      } catch (caught) {
        return refusalIn(caught);
      }
    },
    skip: async (params) => {
      const skip = convert.toMessage(AaepdSkipSchema, { ...params, type: "aaepd.skip", subscription_id: id });
      return client.unary(method.skip, create(SkipRequestSchema, { key, skip })).then(nothing, refusalIn);
    },
    repeat: async (eventId) => {
      const document = { type: "aaepd.repeat", event_id: eventId, subscription_id: id };
      const repeat = convert.toMessage(AaepdRepeatSchema, document);
      return client.unary(method.repeat, create(RepeatRequestSchema, { key, repeat })).then(nothing, refusalIn);
    },
    stop: async (sessionId) => {
      const document = { type: "aaepd.stop", session_id: sessionId, subscription_id: id };
      const stop = convert.toMessage(AaepdStopSchema, document);
      return client.unary(method.stop, create(StopRequestSchema, { key, stop })).then(nothing, refusalIn);
    },
    leave: async (token) => {
      const document = { type: "aaepd.leave", reply_token: token, subscription_id: id };
      const leave = convert.toMessage(AaepdLeaveSchema, document);
      return client.unary(method.leave, create(LeaveRequestSchema, { key, leave })).then(nothing, refusalIn);
    },
    listPending: () =>
      allPending(async (after) => {
        const document = { type: "aaepd.list_pending", subscription_id: id, ...after };
        const listPending = convert.toMessage(AaepdListPendingSchema, document);
        const { pending } = await client.unary(
          method.listPending,
          create(ListPendingRequestSchema, { key, listPending }),
        );
        if (pending === undefined) throw new Error("no list of questions");
        return options.sniffer.document(pendingDocument(convert, pending));
      }),
    reply: async (message) => {
      const document = { ...message, subscription_id: id };
      const reply =
        message.type === "clarification.reply"
          ? ({ case: "clarificationReply", value: convert.toMessage(ClarificationReplySchema, document) } as const)
          : ({ case: "confirmationReply", value: convert.toMessage(ConfirmationReplySchema, document) } as const);
      const { accepted } = await client.unary(method.reply, create(ReplyRequestSchema, { key, reply }));
      if (!accepted) throw new Error("the reply did not count");
    },
    close: async () => {
      const close = convert.toMessage(SubscriptionCloseSchema, { type: "subscription.close", subscription_id: id });
      await client.unary(method.close, create(CloseRequestSchema, { key, close }));
      assertOrderly(await opened().ended);
      await client.close();
    },
    ended: () => opened().ended,
    vanish: async () => {
      client.abandon();
      await stream?.ended;
      await client.close();
    },
    stopReading: () => opened().stopReading(),
    readOn: () => opened().readOn(),
  };
}

function pendingDocument(convert: Converting, { questions, next }: AaepdPending): Message {
  // None and no member are one thing in a list of protobuf; in the message of this name it is none.
  return {
    type: "aaepd.pending",
    questions: questions.map((one) => convert.toDocument(EventSchema, one)),
    ...(next === undefined ? {} : { next }),
  };
}

function nothing(): Message {
  return {};
}

function assertOrderly(end: ServiceEnd): void {
  if (end.status !== "OK") throw new Error(`closed in order, but told ${JSON.stringify(refusalOf(end))}`);
}
