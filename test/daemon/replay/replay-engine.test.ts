import { describe, expect, it } from "vitest";
import type { RecordedEvent } from "../../../src/daemon/replay/recorded-session.js";
import type { WireFormat } from "../../../src/engine/views/delivery.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import { collector } from "../../support/collector.js";
import { session, textOf, typesOf } from "../../support/rigs/engine-rig.js";
import { createReplayStage, record, sessionOf } from "../../support/rigs/replay-stage.js";

const { started, state, chunk, confirmation, completed } = session();

/** Begins; after 1 s a text in three chunks, 200 ms apart; after a minute a question that nobody answers; the end 2 s later. */
const RECORDED = record(({ publish, advance }) => {
  publish(started());
  advance(1000);
  publish(state("idle", "writing_output"));
  for (const text of ["One sentence. ", "Another one. ", "And the last."]) {
    publish(chunk(text, text.endsWith("last.")));
    advance(200);
  }
  advance(59_400);
  publish(confirmation("rpl_1"));
  advance(2000);
  publish(completed());
});
const TEXT = "One sentence. Another one. And the last.";
const VERBATIM = { coalesceBoundaries: ["none"] } as const;
/** The text that an event goes out with, where nothing of it is changed. */
const SOURCE: WireFormat<string | undefined> = { encode: (_, source) => source };
const LENGTH_MS = 63_000;

const idsOf = (events: readonly { readonly event: { readonly event_id: string } }[]) =>
  events.map(({ event }) => event.event_id);

describe("the replay of a session", () => {
  it("gives ids, instants and bytes as they were recorded, at the pace of the recording", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const listener = stage.listen({ ...VERBATIM, supportsConfirmationReply: true, preferredVerbosity: "normal" });
    stage.clock.advance(LENGTH_MS);
    const expected = RECORDED.filter(({ made }) => made !== "notice");
    expect(idsOf(listener.received)).toStrictEqual(idsOf(expected));
    expect(listener.received.map(({ at }) => at)).toStrictEqual(expected.map(({ receivedAt }) => receivedAt));
    const sourceOf = new Map(RECORDED.map(({ event, source }) => [event.event_id, source]));
    // What its shape leaves alone (R14).
    const sources = listener.received.map(({ event, delivery }) => [event.event_id, delivery.encoded(SOURCE)] as const);
    const untouched = sources.filter(([, source]) => source !== undefined);
    for (const [id, source] of untouched) expect(source).toBe(sourceOf.get(id));
    expect(untouched.length).toBeGreaterThanOrEqual(5);
    const instants = listener.received.map(({ event }) => event.timestamp);
    expect(instants).toStrictEqual(expected.map(({ event }) => event.timestamp));
  });

  it("is as many times as fast as it is asked to be, and no pause is longer than the longest", () => {
    const fast = createReplayStage(sessionOf(RECORDED), { speed: 2 });
    const doubled = fast.listen(VERBATIM);
    fast.clock.advance(LENGTH_MS);
    expect(doubled.received.at(-1)?.at).toBe(LENGTH_MS / 2);

    const short = createReplayStage(sessionOf(RECORDED), { longestPauseMs: 500 });
    const shortened = short.listen(VERBATIM);
    short.clock.advance(LENGTH_MS);
    // Pauses of 1000, 200, 200, 59600 and 2000 ms.
    expect(shortened.received.at(-1)?.at).toBe(500 + 200 + 200 + 500 + 500);
  });

  it("begins for each listener when that one comes, and ends with what is held and a close", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const first = stage.listen();
    stage.clock.advance(30_000);
    const second = stage.listen();
    stage.clock.advance(LENGTH_MS - 30_000);
    expect(first.ended).toStrictEqual(["recording_ended"]);
    expect(second.ended).toStrictEqual([]);
    stage.clock.advance(30_000);
    expect(second.ended).toStrictEqual(["recording_ended"]);
    expect(idsOf(second.received)).toStrictEqual(idsOf(first.received));
    expect(stage.left).toStrictEqual([1, 0]);
    expect(stage.clock.pending()).toBe(1);
  });

  it("goes by each listener's own terms: boundaries, verbosity, rate; and does not end before the budget has let everything go", () => {
    const stage = createReplayStage(sessionOf(RECORDED), { speed: 1000 });
    const slow = stage.listen({ maxEventsPerSecond: 1, coalesceBoundaries: ["completion"] });
    const plain = stage.listen({ coalesceBoundaries: ["sentence"] });
    stage.clock.advance(100);
    expect(plain.ended).toHaveLength(1);
    expect(typesOf(plain.received).filter((type) => type === "output.streaming")).toHaveLength(3);
    expect(slow.ended).toHaveLength(0);
    stage.clock.advance(60_000);
    expect(slow.ended).toHaveLength(1);
    expect(typesOf(slow.received).filter((type) => type === "output.streaming")).toHaveLength(1);
    for (const { received } of [slow, plain]) expect(textOf(received, "out_1")).toBe(TEXT);
    const last = slow.received.slice(-2).map(({ at }) => at);
    expect((last[1] ?? 0) - (last[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  it("waits for a listener that pauses, however long", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const listener = stage.listen();
    stage.clock.advance(500);
    const paused = { ...listener.subscription.terms(), paused: true };
    listener.subscription.retune(paused);
    stage.clock.advance(10 * LENGTH_MS);
    expect(listener.ended).toStrictEqual([]);
    listener.subscription.retune({ ...paused, paused: false });
    stage.clock.advance(0);
    expect(textOf(listener.received, "out_1")).toBe(TEXT);
    expect(typesOf(listener.received).at(-1)).toBe("session.completed");
    expect(listener.ended).toStrictEqual(["recording_ended"]);
  });
});

describe("questions of a replay", () => {
  it("R6: are put to those that can answer, and told to the others; what was decided is told to all", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const able = stage.listen({ supportsConfirmationReply: true });
    const other = stage.listen({ supportsConfirmationReply: false });
    stage.clock.advance(LENGTH_MS);
    expect(typesOf(able.received)).toContain("awaiting.confirmation");
    expect(typesOf(other.received)).not.toContain("awaiting.confirmation");
    // Who gets the question next gets the state without words (R6).
    const asks = (listener: typeof able) =>
      listener.received
        .filter(({ event }) => event.extensions?.aaepd?.asks === "confirmation")
        .map(({ event }) => typeof event.summary_normal);
    expect([asks(able), asks(other)]).toStrictEqual([["undefined"], ["string"]]);
    for (const { received } of [able, other])
      expect(received.filter(({ event }) => event.extensions?.aaepd?.decision === "rejected")).toHaveLength(1);
  });

  it("R19: no answer counts, none is open, and no session is", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const { subscription, received } = stage.listen({ supportsConfirmationReply: true });
    stage.clock.advance(61_000);
    expect(typesOf(received)).toContain("awaiting.confirmation");
    const reply = { kind: "confirmation", token: "rpl_1", timestamp: "2026-05-24T14:01:01Z", decision: "accept" };
    expect(subscription.reply({ ...reply, decidedBy: "user" } as Parameters<typeof subscription.reply>[0], reply)).toBe(
      false,
    );
    expect(subscription.openQuestions().events).toStrictEqual([]);
    expect(stage.engine.status()).toMatchObject({ openSessionCount: 0, openQuestionCount: 0 });
  });

  it("agents are turned away", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const agent = stage.engine.openAgent({ agent_id: "agent" }, undefined);
    expect(() => agent.publish([{ fields: started() }], false)).toThrow(/unsupported.*replay/);
    expect(() => agent.ask(confirmation("rpl_2"), () => {})).toThrow(/unsupported.*replay/);
  });
});

describe("R17: a listener that comes back to a replay", () => {
  it("goes on after what it has heard", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const first = stage.listen();
    stage.clock.advance(1300);
    const heard = first.received.length;
    expect(textOf(first.received, "out_1")).not.toBe("");
    const place = first.subscription.cursor();
    first.subscription.close();
    const second = stage.listen({}, place);
    expect([second.subscription.resumed, second.subscription.cursor()]).toStrictEqual(["all", place]);
    stage.clock.advance(LENGTH_MS);
    const known = new Set(idsOf(first.received));
    expect(second.received.filter(({ event }) => known.has(event.event_id))).toStrictEqual([]);
    expect(textOf([...first.received, ...second.received], "out_1")).toBe(TEXT);
    expect(first.received).toHaveLength(heard);
    expect(second.ended).toHaveLength(1);
  });

  it("is left alone where it has heard everything", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const first = stage.listen();
    stage.clock.advance(LENGTH_MS);
    expect(first.ended).toHaveLength(1);
    const done = stage.listen({}, first.subscription.cursor());
    stage.clock.advance(10 * LENGTH_MS);
    expect([done.received.length, done.ended.length]).toStrictEqual([0, 0]);
  });

  it("hears it from the beginning where its place is of another replay, or none, and is told so", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const own = stage.listen();
    stage.clock.advance(1300);
    const place = own.subscription.cursor() ?? "";
    const ofAnother = place.replace(/(?<=c1\.)[0-9a-f]{32}/, "f".repeat(32));
    own.subscription.close();
    for (const named of [ofAnother, RECORDED.at(-1)?.event.event_id, "what nobody gave out"]) {
      const stranger = stage.listen({}, named);
      expect(stranger.subscription.resumed).toBe("unknown");
      stage.clock.advance(10 * LENGTH_MS);
      expect(idsOf(stranger.received)[0]).toBe(RECORDED[0]?.event.event_id);
      expect(textOf(stranger.received, "out_1")).toBe(TEXT);
      expect(stranger.ended).toHaveLength(1);
    }
  });

  it("hears it from the beginning where its place is the beginning", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const place = stage.listen().subscription.cursor();
    const back = stage.listen({}, place);
    expect(back.subscription.resumed).toBe("all");
    stage.clock.advance(LENGTH_MS);
    expect(idsOf(back.received)[0]).toBe(RECORDED[0]?.event.event_id);
  });
});

describe("R17: a listener whose filter hides the end of a replay", () => {
  const HIDDEN = record(({ publish, advance }) => {
    publish(started(), state("idle", "writing_output"), chunk("Hello there. ", true));
    for (let percent = 1; percent < 20; percent += 1) publish(session().progress(percent));
    advance(1000);
    publish(session().progress(50));
  });
  const TEXT_ONLY = { eventFilters: { include: ["aaep:agent.output.*"], exclude: [] } };

  it("comes back once and is left alone: what is played to nobody is nothing new", () => {
    const stage = createReplayStage(sessionOf(HIDDEN));
    const first = stage.listen(TEXT_ONLY);
    stage.clock.advance(LENGTH_MS);
    expect([textOf(first.received, "out_1"), first.ended]).toStrictEqual(["Hello there. ", ["recording_ended"]]);
    const again = stage.listen(TEXT_ONLY, first.subscription.cursor());
    stage.clock.advance(10 * LENGTH_MS);
    expect([again.received, again.ended]).toStrictEqual([[], []]);
  });

  it("is ended where it is given something new", () => {
    const upTo = RECORDED.findIndex(({ event }) => event.chunk === "Another one. ");
    const stage = createReplayStage(sessionOf(RECORDED.slice(0, upTo + 1)));
    const first = stage.listen({ ...VERBATIM, ...TEXT_ONLY });
    stage.clock.advance(1000);
    const place = first.subscription.cursor();
    first.subscription.close();
    const second = stage.listen({ ...VERBATIM, ...TEXT_ONLY }, place);
    stage.clock.advance(LENGTH_MS);
    expect(textOf(second.received, "out_1")).toContain("Another one. ");
    expect(second.ended).toStrictEqual(["recording_ended"]);
  });

  it("and is ended as anybody where it does not say that it comes back, though all is hidden from it", () => {
    const stage = createReplayStage(sessionOf(HIDDEN));
    const listener = stage.listen({ eventFilters: { include: ["aaep:agent.tool.*"], exclude: [] } });
    stage.clock.advance(LENGTH_MS);
    expect([listener.received, listener.ended]).toStrictEqual([[], ["recording_ended"]]);
  });
});

describe("R27: what is missing in a recording", () => {
  const isChunk = ({ kind }: RecordedEvent) => kind === "output.streaming";
  const gapsOf = (received: readonly { readonly event: RecordedEvent["event"] }[]) =>
    received.flatMap(({ event }) => event.extensions?.aaepd?.gap ?? []);

  it("at its beginning is declared, in the listener's language, and the rest is played", () => {
    const first = RECORDED.findIndex(isChunk) + 1;
    const stage = createReplayStage(sessionOf(RECORDED.slice(first)));
    const listener = stage.listen({
      languages: ["de"],
      eventFilters: { include: ["aaep:agent.output.*"], exclude: [] },
    });
    stage.clock.advance(LENGTH_MS);
    expect(gapsOf(listener.received)).toStrictEqual([{ events: first, reason: "aged_out" }]);
    expect(listener.received[0]?.event.localization_hints?.primary_language).toMatch(/^de/);
    expect(textOf(listener.received, "out_1")).toBe("Another one. And the last.");
    expect(listener.ended).toHaveLength(1);
  });

  it("is declared as well where retention takes what is read again: held text that is lost leaves a gap", () => {
    const held = session();
    const long = record(({ publish, advance }) => {
      publish(held.started(), held.chunk("Held text with no end "));
      for (let index = 0; index < 6000; index += 1) publish(held.progress(index % 100));
      advance(3000);
      publish(held.chunk("and its end.", true), held.completed());
    });
    let takenTo = Number.NEGATIVE_INFINITY;
    const whole = sessionOf(long);
    const read: typeof whole.read = (after, limit) => whole.read(Math.max(after, takenTo), limit);
    const stage = createReplayStage({ ...whole, read });
    const listener = stage.listen({ coalesceBoundaries: ["completion"] });
    stage.clock.advance(100);
    takenTo = long[1500]?.epoch ?? 0;
    listener.subscription.retune({ ...listener.subscription.terms(), preferredVerbosity: "terse" });
    stage.clock.advance(LENGTH_MS);
    const gaps = gapsOf(listener.received);
    expect(gaps).toMatchObject([{ reason: "aged_out" }]);
    expect(textOf(listener.received, "out_1")).toBe("and its end.");
    const types = typesOf(listener.received);
    expect(types.indexOf("state.changed")).toBeLessThan(types.indexOf("output.streaming"));
  });

  it("in its middle as well, after the event before it", () => {
    const damaged = RECORDED.findIndex(isChunk) + 1;
    const stage = createReplayStage(sessionOf(RECORDED.filter((_, index) => index !== damaged)));
    const listener = stage.listen();
    stage.clock.advance(LENGTH_MS);
    expect(gapsOf(listener.received)).toStrictEqual([{ events: 1, reason: "aged_out" }]);
    expect(textOf(listener.received, "out_1")).toBe("One sentence. And the last.");
  });
});

describe("a listener that takes nothing", () => {
  it("R18: loses nothing of a long session, and nothing is played far ahead of it", () => {
    const texts = Array.from({ length: 12_000 }, (_, index) => `Sentence ${index}. `);
    const long = record(({ publish }) => {
      publish(started());
      for (const text of texts) publish(chunk(text));
      publish(chunk("", true), completed());
    });
    const own = sessionOf(long);
    let readTo = 0;
    const stage = createReplayStage({
      ...own,
      read: (after, limit) => {
        readTo = Math.max(readTo, after);
        return long.slice(Math.max(0, after - 999), Math.max(0, after - 999) + limit);
      },
    });
    const listener = stage.listen();
    listener.block(true);
    stage.clock.advance(60_000);
    expect(readTo - 1000).toBeLessThan(5000);
    expect(listener.received).toHaveLength(0);
    listener.block(false);
    stage.clock.advance(60_000);
    expect(textOf(listener.received, "out_1")).toBe(texts.join(""));
    expect(listener.ended).toStrictEqual(["recording_ended"]);
  });

  it("shows in the engine's report, as everybody who listens", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    stage.listen();
    stage.listen({ maxEventsPerSecond: 1 }).block(true);
    stage.clock.advance(2000);
    const { subscriptions, sessionCount } = stage.engine.report();
    expect(subscriptions.map(({ terms }) => terms.maxEventsPerSecond)).toStrictEqual([undefined, 1]);
    expect([sessionCount, stage.engine.status().subscriptionCount]).toStrictEqual([0, 2]);
  });

  it("what each was given is counted, and stays counted when it has gone", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const listeners = [stage.listen(VERBATIM), stage.listen()];
    const counted = () => {
      const { totals, closures, subscriptions } = stage.engine.report();
      return { delivered: totals.delivered, closures: Object.fromEntries(closures), open: subscriptions.length };
    };
    const givenCount = () => listeners.reduce((sum, { received }) => sum + received.length, 0);
    stage.clock.advance(2000);
    expect(givenCount()).toBeGreaterThan(5);
    expect(counted()).toStrictEqual({ delivered: givenCount(), closures: {}, open: 2 });
    stage.clock.advance(LENGTH_MS);
    expect(counted()).toStrictEqual({ delivered: givenCount(), closures: { recording_ended: 2 }, open: 0 });
    const third = stage.listen();
    stage.clock.advance(2000);
    third.subscription.close();
    stage.engine.refused("handshake_timeout");
    const delivered = givenCount() + third.received.length;
    const closures = { recording_ended: 2, subscriber: 1, handshake_timeout: 1 };
    expect(counted()).toStrictEqual({ delivered, closures, open: 0 });
  });

  it("AAEP §5.5.3: more than may listen are refused", () => {
    const stage = createReplayStage(sessionOf(RECORDED));
    const [first] = [stage.listen(), stage.listen(), stage.listen()];
    expect(() => stage.listen()).toThrow(/rate_limit/);
    first?.subscription.close();
    expect(() => stage.listen()).not.toThrow();
  });
});

describe("many listeners to a long session", () => {
  const texts = Array.from({ length: 12_000 }, (_, index) => `Sentence ${index}, and ${"more ".repeat(60)}of it. `);
  const long = record(({ publish }) => {
    publish(started());
    for (const text of texts) publish(chunk(text));
    publish(chunk("", true), completed());
  });

  /** As a journal on disk gives them: made anew each time. */
  function readAnew() {
    const first = long[0]?.epoch ?? 0;
    const counted = { reads: 0, most: 0 };
    const session = {
      sessionId: "sess_1",
      read: (after: number, limit: number) => {
        const from = Math.max(0, after + 1 - first);
        const events = long.slice(from, from + limit).map((entry) => {
          const source = Buffer.from(entry.source ?? JSON.stringify(entry.event)).toString();
          return { ...entry, event: JSON.parse(source) as RecordedEvent["event"], source };
        });
        counted.reads += 1;
        counted.most = Math.max(counted.most, events.length);
        return events;
      },
    };
    return { session, counted };
  }

  /** Takes what there is and keeps nothing of it. */
  function listenOnly(stage: ReturnType<typeof createReplayStage>, terms = {}) {
    let length = 0;
    const subscription = stage.engine.subscribe({
      subscriberId: "listener",
      terms: { ...defaultTerms(), ...VERBATIM, ...terms },
      resumeAfter: undefined,
      wake: () => stage.clock.afterTurn(pull),
      ended: () => {},
    });
    const pull = (): void => {
      for (let taken = subscription.take(); taken.kind === "batch"; taken = subscription.take())
        for (const { event } of taken.batch.deliveries) length += String(event.chunk ?? "").length;
    };
    stage.clock.afterTurn(pull);
    return { subscription, length: () => length };
  }

  it("R18: each holds a window of it and not the whole, and those who hear it together read it once", () => {
    const { session: recording, counted } = readAnew();
    const collect = collector();
    const stage = createReplayStage(recording, { listenerGone: () => {} }, { maxSubscriptions: 16 });
    collect();
    const before = process.memoryUsage().heapUsed;
    const listeners = Array.from({ length: 16 }, () => listenOnly(stage));
    stage.clock.advance(0);
    const whole = texts.join("").length;
    expect(listeners.map(({ length }) => length())).toStrictEqual(listeners.map(() => whole));
    collect();
    const each = (process.memoryUsage().heapUsed - before) / listeners.length;
    expect(each / 1024 / 1024).toBeLessThan(2);
    // 12,003 events, 256 at a time, and the look beyond the last.
    expect(counted).toStrictEqual({ reads: Math.ceil(long.length / 256) + listeners.length, most: 256 });
  });

  it("R17, R28: what is no longer in memory is read from the recording again", () => {
    const stage = createReplayStage(readAnew().session);
    const { subscription, length } = listenOnly(stage, { coalesceBoundaries: ["completion"], maxChars: 16_384 });
    subscription.setBlocked(true);
    stage.clock.advance(0);
    subscription.setBlocked(false);
    for (let round = 0; round < 40; round += 1) {
      const terms = subscription.terms();
      subscription.retune({ ...terms, coalesceBoundaries: round % 2 === 0 ? ["sentence"] : ["completion"] });
      stage.clock.advance(1);
    }
    expect(length()).toBe(texts.join("").length);
  });
});
