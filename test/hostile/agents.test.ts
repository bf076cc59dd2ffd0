// Agents that publish what no agent should. Each case ends in a typed answer, and nobody else notices.
import { describe, expect, it } from "vitest";
import { expectInProportion } from "../support/cost.js";
import type { Message } from "../support/oracles/wire-sniffer.js";
import type { PlainPeer } from "../support/peers/peers.js";
import { type DaemonRig, requestOf, startRig } from "../support/rigs/daemon-rig.js";

const STARTED = { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." };
const chunk = (text: string, others: Message = {}): Message => ({
  type: "aaep:agent.output.streaming",
  session_id: "sess_1",
  chunk: text,
  complete: false,
  ...others,
});

async function everything(rig: DaemonRig): Promise<PlainPeer> {
  const peer = await rig.plain();
  await peer.subscribe(requestOf({ coalesce_boundaries: ["none"] }, { subscriber_id: "everything" }));
  return peer;
}

describe("size", () => {
  it("a frame over the limit is refused with the id it bore, and only its connection closes", async () => {
    const rig = await startRig();
    const agent = await rig.rpc();
    agent.sendText(`{"jsonrpc":"2.0","id":77,"method":"aaep.publish","params":${" ".repeat(1_100_000)}{}}`);
    expect(await agent.strays.next()).toMatchObject({ id: 77, error: { data: { code: "message_too_large" } } });
    await agent.closed;
    await rig.expectOthersServed();
  });

  it("R3, R34: an array of 256 events is all or nothing, and a longer one is refused before it takes anybody's time", async () => {
    const rig = await startRig();
    const agent = await rig.rpc();
    await agent.publish(STARTED);
    const small = Array.from({ length: 250 }, () => chunk("x"));
    const receipt = await agent.publish(...small);
    expect(receipt.events).toHaveLength(250);
    const refused = await agent.refusal("aaep.publish", [...small, chunk("x", { complete: true }), chunk("late")]);
    expect(refused).toMatchObject({ code: "output_already_complete", pointer: expect.stringMatching(/^\/251/) });
    const tooMany = Array.from({ length: 257 }, () => chunk("x"));
    for (const params of [tooMany, { events: tooMany }]) {
      expect(await agent.refusal("aaep.publish", params)).toMatchObject({ code: "message_too_large" });
    }
    const listener = await everything(rig);
    await agent.publish(chunk("next"));
    expect((await listener.events.take(2)).at(-1)).toMatchObject({ position: 250, chunk: "next" });
    await rig.expectOthersServed();
  });

  it("an array of things that are no events, of nothing, or of arrays is refused or empty", async () => {
    const rig = await startRig();
    const agent = await rig.rpc();
    expect(await agent.request("aaep.publish", [])).toEqual({ events: [] });
    for (const [params, pointer] of [
      [[1], "/0"],
      [[null], "/0"],
      [[[]], "/0"],
      [[STARTED, "x"], "/1"],
      [Array.from({ length: 250 }, () => 0), "/0"],
      [Array.from({ length: 250 }, () => ({})), "/0/session_id"],
    ] as const) {
      expect(await agent.refusal("aaep.publish", params)).toMatchObject({ code: "invalid_event" });
      const refused = await agent.refusal("aaep.publish", params);
      expect(refused.pointer?.startsWith(pointer.slice(0, 2))).toBe(true);
    }
    expect(await agent.refusal("aaep.publish")).toMatchObject({ code: "invalid_params" });
    await rig.expectOthersServed();
  });

  it("an event with 10,000 fields, or 40,000 values, is refused at a cost in proportion", async () => {
    const rig = await startRig();
    const agent = await rig.rpc();
    await expectInProportion(async (times) => {
      const fields = Object.fromEntries(Array.from({ length: times * 2500 }, (_, index) => [`f${index}`, index]));
      expect((await agent.refusal("aaep.publish", { ...STARTED, ...fields })).code).toMatch(/invalid_event|too_large/);
    });
    await expectInProportion(async (times) => {
      const values = Array.from({ length: times * 10_000 }, () => ({}));
      expect((await agent.refusal("aaep.publish", { ...STARTED, tools_available: values })).code).toMatch(
        /invalid_event|too_large/,
      );
    });
    await rig.expectOthersServed();
  });
});

describe("ids and texts", () => {
  it("R25: lone surrogates and NULs reach every framing as the same well-formed text", async () => {
    const rig = await startRig();
    const listeners = [
      await rig.plain("length-prefixed"),
      await rig.plain("newline"),
      await rig.plain("content-length"),
    ];
    for (const listener of listeners) await listener.subscribe(requestOf({ coalesce_boundaries: ["none"] }));
    const rpc = await rig.rpc("content-length");
    const subscription = rpc.subscription();
    await subscription.subscribe(requestOf({ coalesce_boundaries: ["none"] }));
    const agent = await rig.rpc();
    const texts = ["a\ud83d", "\ude00b", "\udc00", "\ud800\ud800", "x\u0000y", "\ud800", ""];
    await agent.publish({ ...STARTED, summary_normal: "Begins \ud800 and \u0000." });
    for (const [index, text] of texts.entries())
      await agent.publish(chunk(text, { complete: index === texts.length - 1 }));
    const count = texts.length + 1;
    const heard = await Promise.all([...listeners, subscription].map(({ events }) => events.take(count)));
    for (const events of heard) {
      expect(events[0]?.summary_normal).toBe("Begins \ufffd and \u0000.");
      expect(
        events
          .slice(1)
          .map((event) => String(event.chunk))
          .join(""),
      ).toBe("a😀b\ufffd\ufffd\ufffdx\u0000y\ufffd");
    }
    for (const { eventTexts } of listeners) expect(eventTexts).toEqual(subscription.eventTexts);
  });
});

describe("what belongs to others", () => {
  it("R3: an event_id that another agent used is refused with other content, and no secret comes with the same", async () => {
    const rig = await startRig();
    const [agent, copier] = [await rig.rpc(), await rig.rpc()];
    const event = { ...STARTED, event_id: "evt_first" };
    const first = await agent.publish(event);
    expect(await copier.refusal("aaep.publish", { ...event, session_id: "sess_2" })).toMatchObject({
      code: "event_id_reused",
      pointer: "/event_id",
    });
    const copied = await copier.publish(event);
    // As it was answered the first time, but for the secret.
    const places = first.events as readonly { readonly event_id: string; readonly epoch: number }[];
    expect(copied.events).toEqual(places.map(({ event_id, epoch }) => ({ event_id, epoch })));
    expect(copied.resume_token).toBeUndefined();
    expect((await agent.publish(event)).resume_token).toBe(first.resume_token);
  });

  it("R1: who connects over the socket of a spawned daemon cannot pass for the agent that spawned it", async () => {
    const rig = await startRig({ stdio: true });
    const manifest = {
      "@context": "https://aaep-protocol.org/context/v1",
      type: "aaep:producer.manifest",
      agent_version: "1.0.0",
      aaep_versions_supported: ["1.0.0"],
      conformance_levels_supported: [1],
      transports_supported: ["stdio-jsonrpc"],
      event_types_emitted: ["aaep:agent.*"],
    };
    await rig.parent().request("aaep.set_manifest", { ...manifest, agent_id: "planner", agent_name: "Planner" });
    const intruder = await rig.rpc();
    await intruder.request("aaep.set_manifest", { ...manifest, agent_id: "intruder", agent_name: "Intruder" });
    expect(await intruder.request("aaep.manifest")).toMatchObject({ agent_id: "planner" });
    const listener = await rig.plain();
    expect(await listener.subscribe(requestOf({ coalesce_boundaries: ["none"] }))).toMatchObject({
      producer: { agent_id: "planner" },
    });
    await intruder.publish(STARTED);
    expect(await listener.events.next()).toMatchObject({ producer: { agent_id: "intruder" } });
  });
});
