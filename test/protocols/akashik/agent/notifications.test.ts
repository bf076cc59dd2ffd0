// When notifications go out: behind the answers that announce them, to a peer that takes them, and not while the session ends.
import { describe, expect, it } from "vitest";
import { Fault } from "../../../../src/base/errors.js";
import { createAkashikStage, envelope, RECORD, subscribe } from "../akashik-stage.js";

/** A stage on which things become durable when the test says so, from `hold` on. */
function createSlowStage() {
  let flushes: (() => void)[] = [];
  let isSlow = false;
  const stage = createAkashikStage({
    whenDurable: () => (isSlow ? new Promise((resolve) => void flushes.push(resolve)) : undefined),
  });
  return {
    ...stage,
    hold: () => {
      isSlow = true;
    },
    flush: async () => {
      isSlow = false;
      for (const one of flushes.splice(0)) one();
      flushes = [];
      await stage.quiet();
    },
  };
}

const TO_RECORDED = subscribe(["memory.recorded"]);

describe("a notification", () => {
  it("waits in the Field while the peer takes nothing, the newest of each entity; answers go on", async () => {
    const stage = createSlowStage();
    const writer = await stage.agent("writer");
    const reader = await stage.agent("reader");
    await reader.ask("SUBSCRIBE", subscribe(["memory.recorded", "memory.superseded"]));
    reader.setFull(true);
    const { memory_unit_id: target_id } = (await writer.ask("RECORD", RECORD)).payload;
    await writer.ask("RECORD", { ...RECORD, relations: [{ type: "supersedes", target_id }] });
    expect(reader.pushed()).toEqual([]);
    expect(stage.field().counts().waiting).toBe(2);
    expect((await reader.ask("DETECT", {})).payload.status).toBe("ok");
    reader.setFull(false);
    stage.clock.advance(1000);
    await stage.quiet();
    const events = reader.pushed().map(({ event }) => event);
    expect(events.sort()).toEqual(["memory.recorded", "memory.superseded"]);
    expect(stage.field().counts().waiting).toBe(0);
  });
});

describe("the end of a session from this side", () => {
  it("takes no further message, lets the answers leave, and keeps notifications for the next connection", async () => {
    const stage = createSlowStage();
    const writer = await stage.agent("writer");
    const reader = await stage.agent("reader");
    await reader.ask("SUBSCRIBE", TO_RECORDED);
    stage.hold();
    reader.say(envelope("DETECT", {}, { id: "before" }));
    let isFinished = false;
    void reader.session.finish("producer_shutdown", stage.clock.now() + 2000).then(() => {
      isFinished = true;
    });
    reader.say(envelope("DETECT", {}, { id: "after" }));
    reader.session.refuse(new Fault("invalid_json", "A message is not JSON."), "{");
    writer.say(envelope("RECORD", RECORD));
    await stage.quiet();
    expect(isFinished).toBe(false);
    await stage.flush();
    expect(isFinished).toBe(true);
    expect(reader.received.slice(2).map(({ id }) => id)).toEqual(["before"]);
    expect(stage.field().counts().waiting).toBe(1);
  });
});

describe("a frame that is no message", () => {
  it.each<[name: string, fault: Fault, text: string | undefined, id: string | null, code: string]>([
    ["no JSON", new Fault("invalid_json", "A message is not JSON."), "{oops", null, "INVALID_TYPE"],
    [
      "two meanings",
      new Fault("invalid_message", "Write each member once."),
      '{"protocol":"akashik","id":"m1","x":1,"x":2}',
      "m1",
      "INVALID_TYPE",
    ],
    ["an error in the daemon", new Fault("internal", "Try again."), undefined, null, "INTERNAL_ERROR"],
  ])("because of %s is answered by an error", async (_, fault, text, id, code) => {
    const stage = createAkashikStage();
    const peer = stage.connect();
    peer.session.refuse(fault, text);
    await peer.quiet();
    expect(peer.received).toMatchObject([{ id, operation: null, agent_id: null, epoch: 0 }]);
    expect(peer.received[0]?.payload.error).toMatchObject({ code, message: fault.sentence, operation: null });
  });
});

it("what fails in the Field is INTERNAL_ERROR without its reason, which stands in the log", async () => {
  const stage = createAkashikStage();
  const peer = await stage.agent("a");
  Object.assign(stage.field(), {
    merge: () => {
      throw new Error("a secret");
    },
    attune: () => Promise.reject(new Error("a secret")),
  });
  for (const [operation, payload] of [
    ["MERGE", { conflict_id: "c", strategy: "last_write_wins" }],
    ["ATTUNE", {}],
  ] as const) {
    const { payload: answer } = await peer.ask(operation, payload);
    expect(answer.error).toMatchObject({ code: "INTERNAL_ERROR", operation, recoverable: true });
    expect(JSON.stringify(answer)).not.toContain("secret");
  }
  expect(stage.errors).toHaveLength(2);
  expect((await peer.ask("DETECT", {})).payload.status).toBe("ok");
});
