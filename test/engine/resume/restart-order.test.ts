// Subscribers that come back to before what the disk remembers of them, and lose the daemon before it knows better (R4, R17, R29).
import { describe, expect, it } from "vitest";
import { type Listener, session, textOf, typesOf } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation } from "../../support/rigs/question-rig.js";
import { createRuns, type Run, type Runs } from "../../support/rigs/restart-rig.js";
import { afterId, begin, ids, lastEvent, lastId, note, S } from "../../support/rigs/restart-session.js";

const NAMES = Array.from({ length: 6 }, (_, index) => `n${index}`);
const OWED = NAMES.map((name) => `evt_${name}`);
const QUESTION = "aaep:agent.awaiting.confirmation";
const terms = (maxEventsPerSecond?: number) => ({ ...ABLE, maxEventsPerSecond });

interface Before {
  readonly runs: Runs;
  readonly run: Run;
  readonly token: string;
  /** The last event that arrived; of what it was sent after that the disk says that it has it. */
  readonly known: string | undefined;
}

/** "listener" was sent all of `said`, and nothing of that arrived. */
async function lost(...said: readonly Readonly<Record<string, unknown>>[]): Promise<Before> {
  const runs = createRuns();
  const run = runs.start();
  const token = begin(run);
  // Who could answer as well: a question is open as long as somebody is there.
  run.listen(terms(), "other");
  const listener = run.listen(terms(), "listener");
  const known = lastId(listener);
  for (const fields of said) run.publish(fields);
  run.advance(1000);
  await run.flush();
  listener.subscription.close();
  await run.flush();
  return { runs, run, token, known };
}

/** What arrives in the next run, and arrived in this one. */
const arrivesAfter = (runs: Runs, token: string, had: Listener): readonly string[] => {
  const next = runs.start();
  next.agent.resumeSession(S, token);
  return [...ids(had.received), ...ids(next.listen(terms(), "listener", afterId(lastId(had))).received)];
};

describe("R17: a kill before the disk has the place of a subscriber that came back", () => {
  it("loses nothing after a question that is not on the disk yet, and that waits no longer than that", async () => {
    const { runs, run, token, known } = await lost(...NAMES.map((name) => note(name)));
    const back = run.listen(terms(0.001), "listener", afterId(known));
    run.publish(confirmation("rpl_1"));
    const said = arrivesAfter(runs, token, back);
    expect(said).toEqual(expect.arrayContaining(OWED));
    const other = await lost(...NAMES.map((name) => note(name)));
    const slow = other.run.listen(terms(0.001), "listener", afterId(other.known));
    other.run.publish(confirmation("rpl_1"));
    expect(typesOf(slow.received)).not.toContain("awaiting.confirmation");
    await other.run.flush();
    expect(lastEvent(slow)).toMatchObject({ type: QUESTION, extensions: { aaepd: { overtook: expect.any(Number) } } });
    expect(arrivesAfter(other.runs, other.token, slow)).toEqual(expect.arrayContaining(OWED));
  });

  it("loses nothing after a question that was on the disk and is asked again ahead of what stood before it", async () => {
    const { runs, run, token, known } = await lost(...NAMES.map((name) => note(name)), confirmation("rpl_1"));
    const back = run.listen(terms(0.001), "listener", afterId(known));
    expect(ids(back.received)).toEqual(["evt_n0"]);
    expect(arrivesAfter(runs, token, back)).toEqual(expect.arrayContaining(OWED));
  });

  it("loses nothing after a question that the daemon had when it stopped", async () => {
    const { runs, token, known } = await lost(...NAMES.map((name) => note(name)), confirmation("rpl_1"));
    const run = runs.start();
    run.agent.resumeSession(S, token);
    const back = run.listen(terms(0.001), "listener", afterId(known));
    expect(arrivesAfter(runs, token, back)).toEqual(expect.arrayContaining(OWED));
  });

  it("loses nothing after an event that is sent again because it was asked for", async () => {
    const { runs, run, token, known } = await lost(...NAMES.map((name) => note(name)));
    const back = run.listen(terms(0.001), "listener", afterId(known));
    back.subscription.repeat("evt_n4");
    run.clock.settle();
    expect(arrivesAfter(runs, token, back)).toEqual(expect.arrayContaining(OWED));
  });

  it("loses nothing after the sum of a session that it did not name", async () => {
    const { runs, run, token, known } = await lost(...NAMES.map((name) => note(name)));
    run.publish(session("sess_2").started());
    await run.flush();
    const eventIds = new Map([[S, String(known)]]);
    const back = run.listen(terms(0.001), "listener", { kind: "sessions", eventIds });
    expect(lastEvent(back)).toMatchObject({ session_id: "sess_2", extensions: { aaepd: { summary: true } } });
    expect(arrivesAfter(runs, token, back)).toEqual(expect.arrayContaining(OWED));
  });

  it("is no reason to wait where it comes back to where it was, or for who is there for the first time", async () => {
    const { run } = await lost(...NAMES.map((name) => note(name)));
    const back = run.listen(terms(), "listener", afterId("evt_n5"));
    const first = run.listen(terms(), "newcomer");
    run.publish(confirmation("rpl_1"));
    for (const one of [back, first]) expect(lastEvent(one)).toMatchObject({ type: QUESTION });
  });
});

describe("R29: a subscriber that comes back while the disk takes nothing", () => {
  const full = async (...said: readonly Readonly<Record<string, unknown>>[]): Promise<Before> => {
    const before = await lost(...NAMES.map((name) => note(name)));
    before.run.publish(...said);
    before.runs.disk.setFailing(true);
    await before.run.flush();
    expect(() => before.run.publish(note("refused"))).toThrow("takes nothing");
    return before;
  };

  it("is given all of its stream, in order: what the disk has, and then what it has not", async () => {
    const { runs, run, token, known } = await full(note("unsafe"), confirmation("rpl_1"));
    const back = run.listen(terms(), "listener", afterId(known));
    expect(ids(back.received).slice(0, 6)).toEqual(OWED);
    // What went ahead of this went ahead of nothing that the disk does not know to be owed.
    expect(back.received[6]?.event).toMatchObject({ type: QUESTION });
    expect(ids(back.received)).toContain("evt_unsafe");
    expect(arrivesAfter(runs, token, back)).toEqual(expect.arrayContaining(OWED));
  });

  it("at the pace of its terms; once the disk takes something again, what is critical goes ahead", async () => {
    const { runs, run, token, known } = await full(note("unsafe"), confirmation("rpl_1", { timeout_seconds: 600 }));
    const back = run.listen(terms(1), "listener", afterId(known));
    run.advance(2000);
    expect(ids(back.received)).toEqual(OWED.slice(0, 3));
    runs.disk.setFailing(false);
    await run.flush();
    run.advance(1000);
    await run.flush();
    expect(typesOf(back.received).slice(3)).toContain("awaiting.confirmation");
    run.advance(10_000);
    expect(ids(back.received)).toEqual(expect.arrayContaining([...OWED, "evt_unsafe"]));
    expect(typesOf(back.received).filter((type) => type === "awaiting.confirmation")).toHaveLength(1);
    expect(arrivesAfter(runs, token, back)).toEqual(expect.arrayContaining(OWED));
  });

  const QUESTION_TYPE = "awaiting.confirmation";
  const asked = confirmation("rpl_1", { timeout_seconds: 600 });
  const paused = { ...ABLE, paused: true };

  it("hears though it is paused what is critical, with what it is owed before that and nothing else", async () => {
    const { runs, run, token, known } = await lost(...NAMES.map((name) => note(name)), asked, note("after"));
    runs.disk.setFailing(true);
    run.publish(note("unsafe"));
    await run.flush();
    const back = run.listen(paused, "listener", afterId(known));
    expect(typesOf(back.received).at(-1)).toBe(QUESTION_TYPE);
    expect(ids(back.received)).toEqual(expect.arrayContaining(OWED));
    expect(ids(back.received)).not.toContain("evt_after");
    expect(arrivesAfter(runs, token, back)).toEqual(expect.arrayContaining([...OWED, "evt_after"]));
  });

  it("hears though it is paused what is critical and not on the disk, and at the pace of its terms", async () => {
    const { runs, run, token, known } = await full(note("unsafe"), asked);
    const back = run.listen({ ...paused, maxEventsPerSecond: 1 }, "listener", afterId(known));
    expect(ids(back.received)).toEqual(["evt_n0"]);
    run.advance(10_000);
    expect(ids(back.received)).toEqual([...OWED, expect.any(String)]);
    expect(typesOf(back.received).at(-1)).toBe(QUESTION_TYPE);
    expect(arrivesAfter(runs, token, back)).toEqual(expect.arrayContaining(OWED));
  });

  it("is asked at once what stands before all that it is owed, and stays paused", async () => {
    const { runs, run, token } = await lost(note("first"), asked, ...NAMES.map((name) => note(name)));
    const [question] = run.listen(terms(), "newcomer").subscription.openQuestions();
    runs.disk.setFailing(true);
    run.publish(note("unsafe"));
    await run.flush();
    const back = run.listen(paused, "listener", afterId(question?.event_id));
    run.advance(10_000);
    expect(ids(back.received)).toEqual([question?.event_id]);
    expect(arrivesAfter(runs, token, back)).toEqual(expect.arrayContaining(OWED));
  });

  it("hears nothing while it is paused where nothing is critical", async () => {
    const { run, known } = await full(note("unsafe"));
    const back = run.listen(paused, "listener", afterId(known));
    run.advance(10_000);
    expect(ids(back.received)).toEqual([]);
  });

  it("is not kept from what follows by a text that waits for its end", async () => {
    const whole = { ...ABLE, coalesceBoundaries: ["completion" as const] };
    const runs = createRuns();
    const run = runs.start();
    const token = begin(run);
    const listener = run.listen({ ...ABLE, coalesceBoundaries: ["none"] }, "listener");
    const known = lastId(listener);
    run.publish(session().chunk("Half of"));
    run.advance(1000);
    listener.subscription.close();
    await run.flush();
    const second = session("sess_2");
    run.publish(second.started());
    run.publish(note("other", "sess_2"));
    runs.disk.setFailing(true);
    await run.flush();
    const back = run.listen(whole, "listener", afterId(known));
    await run.flush();
    run.clock.settle();
    expect(ids(back.received)).toContain("evt_other");
    const arrived = textOf(back.received, "out_1");
    runs.disk.setFailing(false);
    const next = runs.start();
    next.agent.resumeSession(S, token);
    const again = next.listen(whole, "listener", afterId("evt_other"));
    next.publish(session().chunk(" a sentence.", true));
    await next.flush();
    const [text] = again.received.flatMap(({ event }) => (typeof event.chunk === "string" ? [event] : []));
    expect(arrived + String(text?.chunk).slice(arrived.length - Number(text?.position))).toBe("Half of a sentence.");
  });
});
