import { describe, expect, it } from "vitest";
import { createEngineRig, session, typesOf } from "../support/engine-rig.js";

describe("what fails after the journal", () => {
  it("R29: a view that fails ends its own subscriptions and nothing else; the event was accepted", () => {
    const rig = createEngineRig();
    let isArmed = false;
    const languages = ["en"];
    Object.defineProperty(languages, 0, {
      get: () => {
        if (isArmed) throw new Error("no language");
        return "en";
      },
    });
    const before = rig.listen({}, "before");
    const broken = rig.listen({ languages, preferredVerbosity: "terse" }, "broken");
    const behind = rig.listen({ preferredVerbosity: "detailed" }, "behind");
    rig.publish(session().started());
    isArmed = true;
    const [place] = rig.publish({
      ...session().state("idle", "thinking"),
      summary_normal: "Thinks.",
      summary_normal_es: "Piensa.",
      localization_hints: { primary_language: "en", available_languages: ["en", "es"] },
    });
    expect(place?.epoch).toBe(1001);
    rig.publish(session().state("thinking", "deciding"));
    isArmed = false;
    const types = ["session.started", "state.changed", "state.changed"];
    expect([typesOf(before.received), typesOf(behind.received)]).toEqual([types, types]);
    expect(broken.ended).toEqual(["lagging"]);
    const again = rig.listen({ languages, preferredVerbosity: "terse" }, "broken");
    rig.publish(session().completed());
    expect(typesOf(again.received)).toContain("session.completed");
  });

  it("R29: what is answered is safe only when every part of it is, a question's notice included", async () => {
    const settlers: (() => void)[] = [];
    const rig = createEngineRig({
      around: (journal) => ({
        append: (events) => ({
          ...journal.append(events),
          durable: new Promise<void>((resolve) => settlers.push(resolve)),
        }),
      }),
    });
    const { durable } = rig.agent.publish(
      [session().started(), session().confirmation("rpl_1"), session().progress(5)].map((fields) => ({ fields })),
      true,
    );
    let isSafe = false;
    const safe = durable?.then(() => {
      isSafe = true;
    });
    expect(settlers.length).toBeGreaterThan(1);
    for (const settle of settlers.slice(1)) settle();
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(isSafe).toBe(false);
    settlers[0]?.();
    await safe;
    expect(isSafe).toBe(true);
  });
});

describe("R8: the end of an engine", () => {
  it("R8: sessions that are ended need no grace any more, and a closed engine waits for nothing", async () => {
    let closedCount = 0;
    const rig = createEngineRig({
      around: (journal) => ({
        close: () => {
          closedCount += 1;
          return journal.close();
        },
      }),
    });
    rig.publish(session().started());
    rig.agent.close();
    rig.engine.endSessions();
    await rig.engine.close();
    expect(rig.clock.pending()).toBe(0);
    expect(closedCount).toBe(1);
  });
});

describe("R27: what is kept of a forgotten session", () => {
  it("R27: nothing, though the journal lets go of its events later", () => {
    const rig = createEngineRig({ engine: { endedRetentionMs: 1000 }, journal: { maxEvents: 8 } });
    rig.publish(session("sess_old").started());
    rig.publish(session("sess_old").completed());
    rig.advance(70_000);
    rig.publish(session("sess_new").started());
    for (let index = 0; index < 20; index += 1) rig.publish(session("sess_new").progress(index));
    expect(rig.engine.status().lostSessionCount).toBe(1);
  });
});

describe("R3: an event that says nothing new", () => {
  it("R3, R3a: is answered again where it is sent again, and another one with its id is refused", () => {
    const rig = createEngineRig();
    rig.listen({ supportsConfirmationReply: true });
    rig.publish(session().started(), session().state("idle", "thinking"), session().confirmation("rpl_1"));
    rig.advance(61_000);
    const back = { ...session().state("awaiting_input", "thinking"), event_id: "evt_back1" };
    const [first] = rig.publish(back);
    expect(rig.publish(back)).toEqual([first]);
    rig.publish(session().state("thinking", "deciding"));
    expect(rig.publish(back).map(({ eventId }) => eventId)).toEqual(["evt_back1"]);
    expect(() => rig.publish({ ...back, to_state: "deciding" })).toThrow(/event_id/);
  });
});
