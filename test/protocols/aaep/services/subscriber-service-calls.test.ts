// What a listener says beside its stream of Listen, by calls that are answered once (AAEP app. B, R19, R26, R28, R32).
import type { DescMethod } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AgentService, PublishBatchRequestSchema, PublishBatchResponseSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import { decodeDocument } from "../../../../src/protocols/aaep/protobuf/decode.js";
import { encodeDocument } from "../../../../src/protocols/aaep/protobuf/encode.js";
import { agentMethods } from "../../../../src/protocols/aaep/services/agent-service.js";
import { createSpokenLanguages } from "../../../../src/protocols/aaep/subscriber/spoken-languages.js";
import { statusOf } from "../../../../src/runtime/run-conversation.js";
import { CallSignal } from "../../../../transports/json-rpc/call-signal.js";
import {
  createSubscriberRig,
  type Document,
  requestOf,
  type SubscriberRig,
} from "../../../support/peers/subscriber-calls.js";
import { SILENT_LOG, session } from "../../../support/rigs/engine-rig.js";

const { method } = SubscriberService;
const ABLE = { supports_confirmation_reply: true, supports_clarification_reply: true };
const NOW = "2026-05-24T14:00:01Z";
const TOKEN = "rpl_confirm01";

interface Listening {
  readonly rig: SubscriberRig;
  readonly stream: ReturnType<SubscriberRig["listen"]>;
  readonly id: string;
  readonly key: string;
}

async function listeningOn(rig: SubscriberRig, subscriber = "reader", others: Document = {}): Promise<Listening> {
  const stream = rig.listen({ request: requestOf({ ...ABLE, ...others }, { subscriber_id: subscriber }) });
  await rig.settle();
  const [accepted] = stream.heard();
  const honored = accepted?.honored_capabilities as { readonly aaepd: { readonly key: string } };
  return { rig, stream, id: String(accepted?.subscription_id), key: honored.aaepd.key };
}

const listening = (): Promise<Listening> => listeningOn(createSubscriberRig());

const replyOf = (id: string, others: Document = {}): Document => ({
  subscription_id: id,
  reply_token: TOKEN,
  decision: "accept",
  timestamp: NOW,
  ...others,
});

/** Each call but Reply, with a message that is right. */
const CALLS: readonly (readonly [name: string, method: DescMethod, field: string, message: Document])[] = [
  ["Renegotiate", method.renegotiate, "renegotiate", { capabilities: {} }],
  ["Close", method.close, "close", {}],
  ["ListPending", method.listPending, "list_pending", {}],
  ["Repeat", method.repeat, "repeat", { event_id: "evt_0000000000000000000000000000ffff" }],
  ["Skip", method.skip, "skip", {}],
];

describe("calls beside Listen", () => {
  it("Reply says that it counted, once", async () => {
    const { rig, id, key } = await listening();
    rig.publish(session().started(), session().confirmation(TOKEN));
    await rig.settle();
    const request = { key, confirmation_reply: replyOf(id) };
    expect(await rig.call(method.reply, request)).toEqual({ accepted: true });
    expect(await rig.call(method.reply, request)).toEqual({ accepted: false });
    expect(rig.agent.outcomes).toMatchObject([{ result: { resolvedBy: "reply", decision: "accept" } }]);
  });

  it("R19: Reply and the stream both say that it did not count; of what a stream does not take, the newest alone waits", async () => {
    const rig = createSubscriberRig();
    const { stream, id, key } = await listeningOn(rig, "reader", { aaepd: { reply_status: true } });
    rig.publish(session().started(), session().confirmation(TOKEN, { timeout_seconds: 600 }));
    rig.publish(session().confirmation("rpl_last", { action: "Another.", timeout_seconds: 600 }));
    await rig.settle();
    const told = () => stream.heard().filter(({ type }) => type === "aaepd.reply_not_taken");
    const spoil = async (token: string): Promise<void> => {
      const reply = replyOf(id, { reply_token: token, timestamp: "2036-01-01T00:00:00Z" });
      expect(await rig.call(method.reply, { key, confirmation_reply: reply })).toEqual({ accepted: false });
      await rig.pass(1000);
    };
    await spoil(TOKEN);
    expect(told()).toEqual([{ type: "aaepd.reply_not_taken", reply_token: TOKEN }]);
    expect(stream.responses()).toContainEqual({ events: [], reply_not_taken: told()[0] });
    stream.stopReading();
    for (let count = 0; count < 50; count += 1) await spoil(TOKEN);
    await spoil("rpl_last");
    stream.readOn();
    await rig.settle();
    expect(told().at(-1)).toMatchObject({ reply_token: "rpl_last" });
    // What the stream took before it was full, and the newest.
    expect(told().length).toBeLessThan(10);
    await spoil(TOKEN);
    expect(told().at(-1)).toMatchObject({ reply_token: TOKEN });
  });

  it("R19: Reply refuses what cannot be decoded, and the audit log has a line of it", async () => {
    const { rig } = await listening();
    const reply = rig.methods.find(({ descriptor }) => descriptor === method.reply);
    if (reply?.kind !== "unary") throw new Error("there is no Reply");
    const call = { peer: { label: "call", trust: "token-holder" }, signal: new CallSignal() } as const;
    expect(() => reply.answer(Uint8Array.of(0xff, 0xff), call)).toThrowError(
      expect.objectContaining({ code: "invalid_message" }),
    );
    const lines = rig.audit.filter(({ kind }) => kind === "reply");
    expect(lines).toMatchObject([{ fate: "malformed", reply_token: "", subscription_id: "", subscriber_id: "" }]);
    expect(lines).toHaveLength(1);
  });

  it("R5: the key of an agent is none of a subscription: whoever asks by calls does not answer by it", async () => {
    const { rig, id } = await listening();
    const agent = agentMethods({
      engine: rig.engine,
      access: rig.services.access,
      ids: { hex: (bytes) => "a".repeat(bytes * 2) },
      clock: rig.clock,
      log: SILENT_LOG,
      agentIdleMs: () => 60_000,
      languages: createSpokenLanguages("en-US"),
      handshakeTimeoutMs: () => 60_000,
      readFrames: () => undefined,
      statusOf,
      served: () => undefined,
    });
    const publishBatch = agent.methods.find(({ descriptor }) => descriptor === AgentService.method.publishBatch);
    if (publishBatch?.kind !== "unary") throw new Error("there is no PublishBatch");
    const events = [session().started(), session().confirmation(TOKEN)];
    const answer = publishBatch.answer(encodeDocument(PublishBatchRequestSchema, { publish: { events } }), {
      peer: { label: "agent", trust: "same-user" },
      signal: new CallSignal(),
    });
    await rig.settle();
    const { agent_key: key } = decodeDocument(PublishBatchResponseSchema, await answer);
    expect(key).toBe("a".repeat(32));
    const request = { key, confirmation_reply: replyOf(id) };
    expect(await rig.call(method.reply, request)).toEqual({ accepted: false });
    expect(rig.engine.status().openQuestionCount).toBe(1);
  });

  it("Close ends the stream in order, and the subscription at once (R7, AAEP §5.8)", async () => {
    const { rig, stream, id, key } = await listening();
    rig.publish(session().started(), session().confirmation(TOKEN));
    await rig.settle();
    expect(await rig.call(method.close, { key, close: { subscription_id: id } })).toEqual({});
    expect(rig.engine.status().subscriptionCount).toBe(0);
    // Nobody else could answer: the default applies.
    await rig.settle();
    expect(rig.agent.outcomes).toMatchObject([{ result: { decision: "reject" } }]);
    expect(stream.status()).toBe("OK");
    // A shutdown that comes at the same time has nothing to add.
    await rig.served[0]?.finish("producer_shutdown");
    expect(stream.types()).not.toContain("subscription.close");
  });

  it("what carries no message is refused", async () => {
    const { rig, key } = await listening();
    for (const [, descriptor] of CALLS) {
      expect(await rig.call(descriptor, { key })).toMatchObject({ fault: { code: "invalid_message", rule: "R19" } });
    }
    expect(await rig.call(method.reply, { key })).toEqual({ accepted: false });
  });
});

describe("keys (R19)", () => {
  it.each(CALLS)(
    "%s tells nobody whether it was the subscription or the key",
    async (_, descriptor, field, message) => {
      const rig = createSubscriberRig();
      const one = await listeningOn(rig);
      const other = await listeningOn(rig, "another");
      const wrong = one.key.replace(/.$/, "!");
      const answers = [];
      for (const [id, key] of [
        [one.id, wrong],
        [one.id, other.key],
        [one.id, undefined],
        [one.id, ""],
        [one.id, `${one.key}0`],
        ["sub_00000000000000000000000000000000", one.key],
        ["sub_00000000000000000000000000000000", "-".repeat(32)],
        [undefined, one.key],
      ] as const) {
        answers.push(await rig.call(descriptor, { key, [field]: { ...message, subscription_id: id } }));
      }
      const fault = { code: "unknown_subscription", pointer: "/subscription_id", rule: "R19" };
      expect(answers).toEqual(answers.map(() => ({ fault })));
      expect(rig.engine.status().subscriptionCount).toBe(2);
      expect([one.stream.status(), other.stream.status()]).toEqual([undefined, undefined]);
    },
  );

  it("Reply says no more than that it did not count, and the audit log knows (AAEP §6.3.4)", async () => {
    const rig = createSubscriberRig();
    const one = await listeningOn(rig);
    const other = await listeningOn(rig, "another");
    rig.publish(session().started(), session().confirmation(TOKEN));
    await rig.settle();
    for (const request of [
      { key: other.key, confirmation_reply: replyOf(one.id) },
      { confirmation_reply: replyOf(one.id) },
      { key: one.key, confirmation_reply: replyOf("sub_00000000000000000000000000000000") },
      { key: one.key, confirmation_reply: replyOf(one.id, { decision: undefined }) },
      { key: one.key, confirmation_reply: replyOf(one.id, { reply_token: "rpl_another" }) },
      { key: one.key, confirmation_reply: replyOf(one.id, { timestamp: "yesterday" }) },
    ]) {
      expect(await rig.call(method.reply, request)).toEqual({ accepted: false });
    }
    expect(rig.agent.outcomes).toEqual([]);
    expect(rig.audit.filter(({ kind }) => kind === "reply")).toHaveLength(6);
    // It is still open, for whoever may.
    const right = { key: one.key, confirmation_reply: replyOf(one.id) };
    expect(await rig.call(method.reply, right)).toEqual({ accepted: true });
  });

  it("end with the stream, and are not those of Subscribe", async () => {
    const { rig, stream, id, key } = await listening();
    stream.hangUp();
    await rig.settle();
    const gone = await rig.call(method.listPending, { key, list_pending: { subscription_id: id } });
    expect(gone).toMatchObject({ fault: { code: "unknown_subscription" } });

    const subscribed = rig.subscribe();
    subscribed.say({ request: requestOf(ABLE) });
    await rig.settle();
    const accepted = subscribed.heard()[0] as {
      subscription_id: string;
      honored_capabilities: { aaepd: { key: string } };
    };
    const answer = await rig.call(method.listPending, {
      key: accepted.honored_capabilities.aaepd.key,
      list_pending: { subscription_id: accepted.subscription_id },
    });
    expect(answer).toMatchObject({ fault: { code: "unknown_subscription" } });
  });
});
