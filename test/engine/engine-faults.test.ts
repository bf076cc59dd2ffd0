import { describe, expect, it } from "vitest";
import { Fault } from "../../src/base/errors.js";
import { createEngineRig, session, typesOf } from "../support/rigs/engine-rig.js";
import { createFailingView } from "../support/rigs/failing-view.js";
import { decision } from "../support/rigs/question-rig.js";

describe("what fails after the journal", () => {
  it("R29: a view that fails ends its own subscriptions and nothing else; the event was accepted", () => {
    const rig = createEngineRig();
    const { terms, arm, event } = createFailingView();
    const before = rig.listen({}, "before");
    const broken = rig.listen(terms, "broken");
    const behind = rig.listen({ preferredVerbosity: "detailed" }, "behind");
    rig.publish(session().started());
    arm(true);
    const [place] = rig.publish(event);
    expect(place?.epoch).toBe(1001);
    rig.publish(session().state("thinking", "deciding"));
    arm(false);
    const types = ["session.started", "state.changed", "state.changed"];
    expect([typesOf(before.received), typesOf(behind.received)]).toEqual([types, types]);
    expect(broken.ended).toEqual(["producer_error"]);
    const again = rig.listen(terms, "broken");
    rig.publish(session().completed());
    expect(typesOf(again.received)).toContain("session.completed");
  });

  it("R3, R29: a question and its notice are journaled with what was published with them, or nothing is", () => {
    let isFull = false;
    let appendCount = 0;
    const rig = createEngineRig({
      around: (journal) => ({
        refusal: () => (isFull && appendCount > 0 ? new Fault("storage_unavailable", "The disk is full.") : undefined),
        append: (events) => {
          appendCount += 1;
          return journal.append(events);
        },
      }),
    });
    const able = rig.listen({ supportsConfirmationReply: true });
    rig.publish(session().started());
    isFull = true;
    appendCount = 0;
    rig.publish(session().state("idle", "thinking"), session().confirmation("rpl_1"), session().progress(5));
    expect(appendCount).toBe(1);
    expect(() => rig.publish(session().progress(6))).toThrow(/storage_unavailable/);
    expect(typesOf(able.received)).toEqual([
      "session.started",
      "state.changed",
      "state.changed",
      "awaiting.confirmation",
      "progress.updated",
    ]);
  });

  it("R29: while the journal takes nothing, what is published, comes due or is answered changes nothing, and is done afterwards", () => {
    let isFull = false;
    const rig = createEngineRig({
      around: () => ({ refusal: () => (isFull ? new Fault("storage_unavailable", "The disk is slow.") : undefined) }),
    });
    const able = rig.listen({ supportsConfirmationReply: true });
    rig.publish(session().started(), session().confirmation("rpl_1", { timeout_seconds: 30 }));
    rig.publish(session("sess_2").started(), session("sess_2").confirmation("rpl_2", { timeout_seconds: 600 }));
    const hello = { ...session().chunk("Hello. "), position: 0 };
    isFull = true;
    expect(() => rig.publish(hello)).toThrow(/storage_unavailable/);
    isFull = false;
    rig.publish(hello);
    isFull = true;
    expect(able.subscription.listener.reply(decision(rig, "rpl_2", "accept"), {})).toBe(false);
    expect(rig.audit.at(-1)).toMatchObject({ kind: "reply", fate: "not_recorded" });
    rig.advance(31_000);
    expect(rig.engine.status().openQuestionCount).toBe(2);
    rig.agent.close();
    rig.advance(6000);
    expect(rig.engine.status().openSessionCount).toBe(2);
    isFull = false;
    rig.advance(1100);
    expect(rig.engine.status()).toMatchObject({ openSessionCount: 0, openQuestionCount: 0 });
    expect(typesOf(able.received).filter((type) => type === "session.errored")).toHaveLength(2);
  });

  it("R29: what is answered is safe only when the journal says so, a question's notice included", async () => {
    const settlers: (() => void)[] = [];
    const journaledKinds: string[][] = [];
    const rig = createEngineRig({
      around: (journal) => ({
        append: (events) => {
          journaledKinds.push(events.map(({ made, kind }) => made ?? kind));
          return { ...journal.append(events), durable: new Promise<void>((resolve) => settlers.push(resolve)) };
        },
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
    expect(journaledKinds[0]).toEqual([
      "session.started",
      "supplied",
      "awaiting.confirmation",
      "notice",
      "progress.updated",
    ]);
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
    void rig.engine.endSessions();
    await rig.engine.close();
    expect(rig.clock.pending()).toBe(0);
    expect(closedCount).toBe(1);
  });
});

describe("R3a: an event that says nothing new", () => {
  it("is answered and not published, and is another event where it is sent again", () => {
    const rig = createEngineRig();
    rig.listen({ supportsConfirmationReply: true });
    rig.publish(session().started(), session().state("idle", "thinking"), session().confirmation("rpl_1"));
    rig.advance(61_000);
    const head = rig.publish(session().progress(5))[0]?.epoch;
    const back = { ...session().state("awaiting_input", "thinking"), event_id: "evt_back1" };
    expect(rig.publish(back)).toMatchObject([{ eventId: "evt_back1", epoch: head }]);
    expect(() => rig.publish(back)).toThrow(/from_state/);
  });
});
