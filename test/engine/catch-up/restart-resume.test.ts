// Subscribers that come back after a restart: whatever place they name, nothing that was acknowledged is missing, and what is lost is told (R17, R27).
import { describe, expect, it } from "vitest";
import { KEPT_ID } from "../../support/rigs/durable-ring.js";
import { cursorAfter, type Listener, type Received, session, textOf } from "../../support/rigs/engine-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";
import { begin, ids, note, placeOf, S } from "../../support/rigs/restart-session.js";

/** Those that agents gave. */
const agentIds = (received: readonly Received[]): readonly string[] =>
  ids(received).filter((id) => /^evt_[a-z]/.test(id) && !/^evt_[0-9a-f]{32,}$/.test(id));
const gaps = ({ received }: Listener) => received.flatMap(({ event }) => event.extensions?.aaepd?.gap ?? []);
const sums = ({ received }: Listener) =>
  received.filter(({ event }) => event.extensions?.aaepd?.summary === true).map(({ event }) => event.session_id);
const resumed = ({ subscription }: Listener) => subscription.resumed;
const placeAfter = (epoch: number | undefined): string => cursorAfter(epoch ?? 0, KEPT_ID);

describe("where a subscriber goes on", () => {
  it("a subscriber whose filter lets nothing through keeps up with what is published", async () => {
    const runs = createRuns();
    const first = runs.start();
    begin(first);
    const listener = first.listen({ eventFilters: { include: [], exclude: [] } }, "deaf");
    for (let index = 0; index < 20; index += 1) first.publish(session().progress(index));
    expect(listener.received.length).toBeLessThan(3);
    expect(placeOf(listener)).toBe(placeAfter(first.journal.head()));
  });

  it.each(["evt_one", "", "c1.0.0", `c1.${"a".repeat(32)}.1001`])(
    "R17: %j is no place of this journal: sums, what is lost, then what is live",
    (named) => {
      const run = createRuns().start();
      begin(run);
      run.publish(note("one"), note("two"));
      const back = run.listen({}, "stranger", named);
      run.publish(note("three"));
      expect(resumed(back)).toBe("unknown");
      expect(agentIds(back.received)).toEqual(["evt_three"]);
      expect([sums(back), gaps(back)]).toEqual([[S], [{ reason: "unknown_place" }]]);
    },
  );
});

describe("R10, R17: text that was held when the run ended", () => {
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

  it("R10: a text of both runs is one", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const [, place] = first.publish(note("one"), session().chunk("Begun in one run and "));
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    const reads = second.listen({}, "reader", placeAfter((place?.epoch ?? 0) - 1));
    second.publish(session().chunk("ended in another. ", true));
    expect(textOf(reads.received, "out_1")).toBe("Begun in one run and ended in another. ");
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
    second.journal.evict(3);
    const back = second.listen({}, "listener", placeAfter(first.journal.head()));
    expect(agentIds(back.received)).toEqual(["evt_three"]);
    expect(gaps(back)).toEqual([]);
  });

  it("R27: what aged out before the restart is declared after it, on the sum", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const epochs = ["one", "two", "three"].map((name) => first.publish(note(name))[0]?.epoch);
    await first.flush();
    first.journal.evict(3);
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    const back = second.listen({}, "listener", placeAfter(epochs[0]));
    expect(resumed(back)).toBe("gap");
    expect(gaps(back)).toMatchObject([{ reason: "resumed_too_late" }]);
    expect(second.engine.report().subscriptions[0]?.counts.gaps).toBe(1);
    expect(sums(back)).toEqual([S]);
  });

  it("R27: of a place that has aged out, a kill after the loss was told, and before all sums, leaves none untold", async () => {
    const runs = createRuns();
    const first = runs.start();
    begin(first);
    first.publish(session("sess_2").started());
    const early = first.publish(note("early"))[0]?.epoch;
    for (const name of ["one", "two", "three"]) first.publish(note(name), note(`${name}2`, "sess_2"));
    await first.flush();
    first.journal.evict(6);
    await first.flush();
    const slow = first.listen({ maxEventsPerSecond: 0.001 }, "listener", placeAfter(early));
    expect(slow.received.map(({ event }) => event.session_id)).toEqual([S]);
    expect(gaps(slow)).toHaveLength(1);
    expect(placeOf(slow)).toBe(placeAfter(early));
    const again = runs.start().listen({}, "listener", placeOf(slow));
    expect(gaps(again)).toHaveLength(1);
    expect(sums(again)).toContain("sess_2");
  });
});

describe("nothing is kept of those who are away", () => {
  it("R17: whatever subscribers do, the disk has sessions and epochs alone", async () => {
    const runs = createRuns();
    const run = runs.start();
    begin(run);
    const listeners = Array.from({ length: 30 }, (_, index) =>
      run.listen({ maxEventsPerSecond: 1 }, `reader ${index}`),
    );
    run.publish(session().chunk("Text.", true), note("one"));
    run.advance(1500);
    for (const { subscription } of listeners.slice(0, 10)) subscription.close();
    run.advance(1500);
    await run.flush();
    const kinds = new Set([...runs.disk.state().keys()].map((key) => (JSON.parse(key) as readonly string[])[0]));
    expect([...kinds].sort()).toEqual(["boot", "past", "session"]);
  });
});

describe("R29: between two runs there is nothing to wait for", () => {
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
    const paused = second.listen({ paused: true }, "reader", placeAfter(place?.epoch));
    expect(paused.subscription.status().untakenCount).toBe(3);
  });
});
