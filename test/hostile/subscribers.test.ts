// Subscribers that send what no subscriber should. Each case ends in a typed answer or a closed connection, and nobody else notices.
import { describe, expect, it } from "vitest";
import { expectInProportion } from "../support/cost.js";
import type { Message } from "../support/oracles/wire-sniffer.js";
import { type DaemonRig, requestOf, startRig } from "../support/rigs/daemon-rig.js";

const STARTED = { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." };
const DONE = { type: "aaep:agent.session.completed", session_id: "sess_1", summary_normal: "Done." };

/** JSON nested that deep. */
function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

/** Text in its place, where JSON.stringify would need the value. */
function withText(message: Message, key: string, text: string): string {
  return JSON.stringify({ ...message, [key]: "HERE" }).replace('"HERE"', () => text);
}

async function refusedThenAccepted(rig: DaemonRig, bad: string): Promise<Message> {
  const peer = await rig.plain();
  peer.sendText(bad);
  const refusal = await peer.answers.next("a refusal");
  expect((await peer.subscribe(requestOf())).type).toBe("subscription.accepted");
  await peer.close();
  return refusal;
}

describe("the order of messages", () => {
  it("R33: of many requests on one plain connection the last that was accepted holds it, at the limit of subscriptions too", async () => {
    const rig = await startRig({ configuration: { maxConcurrentSubscriptions: 1 } });
    const peer = await rig.plain();
    for (let round = 0; round < 100; round += 1)
      expect(await peer.subscribe(requestOf())).toMatchObject({ type: "subscription.accepted" });
    const { subscriptions } = (await (await rig.rpc()).request("aaepd.status")) as {
      subscriptions: readonly Message[];
    };
    expect(subscriptions).toMatchObject([{ subscription_id: peer.id() }]);
    const agent = await rig.rpc();
    await agent.publish(STARTED, DONE);
    expect((await peer.events.take(2)).map(({ type }) => type)).toEqual([STARTED.type, DONE.type]);
    await peer.listPending();
    expect(peer.events.rest()).toEqual([]);
  });

  it("R19, T8: the id of another's subscription opens nothing", async () => {
    const rig = await startRig();
    const [mine, theirs] = [await rig.plain(), await rig.plain()];
    await mine.subscribe(requestOf());
    await theirs.subscribe(requestOf());
    const others: readonly Message[] = [
      { type: "subscription.renegotiate", subscription_id: theirs.id(), capabilities: { aaepd: { paused: true } } },
      { type: "aaepd.skip", subscription_id: theirs.id() },
      { type: "aaepd.list_pending", subscription_id: theirs.id() },
      { type: "aaepd.repeat", event_id: "evt_1", subscription_id: "sub_unknown" },
    ];
    for (const message of others) {
      mine.say(message);
      expect(await mine.answers.next()).toMatchObject({ code: "unknown_subscription", pointer: "/subscription_id" });
    }
    // There is one subscription on a plain connection, whatever a close calls it (R33).
    mine.say({ type: "subscription.close", subscription_id: theirs.id() });
    await mine.closed;
    await rig.expectOthersServed();
    const agent = await rig.rpc();
    await agent.publish(STARTED);
    // Two of the agent that asks whether others are served, and one of this one.
    expect((await theirs.events.take(3)).at(-1)).toMatchObject(STARTED);
    const rpc = await rig.rpc();
    await rpc.subscription().subscribe(requestOf());
    expect(await rpc.refusal("aaep.close", { type: "subscription.close", subscription_id: theirs.id() })).toMatchObject(
      {
        code: "unknown_subscription",
      },
    );
    expect(await rpc.refusal("aaep.list_pending", { subscription_id: [[["sub_1"]]] })).toMatchObject({
      code: "unknown_subscription",
    });
  });

  it("R33: what must be answered cannot be a notification", async () => {
    const rig = await startRig();
    const peer = await rig.rpc();
    peer.notify("aaep.subscribe", requestOf());
    expect(await peer.errors.next()).toMatchObject({ code: "invalid_message", pointer: "/id" });
  });
});

describe("messages out of shape", () => {
  it("JSON 10,000 levels deep is refused without a stack of that depth", async () => {
    const rig = await startRig();
    for (const levels of [65, 10_000, 100_000]) {
      const text = `${nested(levels)}${" ".repeat(3000)}`;
      expect(await refusedThenAccepted(rig, text)).toMatchObject({ type: "aaepd.error", code: "invalid_message" });
      const request = withText(requestOf(), "capabilities", `{"my_extension":${nested(levels)}${" ".repeat(3000)}}`);
      expect(await refusedThenAccepted(rig, request)).toMatchObject({ type: "aaepd.error", code: "invalid_message" });
    }
    await rig.expectOthersServed();
  });

  it("what is no message is refused, before a handshake and after it", async () => {
    const rig = await startRig();
    const refusal = await refusedThenAccepted(rig, `{"type":1}`);
    expect(refusal).toMatchObject({ type: "aaepd.error", code: "invalid_message" });
    const peer = await rig.plain();
    await peer.subscribe(requestOf());
    const objects = ["{}", '{"type":null}', '{"type":{}}', '{"type":["a"]}'];
    for (const text of ["null", "true", "5", '"text"', "[]", "[[]]", ...objects, "{", "nul", "{} {}"]) {
      peer.sendText(text);
      expect(await peer.answers.next(), text).toMatchObject({ type: "aaepd.error" });
      peer.sendText(JSON.stringify({ type: "aaepd.list_pending" }));
      expect(await peer.answers.next(), text).toMatchObject({ type: "aaepd.pending", questions: [] });
    }
  });

  it("R20: an answer stays short, however long the word was that it is about", async () => {
    const rig = await startRig();
    const long = "x".repeat(500_000);
    const peer = await rig.plain();
    for (const message of [{ type: long }, { type: "aaepd.skip", [long]: 1 }, requestOf({ [long]: 1, languages: 5 })]) {
      peer.say(message);
      expect(JSON.stringify(await peer.answers.next()).length).toBeLessThan(10_000);
    }
    const rpc = await rig.rpc();
    for (const [method, params] of [
      [long, {}],
      ["aaep.publish", { type: long }],
      ["aaep.publish", { ...STARTED, event_id: long }],
      ["aaep.publish", { ...STARTED, [long]: 1 }],
      ["aaep.publish", { ...STARTED, extensions: { [long]: {} } }],
      ["aaep.set_manifest", { agent_id: long }],
    ] as const) {
      expect(JSON.stringify(await rpc.refusal(method, params)).length).toBeLessThan(10_000);
    }
  });
});

describe("texts and lists at their ends", () => {
  it("a subscriber of any name is a subscriber", async () => {
    const rig = await startRig();
    for (const name of ["../../../etc/passwd", "a\u0000b", "\ud800", "\udc00x", "\u202e", "%00", "$(true)"]) {
      const peer = await rig.plain("newline");
      const answer = await peer.subscribe(requestOf({}, { subscriber_id: name, correlation_id: name }));
      expect(answer, name).toMatchObject({ type: "subscription.accepted" });
      await rig.expectOthersServed();
      await peer.close();
    }
  });

  it("as many languages, boundaries and patterns as a request may have are taken at a cost in proportion", async () => {
    const rig = await startRig();
    const many = <Item>(count: number, item: (index: number) => Item): readonly Item[] =>
      Array.from({ length: count }, (_, index) => item(index));
    const code = (index: number) =>
      index.toString(26).replaceAll(/[0-9]/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "");
    const lists: readonly ((times: 1 | 4) => Message)[] = [
      (times) => ({ languages: many(times * 16, (index) => `en-${code(index)}`) }),
      (times) => ({ languages: many(times * 16, () => "en") }),
      (times) => ({ coalesce_boundaries: [...many(times * 4 - 1, (index) => `b${index}`), "word"] }),
      (times) => ({ supported_conformance_levels: [...many(times * 4 - 1, (index) => index), 1] }),
      (times) => ({
        event_filters: {
          include: many(times * 64, (index) => `x:${index}*`),
          exclude: many(times * 64, (index) => `y:${index}`),
        },
      }),
      (times) => ({ supported_extensions: many(times * 16, (index) => `https://example.org/${index}`) }),
    ];
    for (const capabilities of lists) {
      await expectInProportion(async (times) => {
        const peer = await rig.plain();
        expect((await peer.subscribe(requestOf(capabilities(times)))).type).toBe("subscription.accepted");
        await peer.close();
      });
      await rig.expectOthersServed();
    }
    const peer = await rig.plain();
    const answer = await peer.subscribe(
      requestOf({ supported_extensions: many(65, (index) => `https://e.org/${index}`) }),
    );
    expect(answer).toMatchObject({ type: "subscription.rejected", reason_code: "capabilities_incompatible" });
  });
});

describe("questions", () => {
  it("R6, R28: a subscription that may not answer cannot have a question repeated to it", async () => {
    const rig = await startRig();
    const able = await rig.plain();
    await able.subscribe(requestOf({ supports_confirmation_reply: true }));
    const unable = await rig.plain();
    await unable.subscribe(requestOf({}, { subscriber_id: "other" }));
    const agent = await rig.rpc();
    await agent.publish(STARTED, {
      type: "aaep:agent.awaiting.confirmation",
      event_id: "evt_question",
      session_id: "sess_1",
      action: "Delete it.",
      consequence: "It is gone.",
      reply_token: "rpl_secret",
      timeout_seconds: 60,
      default_decision: "reject",
    });
    expect(await unable.repeat("evt_question")).toMatchObject({ type: "aaepd.error", code: "not_found" });
    expect(await unable.listPending()).toEqual([]);
    expect(await able.listPending()).toMatchObject([{ event_id: "evt_question" }]);
    expect(JSON.stringify(unable.events.rest())).not.toContain("rpl_secret");
  });
});
