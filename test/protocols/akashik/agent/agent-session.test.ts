// The session of one connection: its answers, their order, its notifications, and its end.
import { describe, expect, it } from "vitest";
import { Fault } from "../../../../src/base/errors.js";
import { isAsPublished } from "../../../support/published-schemas.js";
import { createAkashikStage, envelope, RECORD } from "../akashik-stage.js";
import { PAGE_REQUEST } from "../messages/envelopes.js";

describe("the page's example", () => {
  it("is answered as on the page, and what it asks for is pushed in the page's form", async () => {
    const stage = createAkashikStage();
    const strategist = await stage.agent("strategist-01", "strategist", ["market prices"]);
    strategist.say(JSON.parse(PAGE_REQUEST));
    await strategist.quiet();
    const answer = strategist.received.at(-1);
    expect(answer).toMatchObject({
      id: "msg-030",
      operation: "SUBSCRIBE",
      agent_id: "strategist-01",
      session_id: null,
    });
    expect(answer?.payload).toEqual({ status: "ok", subscription_id: expect.stringMatching(/^sub-/) });
    expect(answer?.epoch).toBe(31);
    const { subscription_id: subscriptionId } = (answer?.payload ?? {}) as { readonly subscription_id?: string };
    const watcher = await stage.agent("watcher-01", "watcher");
    const { payload } = await watcher.ask("RECORD", RECORD);
    await watcher.ask("RECORD", { ...RECORD, content: "It rained.", intent: { purpose: "Chat." } });
    await strategist.quiet();
    const pushed = strategist.received.slice(2);
    expect(pushed).toHaveLength(1);
    const [notification] = pushed;
    expect(isAsPublished("akashik", "AkashikAnswer", notification)).toBe(true);
    expect(isAsPublished("akashik", "AkashikNotification", notification?.payload)).toBe(true);
    expect(notification?.payload).toEqual({
      subscription_id: subscriptionId,
      event: "memory.recorded",
      epoch: (payload as { readonly epoch: number }).epoch,
      relevance_score: 0.7,
      summary: "watcher-01 recorded: The prices rose.",
      memory_unit_id: (payload as { readonly memory_unit_id: string }).memory_unit_id,
      conflict_id: null,
      requires_action: false,
    });
  });
});

describe("each operation", () => {
  it("is answered in its form, with the id of its request", async () => {
    const stage = createAkashikStage();
    const one = await stage.agent("one", "analyst", ["prices"]);
    expect(one.answer.payload).toMatchObject({
      status: "registered",
      agent: { id: "one", role: "analyst", interests: ["prices"], status: "active" },
      field_capabilities: { conformance_level: 2, persistence: "memory", protocol_version: "0.1.0" },
    });
    const two = await stage.agent("two");
    const first = (await two.ask("RECORD", RECORD)).payload as Record<string, unknown>;
    expect(first).toMatchObject({ status: "recorded", conflicts_detected: [], rejection_reason: null });
    const relations = [{ type: "contradicts", target_id: first.memory_unit_id }];
    const second = (await two.ask("RECORD", { ...RECORD, content: "The prices fell.", relations })).payload as {
      readonly conflicts_detected: readonly { readonly id: string }[];
    };
    const [{ id: conflictId = "" } = {}] = second.conflicts_detected;
    expect((await one.ask("DETECT", { mode: "list" })).payload).toMatchObject({
      conflicts: [{ id: conflictId, status: "open" }],
    });
    const attuned = (await one.ask("ATTUNE", { scope: { max_units: 1 }, format: "ids_only" })).payload;
    expect(attuned).toMatchObject({
      status: "ok",
      record: [{ relevance_score: 0.7, format: "ids_only" }],
      conflicts: [{ id: conflictId }],
      context_budget: { units_returned: 1, units_available: 2 },
    });
    expect((await one.ask("MERGE", { conflict_id: conflictId, strategy: "last_write_wins" })).payload).toMatchObject({
      status: "resolved",
      side_effects: [{ status: "active" }, { status: "superseded" }],
    });
    const subscription = { events: ["memory.recorded"], min_relevance: 0.5, debounce_ms: 10 };
    const { subscription_id: id } = (await one.ask("SUBSCRIBE", { action: "subscribe", subscription })).payload as {
      readonly subscription_id: string;
    };
    expect((await one.ask("SUBSCRIBE", { action: "list" })).payload).toEqual({
      status: "ok",
      subscriptions: [{ id, ...subscription }],
    });
    const unsubscribe = { action: "unsubscribe", subscription: { id } };
    expect((await one.ask("SUBSCRIBE", unsubscribe)).payload).toEqual({ status: "ok", subscription_id: id });
    expect((await one.ask("SUBSCRIBE", unsubscribe)).payload).toEqual({ status: "not_found", subscription_id: id });
    expect((await one.ask("DEREGISTER", { agent_id: "two" })).payload).toMatchObject({ status: "not_found" });
    expect((await one.ask("DEREGISTER", {})).payload).toEqual({
      status: "ok",
      cleanup: { subscriptions: 0, notifications: 0 },
    });
    expect((await one.ask("DETECT", {})).payload).toMatchObject({ error: { code: "AGENT_NOT_REGISTERED" } });
    for (const message of [...one.received, ...two.received])
      expect(isAsPublished("akashik", "AkashikAnswer", message)).toBe(true);
  });

  it.each([
    ["AGENT_NOT_REGISTERED", envelope("DETECT", {}, { agent_id: "another" })],
    ["AGENT_ID_TAKEN", envelope("REGISTER", { id: "one", role: "r" })],
    ["MISSING_INTENT", envelope("RECORD", { ...RECORD, intent: {} })],
    ["MISSING_CONFIDENCE", envelope("RECORD", { ...RECORD, confidence: { score: 1 } })],
    ["INVALID_CONFIDENCE", envelope("RECORD", { ...RECORD, confidence: { score: 2, reasoning: "r" } })],
    ["INVALID_TYPE", envelope("RECORD", { ...RECORD, type: "rumour" })],
    ["UNIT_NOT_FOUND", envelope("RECORD", { ...RECORD, relations: [{ type: "supports", target_id: "mem-none" }] })],
    ["CONFLICT_NOT_FOUND", envelope("MERGE", { conflict_id: "conf-none", strategy: "last_write_wins" })],
    ["UNSUPPORTED_OPERATION", envelope("HANDOFF", {})],
    ["EPOCH_OVERFLOW", envelope("DETECT", {}, { epoch: 2 ** 40 })],
    ["INVALID_TYPE", { protocol: "akashik" }],
    ["INVALID_TYPE", [1, 2]],
    ["INVALID_TYPE", envelope("SUBSCRIBE", { action: "subscribe", subscription: { events: ["memory.forgotten"] } })],
  ])("%s has its error", async (code, message) => {
    const stage = createAkashikStage();
    const one = await stage.agent("one");
    one.say(message);
    await one.quiet();
    expect(one.received.at(-1)?.payload).toMatchObject({
      status: "error",
      error: { code, message: expect.any(String), suggested_action: expect.any(String) },
    });
    expect(stage.errors).toEqual([]);
  });

  it("STORAGE_FULL and INVALID_TRANSITION have their errors", async () => {
    const stage = createAkashikStage({ maxUnits: 2 });
    const one = await stage.agent("one");
    const { memory_unit_id: id } = (await one.ask("RECORD", RECORD)).payload as Record<string, unknown>;
    const relations = [{ type: "supersedes", target_id: id }];
    await one.ask("RECORD", { ...RECORD, relations });
    const codes = [await one.ask("RECORD", { ...RECORD, relations }), await one.ask("RECORD", RECORD)];
    expect(codes.map(({ payload }) => payload)).toMatchObject([
      { error: { code: "INVALID_TRANSITION" } },
      { error: { code: "STORAGE_FULL", recoverable: false } },
    ]);
  });

  it("asked for at the registration and not there is a rejection that names it", async () => {
    const stage = createAkashikStage();
    const peer = stage.connect();
    const wanted = { id: "one", role: "r", required_operations: ["RECORD", "HANDOFF"] };
    expect((await peer.ask("REGISTER", wanted)).payload).toMatchObject({
      status: "rejected",
      agent: null,
      rejection_reason: "This Field does not offer HANDOFF.",
    });
    expect(peer.session.isOpen()).toBe(false);
  });

  it("R36: needs its right", async () => {
    const stage = createAkashikStage({ access: { of: () => ({ may: (operation) => operation === "subscribe" }) } });
    const one = await stage.agent("one");
    expect((await one.ask("RECORD", RECORD)).payload).toMatchObject({ error: { code: "UNSUPPORTED_OPERATION" } });
    expect((await one.ask("DETECT", {})).payload).toMatchObject({ status: "ok" });
  });
});

describe("answers", () => {
  it("R29: come when what they say is safe, in the order of their requests", async () => {
    const waiting: (() => void)[] = [];
    const stage = createAkashikStage({
      whenDurable: () => new Promise((resolve) => void waiting.push(resolve)),
    });
    const peer = stage.connect();
    peer.say(envelope("REGISTER", { id: "one", role: "r" }, { id: "a" }));
    peer.say(envelope("RECORD", RECORD, { id: "b" }));
    peer.say(envelope("NOTHING", {}, { id: "c" }));
    await peer.quiet();
    expect([peer.received.length, waiting.length]).toEqual([0, 2]);
    waiting[1]?.();
    await peer.quiet();
    expect(peer.received).toEqual([]);
    waiting[0]?.();
    await peer.quiet();
    expect(peer.received.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });

  it("that cannot be made safe are errors, and stand in the log", async () => {
    const stage = createAkashikStage({ whenDurable: () => Promise.reject(new Error("the disk is full")) });
    const peer = stage.connect();
    expect((await peer.ask("REGISTER", { id: "one", role: "r" })).payload).toMatchObject({
      error: { code: "INTERNAL_ERROR" },
    });
    expect(stage.errors).toHaveLength(1);
  });

  it("are errors while the journal takes nothing, and nothing has changed then", async () => {
    let isFull = false;
    const stage = createAkashikStage({
      assertKeeps: () => {
        if (isFull) throw new Fault("storage_unavailable", "The disk is full. Make room.");
      },
    });
    const peer = await stage.agent("one");
    isFull = true;
    for (const [operation, payload] of [
      ["RECORD", RECORD],
      ["SUBSCRIBE", { action: "subscribe", subscription: { events: ["memory.recorded"] } }],
    ] as const)
      expect((await peer.ask(operation, payload)).payload).toMatchObject({
        error: { code: "INTERNAL_ERROR", message: "The disk is full. Make room.", recoverable: true },
      });
    expect(stage.field().counts()).toMatchObject({ units: 0, subscriptions: 0 });
    expect(stage.errors).toEqual([]);
    isFull = false;
    expect((await peer.ask("RECORD", RECORD)).payload).toMatchObject({ status: "recorded" });
  });

  it("have the id of their message in whatever script", async () => {
    const stage = createAkashikStage();
    const peer = stage.connect();
    const id = "\u{1f600}".repeat(200);
    peer.say({ ...envelope("REGISTER", { id: "one", role: "r" }), id });
    await peer.quiet();
    expect(peer.received.map((answer) => answer.id)).toEqual([id]);
  });

  it("are at most 16 at a time", async () => {
    let tell = (): void => {};
    const safe = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const stage = createAkashikStage({ whenDurable: () => safe });
    const peer = stage.connect();
    peer.say(envelope("REGISTER", { id: "one", role: "r" }));
    for (let index = 0; index < 15; index += 1) peer.say(envelope("DETECT", {}));
    const room = peer.session.room();
    expect(room).toBeInstanceOf(Promise);
    tell();
    await room;
    expect(peer.session.room()).toBeUndefined();
  });

  it("come to frames that are no messages, too", async () => {
    const stage = createAkashikStage();
    const one = await stage.agent("one");
    one.session.refuse(new Fault("invalid_json", "A message is not JSON."), "{");
    await one.quiet();
    expect(one.received.at(-1)).toMatchObject({ id: null, payload: { error: { code: "INVALID_TYPE" } } });
  });
});

describe("notifications", () => {
  it("that waited come after the answer to REGISTER", async () => {
    const stage = createAkashikStage();
    const reader = await stage.agent("reader");
    const writer = await stage.agent("writer");
    await reader.ask("SUBSCRIBE", { action: "subscribe", subscription: { events: ["memory.recorded"] } });
    reader.session.ended();
    await writer.ask("RECORD", RECORD);
    const again = await stage.agent("reader");
    await again.quiet();
    expect(again.received.map(({ operation }) => operation)).toEqual(["REGISTER", "SUBSCRIBE"]);
  });

  it("wait for a peer that takes nothing", async () => {
    const stage = createAkashikStage();
    const reader = await stage.agent("reader");
    const writer = await stage.agent("writer");
    await reader.ask("SUBSCRIBE", { action: "subscribe", subscription: { events: ["memory.recorded"] } });
    reader.setFull(true);
    await writer.ask("RECORD", RECORD);
    const before = reader.received.length;
    reader.setFull(false);
    stage.clock.advance(1000);
    expect(reader.received.length).toBe(before + 1);
  });
});

describe("the end", () => {
  it("of the input comes after the last answer", async () => {
    const stage = createAkashikStage();
    const one = await stage.agent("one");
    one.say(envelope("DETECT", {}, { id: "last" }));
    one.session.inputEnded();
    expect(one.isClosed()).toBe(false);
    await one.quiet();
    expect([one.received.at(-1)?.id, one.isClosed()]).toEqual(["last", true]);
  });

  it("by the daemon waits for answers, as long as it may", async () => {
    const stage = createAkashikStage({ whenDurable: () => new Promise(() => {}) });
    const peer = stage.connect();
    peer.say(envelope("REGISTER", { id: "one", role: "r" }));
    const finished = peer.session.finish("producer_shutdown", stage.clock.now() + 1000);
    stage.clock.advance(1000);
    await finished;
    await stage.connect().session.finish("handshake_timeout", stage.clock.now());
    expect(stage.refused).toEqual(["handshake_timeout"]);
  });
});
