// The session of one connection: its answers, their order, its notifications, and its end.
import { describe, expect, it } from "vitest";
import { Fault } from "../../../../src/base/errors.js";
import { createAkashikStage, envelope, RECORD } from "../akashik-stage.js";

describe("answers", () => {
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
});

describe("the end", () => {
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
