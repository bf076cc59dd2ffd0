import { describe, expect, it } from "vitest";
import { GRPC, serviceClient } from "../support/lanes.js";
import type { Subscription } from "../support/peers/peers.js";
import { startAuditedRig } from "../support/rigs/audited-rig.js";
import { type DaemonRig, nextSession, requestOf, turns } from "../support/rigs/daemon-rig.js";
import { jsonCall, openJsonStream } from "../support/services/json-stream.js";
import { listenListener } from "../support/services/service-peers.js";
import { partyOf, startServices } from "../support/services/service-stage.js";

type Message = Readonly<Record<string, unknown>>;

const CAPABLE = { supports_confirmation_reply: true, coalesce_boundaries: ["none"] };
const SUBSCRIBE =
  '{"request":{"aaepVersion":"1.0.0","subscriberId":"json","capabilities":{"supportsConfirmationReply":true}}}';
const STREAMS = ["application/connect+json", "application/grpc+json", "application/grpc-web+json"];

const started = () => startAuditedRig({ services: { grpc: "unix", http: "unix" } });

async function ask(rig: DaemonRig) {
  const agent = await rig.rpc();
  const witness = await rig.plain();
  await witness.subscribe(requestOf(CAPABLE, { subscriber_id: "witness" }));
  const session_id = nextSession();
  await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
  const outcome = agent.request("aaep.confirm", { session_id, action: "Act.", consequence: "It is done." });
  const asked = await hearQuestion(witness);
  await turns();
  return { asked, outcome };
}

async function hearQuestion({ events }: Pick<Subscription, "events">): Promise<Message> {
  for (;;) {
    const event = await events.next("the question");
    if (event.type === "aaep:agent.awaiting.confirmation") return event;
  }
}

/** Members of a reply in the JSON of protobuf. */
const fieldsOf = (asked: Message, id: string): string =>
  `"replyToken":"${asked.reply_token}","subscriptionId":"${id}","timestamp":"${new Date().toISOString()}"`;

const ACCEPT = '"decision":"DECISION_ACCEPT"';
const REJECT = '"decision":"DECISION_REJECT"';

describe("R19: Reply in JSON", () => {
  it("is refused where it says both, and the question stays open", async () => {
    const { rig, replies } = await started();
    const person = listenListener(partyOf(rig, serviceClient(rig, GRPC)));
    const accepted = await person.subscribe(requestOf(CAPABLE, { subscriber_id: "person" }));
    const { key } = (accepted.honored_capabilities as { readonly aaepd: { readonly key: string } }).aaepd;
    const { asked, outcome } = await ask(rig);
    const fields = fieldsOf(asked, person.id());
    const texts = [
      `{"key":"${key}","confirmationReply":{${fields},${REJECT},${ACCEPT}}}`,
      `{"key":"${key}","confirmationReply":{${fields},${ACCEPT},"reply_token":"${asked.reply_token}"}}`,
      `{"key":"${key}","confirmation_reply":{${fields},${REJECT}},"confirmationReply":{${fields},${ACCEPT}}}`,
      `{"confirmationReply":{${fields},${ACCEPT},"additional":{"x":[{"y":1,"y":2}]}},"key":"${key}"}`,
      `{"key":"${key}","confirmationReply":{${fields},"decision":7.5}}`,
    ];
    for (const text of [...texts, `{"key":"x",${texts[0]?.slice(1)}`, "{", '{"confirmationReply":["b']) {
      const answer = await jsonCall(rig.serviceAddress("http"), "SubscriberService/Reply", text);
      expect([answer.status, JSON.parse(answer.body.toString())]).toMatchObject([400, { code: "invalid_argument" }]);
    }
    const taken = `{"key":"${key}", "confirmationReply":{${fields},${ACCEPT}}}`;
    const answer = await jsonCall(rig.serviceAddress("http"), "SubscriberService/Reply", taken);
    expect(answer.body.toString()).toBe('{"accepted":true}');
    expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
    await person.close();
    const recorded = await replies();
    expect(recorded).toMatchObject([{ fate: "counted", reply: { decision: "accept" } }]);
    expect(JSON.stringify(recorded)).not.toContain(key);
  });
});

describe.each(STREAMS)("R19: a stream of %s", (contentType) => {
  it("tells of every message that says both, takes none, and goes on", async () => {
    const { rig, replies } = await started();
    const stream = await openJsonStream(rig.serviceAddress("http"), "SubscriberService/Subscribe", contentType);
    stream.say('{"request":{"subscriberId":"a","subscriber_id":"b"}}');
    expect(await stream.messages.next()).toMatchObject({
      error: {
        code: "invalid_message",
        pointer: "/request/subscriber_id",
        rule: "R19",
      },
    });
    stream.say(SUBSCRIBE);
    const { accepted } = (await stream.messages.next()) as { accepted?: { subscriptionId: string } };
    const { asked, outcome } = await ask(rig);
    const fields = fieldsOf(asked, accepted?.subscriptionId ?? "");
    const reply = `{"confirmationReply":{${fields},${REJECT},${ACCEPT}}}`;
    const both = `{"confirmationReply":{${fields},${ACCEPT}},"confirmation_reply":{${fields},${REJECT}}}`;
    for (const text of [reply, both, '{"listPending":{},"list_pending":{}}', '{"listPending":{},"repeat":{}}', "{"])
      stream.say(text);
    const said: Message[] = [];
    while (said.length < 5) {
      const message = await stream.messages.next();
      if (!("events" in message)) said.push(message);
    }
    expect(said).toMatchObject([
      { error: { code: "invalid_message" } },
      { error: { code: "invalid_message" } },
      { error: { code: "invalid_message", pointer: "/list_pending", rule: "R19" } },
      { error: { code: "invalid_message" } },
      { error: { code: "invalid_message" } },
    ]);
    const taken = `{ "confirmation_reply":{${fields},${ACCEPT}}}`;
    stream.say(taken);
    expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
    const ours = { reply_token: asked.reply_token, subscription_id: accepted?.subscriptionId };
    expect(await replies()).toMatchObject([{ ...ours, fate: "counted" }]);
  });
});

describe("R19: other calls in JSON", () => {
  it("are refused with a status, and nothing of them holds", async () => {
    const rig = await startServices();
    const listener = await rig.plain();
    await listener.subscribe(requestOf());
    const event = '"sessionStarted":{"summaryNormal":"Begins."}';
    for (const [method, text, words] of [
      [
        "AgentService/PublishBatch",
        `{"publish":{"events":[{"sessionId":"sess_a","sessionId":"sess_b",${event}}]}}`,
        /"sessionId/,
      ],
      [
        "AgentService/PublishBatch",
        `{"publish":{"events":[{"sessionId":"sess_a","session_id":"sess_a",${event}}]}}`,
        /session_id/,
      ],
      [
        "AgentService/PublishBatch",
        `{"publish":{"events":[{"sessionId":"s",${event},"session_started":null}]}}`,
        /sessionStarted/,
      ],
      ["AgentService/GetOutcome", '{"replyToken":"a","replyToken":"b"}', /replyToken/],
      ["SubscriberService/GetManifest", '{"x":1,"x":1}', /"x/],
      [
        "SubscriberService/ListPending",
        '{"key":"a","listPending":{"subscriptionId":"a","subscription_id":"a"}}',
        /subscription_id/,
      ],
      [
        "SubscriberService/Renegotiate",
        '{"key":"a","renegotiate":{"capabilities":{"paceWpm":1,"paceWpm":2}}}',
        /paceWpm/,
      ],
    ] as const) {
      const answer = await jsonCall(rig.serviceAddress("http"), method, text);
      const { code, message } = JSON.parse(answer.body.toString()) as Message;
      expect([text, answer.status, code]).toEqual([text, 400, "invalid_argument"]);
      expect(message).toMatch(words);
    }
    await turns();
    expect(listener.events.rest()).toEqual([]);
  });

  it("Listen ends with the status of what was wrong", async () => {
    const rig = await startServices();
    const stream = await openJsonStream(rig.serviceAddress("http"), "SubscriberService/Listen");
    stream.say('{"request":{"aaepVersion":"1.0.0","aaep_version":"1.0.0","subscriberId":"a"}}');
    stream.halfClose();
    expect(await stream.messages.next()).toMatchObject({ error: { rule: "R19", pointer: "/request/aaep_version" } });
    expect(await stream.messages.next()).toMatchObject({ error: { code: "invalid_argument" } });
  });
});
