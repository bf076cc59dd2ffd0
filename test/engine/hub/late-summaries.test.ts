// R6, R17, R27, R34: what a newcomer, or one that comes back too late, is told of thousands of sessions and questions is made as it leaves. Counted is
// what one take makes.
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import type { Subscription } from "../../../src/engine/subscriptions/subscription.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import { drained } from "../../support/drained.js";
import { createEngineRig, type EngineRig, type RigOptions, session, typesOf } from "../../support/rigs/engine-rig.js";

const SESSION_COUNT = 200;
const MOST_IN_ONE_TAKE = 32;
const EACH: Partial<Terms> = { coalesceBoundaries: ["none"], maxEventsPerSecond: undefined };
const idOf = (index: number): string => `sess_${index}`;
const ALL_IDS = Array.from({ length: SESSION_COUNT }, (_, index) => idOf(index));

/** Sessions that have begun, and how many ids the daemon drew for what it said since that was last asked. */
function stage(options: RigOptions = {}): { readonly rig: EngineRig; readonly takeMade: () => number } {
  let made = 0;
  const rig = createEngineRig({
    ...options,
    drew: () => {
      made += 1;
    },
  });
  for (const id of ALL_IDS) rig.publish(session(id).started(), session(id).state("idle", "thinking"));
  const takeMade = (): number => {
    const count = made;
    made = 0;
    return count;
  };
  takeMade();
  return { rig, takeMade };
}

/** A subscription that takes when the test does. */
function subscribe({ engine }: EngineRig, terms: Partial<Terms> = {}, resumeAfter?: string): Subscription {
  return engine.subscribe({
    subscriberId: "late",
    terms: { ...defaultTerms(), ...EACH, ...terms },
    resumeAfter,
    outlet: { wake: () => undefined, ended: () => undefined },
  });
}

function takeOnce(subscription: Subscription): readonly AgentEvent[] {
  const taken = subscription.take();
  return taken.kind === "batch" ? taken.batch.deliveries.map(({ event }) => event) : [];
}

/** All that it takes, and how many events at a time. */
function takeAll(subscription: Subscription): readonly (readonly AgentEvent[])[] {
  const takes: (readonly AgentEvent[])[] = [];
  for (let events = takeOnce(subscription); events.length > 0; events = takeOnce(subscription)) takes.push(events);
  return takes;
}

const isSum = ({ extensions }: AgentEvent): boolean => extensions?.aaepd?.summary === true;

describe("R17, R34: sums of many sessions", () => {
  it("none is made before it is taken, and so many in one take; all of them, in order", () => {
    const { rig, takeMade } = stage();
    const subscription = subscribe(rig);
    // Its own.
    expect(takeMade()).toBe(1);
    const made: number[] = [];
    const told: string[] = [];
    for (let events = takeOnce(subscription); events.length > 0; events = takeOnce(subscription)) {
      made.push(takeMade());
      told.push(...events.filter(isSum).map(({ session_id: id }) => id));
    }
    expect(Math.max(...made)).toBeLessThanOrEqual(MOST_IN_ONE_TAKE);
    expect(told).toEqual(ALL_IDS);
  });

  it("each says how its session stands when it leaves; one that was heard of by an event has none", () => {
    const { rig } = stage();
    const subscription = subscribe(rig);
    takeOnce(subscription);
    const last = idOf(SESSION_COUNT - 1);
    rig.publish(session(last).state("thinking", "deciding"), session(last).progress(50));
    rig.publish(session(idOf(100)).completed());
    rig.publish(session("sess_new").started());
    const events = takeAll(subscription).flat();
    const sumsOf = (id: string) => events.filter((event) => event.session_id === id).map(isSum);
    expect([last, idOf(100), "sess_new"].map(sumsOf)).toEqual([[false, false], [false], [false]]);
    expect(events.filter(isSum)).toHaveLength(SESSION_COUNT - MOST_IN_ONE_TAKE - 2);
  });

  it("R4: what is critical goes at once, and its session has no sum any more", () => {
    const { rig } = stage();
    const subscription = subscribe(rig);
    takeOnce(subscription);
    const last = idOf(SESSION_COUNT - 1);
    rig.publish(session(last).state("thinking", "deciding", "critical"));
    const [first, ...rest] = takeAll(subscription).flat();
    expect([first?.session_id, first?.urgency]).toEqual([last, "critical"]);
    expect(rest.filter(({ session_id: id }) => id === last)).toEqual([]);
  });

  it("R18: while sums wait for their budget much is published: nothing is told in the middle of an append, and nothing is lost", () => {
    const { rig } = stage({ engine: { viewWindowCount: 16 } });
    const subscription = subscribe(rig, { maxEventsPerSecond: 1 });
    takeOnce(subscription);
    for (let percent = 1; percent <= 99; percent += 1) rig.publish(session(idOf(0)).progress(percent));
    rig.publish(session(idOf(0)).completed());
    const events = drained(subscription).map(({ event }) => event);
    expect(events.filter(isSum)).toHaveLength(SESSION_COUNT - 1);
    const live = events.filter((event) => !isSum(event));
    expect(typesOf(live.slice(-2).map((event) => ({ event })))).toEqual(["progress.updated", "session.completed"]);
    expect(live.at(-2)?.progress).toEqual({ percent: 99 });
  });

  it("R8a, R27: at its end a loss is told, also where events of all sessions come", () => {
    const { rig } = stage();
    const subscription = subscribe(rig, { maxEventsPerSecond: 1 }, "c1.nobody.knows");
    for (const id of ALL_IDS) rig.publish(session(id).progress(5));
    const gaps = drained(subscription).filter(({ event }) => event.extensions?.aaepd?.gap !== undefined);
    expect(gaps.map(({ event }) => [event.from_state, event.to_state])).toEqual([["idle", "idle"]]);
  });

  it("R17: a second's budget of sums goes ahead of live events", () => {
    const { rig } = stage();
    const listener = rig.listen({ ...EACH, maxEventsPerSecond: 20 });
    const last = idOf(SESSION_COUNT - 1);
    rig.publish(session(last).progress(10));
    rig.advance(5000);
    const live = listener.received.findIndex(({ event }) => !isSum(event));
    expect(listener.received.slice(0, live).map(({ event }) => event.session_id)).toEqual(ALL_IDS.slice(0, 20));
  });
});

describe("R6, R28, R34: many open questions", () => {
  const questions = ALL_IDS.map((id, index) => session(id).confirmation(`rpl_${index}`));

  function asked(): ReturnType<typeof stage> {
    const made = stage({ engine: { confirmationGraceMs: 1_000_000 } });
    for (const question of questions) made.rig.publish(question);
    made.takeMade();
    return made;
  }

  it("each is put once, so many in one take, before everything else, and directly before it how its session stands (R17)", () => {
    const { rig } = asked();
    const subscription = subscribe(rig, { supportsConfirmationReply: true });
    const takes = takeAll(subscription);
    const told = takes.flat().map((event) => `${event.session_id} ${isSum(event) ? "sum" : event.type}`);
    const put = ALL_IDS.flatMap((id) => [`${id} sum`, `${id} aaep:agent.awaiting.confirmation`]);
    expect(told.slice(0, put.length)).toEqual(put);
    expect(told.filter((one) => one.endsWith("awaiting.confirmation"))).toHaveLength(SESSION_COUNT);
    expect(Math.max(...takes.map(({ length }) => length))).toBeLessThanOrEqual(2 * MOST_IN_ONE_TAKE);
  });

  it("one that is resolved before its turn is not put any more", () => {
    const { rig } = asked();
    const subscription = subscribe(rig, { supportsConfirmationReply: true });
    const first = takeOnce(subscription);
    const last = `rpl_${SESSION_COUNT - 1}`;
    rig.agent.cancel(last);
    rig.clock.settle();
    const events = [...first, ...takeAll(subscription).flat()];
    expect(events.filter(({ reply_token: token }) => token === last)).toEqual([]);
    const put = events.filter(({ reply_token: token }) => typeof token === "string");
    expect(put).toHaveLength(SESSION_COUNT - 1);
  });
});

describe("R27, R34: many losses", () => {
  it("one that comes back too late is told once that something is lost, and where each session stands, so many in one take", () => {
    const { rig, takeMade } = stage({ journal: { maxEvents: 64 } });
    rig.publish(session(idOf(3)).completed());
    takeMade();
    const subscription = subscribe(rig, {}, "c1.nobody.knows");
    expect(takeMade()).toBe(1);
    const takes = takeAll(subscription);
    expect(Math.max(...takes.map(({ length }) => length))).toBeLessThanOrEqual(2 * MOST_IN_ONE_TAKE);
    const events = takes.flat();
    const lost = events.filter(({ extensions }) => extensions?.aaepd?.gap !== undefined);
    const open = ALL_IDS.filter((id) => id !== idOf(3));
    // The gap stands on the first sum.
    expect(lost).toEqual([events.find(isSum)]);
    expect(events.filter(isSum)).toHaveLength(open.length);
  });
});
