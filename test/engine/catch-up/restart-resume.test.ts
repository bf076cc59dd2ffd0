// Subscribers that come back after a restart: whatever id they name, nothing that was acknowledged is missing, and what is lost is told (R17, R27,
// P6, P7, P8).
import { describe, expect, it } from "vitest";
import { type Listener, type Received, session, textOf } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation } from "../../support/rigs/question-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";
import { afterId, begin, ids, lastId, note, S } from "../../support/rigs/restart-session.js";

/** Those that agents gave. */
const agentIds = (received: readonly Received[]): readonly string[] =>
  ids(received).filter((id) => !/^evt_[0-9a-f]{64}$/.test(id));
const gaps = ({ received }: Listener) => received.flatMap(({ event }) => event.extensions?.aaepd?.gap ?? []);
const chars = (text: string, count: number): readonly Record<string, unknown>[] =>
  Array.from({ length: count }, (_, index) => session().chunk(`${text}${index}. `));

describe("P6: where a subscriber goes on", () => {
  it("P6, P8: after an id within the window exactly, over the seam of two runs into what is live", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const listener = first.listen();
    first.publish(note("one"));
    const known = lastId(listener);
    listener.subscription.close();
    first.publish(note("two"));
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    second.publish(note("three"));
    const back = second.listen({}, "listener", afterId(known));
    second.publish(note("four"));
    expect(agentIds(back.received)).toEqual(["evt_two", "evt_three", "evt_four"]);
    expect(gaps(back)).toEqual([]);
  });

  it("P6: after an id that the disk never had, at the subscriber's stored point", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const listener = first.listen();
    first.publish(note("one"));
    first.advance(1000);
    await first.flush();
    first.publish(note("two"));
    expect(lastId(listener)).toBe("evt_two");
    const second = runs.start();
    second.agent.resumeSession(S, token);
    // Its agent had no receipt for this, and says it again.
    second.publish(note("between"), note("two"), note("three"));
    const back = second.listen({}, "listener", afterId("evt_two"));
    expect(agentIds(back.received)).toEqual(["evt_between", "evt_two", "evt_three"]);
    expect(gaps(back)).toEqual([]);
    // Nor is anything missing that it was not given before it went away again.
    back.subscription.close();
    const gone = second.listen({ paused: true }, "listener", afterId("evt_two"));
    second.publish(note("four"));
    gone.subscription.close();
    expect(agentIds(second.listen({}, "listener", afterId("evt_three")).received)).toContain("evt_four");
  });

  it("P6: after a merged id of an epoch between two runs, and of one that is still to come", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const listener = first.listen({ coalesceBoundaries: ["sentence"] } as never);
    await first.flush();
    first.publish(session().chunk("One sentence. And a"), session().chunk("nother one. "), session().chunk("Rest"));
    const lost = lastId(listener);
    const second = runs.start();
    second.agent.resumeSession(S, token);
    second.publish(note("one"));
    const back = second.listen({}, "listener", afterId(lost));
    expect(agentIds(back.received)).toContain("evt_one");
    const future = `evt_${(2 ** 50).toString(16).padStart(16, "0")}${"0".repeat(48)}`;
    const beyond = second.listen({}, "listener", afterId(future));
    expect(agentIds(beyond.received)).toContain("evt_one");
  });

  it("P7: a subscriber whose filter lets nothing through keeps up with what is published", async () => {
    const runs = createRuns();
    const first = runs.start();
    begin(first);
    const deaf = { eventFilters: { include: [], exclude: [] } };
    const listener = first.listen(deaf as never, "deaf");
    for (let index = 0; index < 20; index += 1) first.publish(session().progress(index));
    expect(listener.received.length).toBeLessThan(3);
    first.advance(1000);
    await first.flush();
    const lows = [...runs.disk.state("low").values()].flat();
    expect(lows).toEqual([["deaf", first.journal.head() + 1, expect.any(Number)]]);
  });

  it("R17: after an id that overtook others, with what it overtook, though its place was not noted yet", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const slow = first.listen({ ...ABLE, maxEventsPerSecond: 1 }, "slow");
    first.advance(1000);
    await first.flush();
    for (let index = 0; index < 8; index += 1) first.publish(note(`n${index}`));
    first.publish(confirmation("rpl_1"));
    expect(slow.received.at(-1)?.event.type).toBe("aaep:agent.awaiting.confirmation");
    await first.flush();
    const got = agentIds(slow.received);
    const second = runs.start();
    second.agent.resumeSession(S, token);
    const back = second.listen(ABLE, "slow", afterId(lastId(slow)));
    const all = new Set([...got, ...ids(back.received)]);
    expect(Array.from({ length: 8 }, (_, index) => all.has(`evt_n${index}`))).toEqual(Array(8).fill(true));
  });

  it("R17: the places of a slow subscriber's last events are exact after a restart", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const slow = first.listen({ maxEventsPerSecond: 1 }, "slow");
    for (let index = 0; index < 8; index += 1) first.publish(note(`n${index}`));
    first.advance(4000);
    slow.subscription.close();
    await first.flush();
    const got = agentIds(slow.received);
    const second = runs.start();
    second.agent.resumeSession(S, token);
    const back = second.listen({}, "slow", afterId(lastId(slow)));
    expect([...got, ...ids(back.received)].filter((id) => id.startsWith("evt_n"))).toEqual(
      Array.from({ length: 8 }, (_, index) => `evt_n${index}`),
    );
  });

  it("R17: two subscriptions of one subscriber: the one that is behind decides", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    first.listen({}, "twice");
    const behind = first.listen({}, "twice");
    behind.block(true);
    first.publish(note("one"), note("two"));
    first.advance(1000);
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    const back = second.listen({}, "twice", afterId("evt_never_written"));
    expect(agentIds(back.received)).toEqual(["evt_one", "evt_two"]);
  });

  it("R17: a map of sessions reads each from its own place", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    first.publish(session("sess_2").started());
    first.publish(note("one"), note("other", "sess_2"), note("two"));
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    second.publish(note("three"));
    const eventIds = new Map([
      [S, "evt_one"],
      ["sess_2", "evt_other"],
    ]);
    const back = second.listen({}, "new", { kind: "sessions", eventIds });
    expect(agentIds(back.received)).toEqual(["evt_two", "evt_three"]);
  });
});

describe("R10, R17: text that was held when the run ended", () => {
  it("is given from the beginning of the output that was open, and joins over the seam", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const reader = first.listen({}, "reader");
    first.publish(session().chunk("One sentence. And half of"));
    first.publish(note("one"));
    first.publish(session().chunk(" another"));
    const known = lastId(reader);
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    second.publish(session().chunk(" one. The end.", true));
    const back = second.listen({}, "stranger", afterId(known));
    await second.flush();
    expect(textOf(back.received, "out_1")).toBe("One sentence. And half of another one. The end.");
    expect(back.received.filter(({ event }) => event.complete === true)).toHaveLength(1);
  });

  it("also for somebody of whom nothing is known, after an event of another session; its end in the next run is noted", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const other = first.agent.publish([{ fields: session("sess_2").started() }], false).resumeToken;
    first.publish(session().chunk("Half of"));
    const [place] = first.publish(note("other", "sess_2"));
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    second.agent.resumeSession("sess_2", String(other));
    const back = second.listen({}, "stranger", afterId(place?.eventId));
    await second.flush();
    second.publish(session().chunk(" a sentence.", true));
    expect(textOf(back.received, "out_1")).toBe("Half of a sentence.");
    const [later] = second.publish(note("later", "sess_2"));
    await second.flush();
    expect([...runs.disk.state("output").values()]).toEqual([[S, `${S}/out_1`, expect.any(Number)]]);
    const third = runs.start();
    const again = third.listen({}, "another", afterId(later?.eventId));
    expect(textOf(again.received, "out_1")).toBe("");
  });

  it("AAEP §8.2: code that began before the restart is still code", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    first.publish(session().chunk("```js\nconst one = 1;"));
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    const live = second.listen({}, "new");
    second.publish(session().chunk(" Two. Three.\nFour. Five.\n"));
    const cuts = live.received.filter(({ event }) => typeof event.chunk === "string").map(({ event }) => event.chunk);
    expect(cuts.every((chunk) => String(chunk).endsWith("\n"))).toBe(true);
    second.publish(session().chunk("```\n", true));
    expect(textOf(live.received, "out_1")).toBe(" Two. Three.\nFour. Five.\n```\n");
  });

  it("R28: a text of both runs is sent again as it was", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const start = first.journal.head();
    first.publish(session().chunk("Begun in one run and "));
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    const reads = second.listen({}, "reader", { kind: "sessions", eventIds: new Map([[S, "evt_none"]]) });
    expect(start).toBeGreaterThan(0);
    second.publish(session().chunk("ended in another. ", true));
    const told = reads.received.findLast(({ event }) => typeof event.chunk === "string");
    reads.subscription.repeat(String(told?.event.event_id));
    second.clock.settle();
    expect(reads.received.at(-1)?.event).toEqual(told?.event);
  });
});

describe("R27: what is lost is told, and what is not is not", () => {
  it("R27: everything of a run before has aged out, and a subscriber had all of it: no gap", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    first.publish(note("one"), note("two"));
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    second.publish(note("three"));
    await second.flush();
    const last = first.journal.head();
    second.journal.evict(3);
    const derived = `evt_${last.toString(16).padStart(16, "0")}${"0".repeat(48)}`;
    const back = second.listen({}, "listener", afterId(derived));
    expect(agentIds(back.received)).toEqual(["evt_three"]);
    expect(gaps(back)).toEqual([]);
  });

  it("R27: what aged out before the restart is declared after it", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const epochs = ["one", "two", "three"].map((name) => first.publish(note(name))[0]?.epoch);
    await first.flush();
    first.journal.evict(3);
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    expect(second.engine.status().lostSessionCount).toBe(1);
    const early = `evt_${Number(epochs[0]).toString(16).padStart(16, "0")}${"0".repeat(48)}`;
    const back = second.listen({}, "listener", afterId(early));
    expect(gaps(back)).toMatchObject([{ reason: "resumed_too_late" }]);
    second.publish(session().errored());
    second.advance(25 * 3600 * 1000);
    await second.flush();
    expect([...runs.disk.state("lost").keys()]).toEqual([]);
  });

  it.each(["aged out", "unknown"])(
    "R27: of an id that is %s, a kill after the first of several gaps leaves none untold",
    async (kind) => {
      const runs = createRuns();
      const first = runs.start();
      begin(first);
      first.publish(session("sess_2").started());
      const listener = first.listen({}, "listener");
      const early = first.publish(note("early"))[0]?.epoch;
      for (const name of ["one", "two", "three"]) first.publish(note(name), note(`${name}2`, "sess_2"));
      first.advance(1000);
      await first.flush();
      listener.subscription.close();
      first.journal.evict(6);
      await first.flush();
      const derived = `evt_${Number(early).toString(16).padStart(16, "0")}${"0".repeat(48)}`;
      const [who, named] = kind === "unknown" ? ["nobody", "evt_never"] : ["listener", derived];
      const slow = first.listen({ maxEventsPerSecond: 0.001 }, who, afterId(named));
      expect(slow.received.map(({ event }) => event.session_id)).toEqual([S]);
      expect(gaps(slow)).toHaveLength(1);
      const again = runs.start().listen({}, who, afterId(lastId(slow)));
      const told = again.received.filter(({ event }) => event.extensions?.aaepd?.gap !== undefined);
      expect(told.map(({ event }) => event.session_id)).toContain("sess_2");
    },
  );
});

describe("what is kept for resuming stays small", () => {
  it("many subscribers that move share their writes", async () => {
    const runs = createRuns();
    const run = runs.start();
    begin(run);
    const listeners = Array.from({ length: 300 }, (_, index) => run.listen({}, `listener ${index}`));
    await run.flush();
    expect(runs.disk.state("low").size).toBe(5);
    run.publish(...chars("x", 3));
    for (const { subscription } of listeners.slice(0, 150)) subscription.close();
    run.advance(1000);
    await run.flush();
    const second = runs.start();
    second.advance(25 * 3600 * 1000);
    await second.flush();
    expect([...runs.disk.state("low").keys(), ...runs.disk.state("point").keys()]).toEqual([]);
  });

  it("points go with their session, outputs too", async () => {
    const runs = createRuns();
    const run = runs.start();
    begin(run);
    run.listen({ maxEventsPerSecond: 1 }, "slow");
    run.publish(session().chunk("Text.", true), note("one"));
    run.advance(3000);
    await run.flush();
    expect([runs.disk.state("point").size, runs.disk.state("output").size]).toEqual([1, 1]);
    run.publish(session().errored());
    run.advance(25 * 3600 * 1000);
    await run.flush();
    expect([runs.disk.state("point").size, runs.disk.state("output").size]).toEqual([0, 0]);
  });

  it("nothing is kept of a listener without a name", async () => {
    const runs = createRuns();
    const run = runs.start();
    begin(run);
    run.engine.subscribe({
      subscriberId: "anonymous",
      isRemembered: false,
      terms: run.listen().subscription.terms(),
      resumeAfter: undefined,
      wake: () => undefined,
      ended: () => undefined,
    });
    await run.flush();
    expect([...runs.disk.state("low").values()].flat(2)).not.toContain("anonymous");
  });
});

describe("R29: between two runs there is nothing to wait for", () => {
  it("a subscriber that comes back before anything new is published catches up with what is live, held text included", async () => {
    const runs = createRuns();
    const first = runs.start();
    begin(first);
    const reader = first.listen({ coalesceBoundaries: ["word"] }, "reader");
    first.publish(session().chunk("One. "));
    await first.flush();
    const second = runs.start();
    const back = second.listen({ coalesceBoundaries: ["word"] }, "reader", afterId(lastId(reader)));
    expect(textOf(back.received, "out_1")).toBe("One. ");
    expect(back.subscription.status()).toMatchObject({ behind: false, untakenCount: 0 });
  });

  it("how far a subscriber is behind is counted in events, over the runs", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const [place] = first.publish(note("one"));
    first.publish(note("two"));
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    second.publish(note("three"), note("four"));
    const paused = second.listen({ paused: true }, "reader", afterId(place?.eventId));
    expect(paused.subscription.status().untakenCount).toBe(3);
  });
});
