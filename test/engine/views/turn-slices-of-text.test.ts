// R34: however much text is published at once, and for however many terms, one turn does little. What a turn does is counted, not timed.
import { describe, expect, it } from "vitest";
import { createSegmenter } from "../../../src/daemon/platform/segmenter.js";
import type { Boundary, Terms } from "../../../src/engine/terms/terms.js";
import { createEngineRig, type Listener, session, textOf } from "../../support/rigs/engine-rig.js";

const CHUNK_UNITS = 4_000;

const TEXTS: Readonly<Record<string, string>> = {
  "sentences of two characters": ". ",
  "short sentences": "Go on. ",
  "dot leaders": "........ ",
  "marks of Markdown alone": "*_~`#|>- ",
  "combining marks": "e\u0301\u0302\u0303\u0304",
  Chinese: "今天天气很好我们去公园散步吧",
  Khmer: "កម្ពុជាជាប្រទេសមួយនៅអាស៊ីអាគ្នេយ៍",
  Burmese: "မြန်မာနိုင်ငံသည်အရှေ့တောင်အာရှတွင်ရှိသည်",
  Thai: "ประเทศไทยตั้งอยู่ในเอเชียตะวันออกเฉียงใต้",
  Arabic: "ما هذا؟ ",
  "nested quotes": "\u201c\u2018(",
  "one word": "a",
};

/** A step looks at 256 units, and asks the segmenter about each of them a bounded number of times. */
const MOST_READ_UNITS = 64 * 256;

const words: readonly Boundary[] = ["word", "completion"];
const sentences: readonly Boundary[] = ["sentence", "completion"];

/** A rig in which a turn has room for one step, and that counts what the turns do. */
function stage(termsOf: readonly Partial<Terms>[]) {
  const platform = createSegmenter();
  let readUnits = 0;
  const counted = <Rest extends unknown[]>(ends: (text: string, ...rest: Rest) => readonly number[]) => {
    return (text: string, ...rest: Rest): readonly number[] => {
      readUnits += text.length;
      return ends(text, ...rest);
    };
  };
  const rig = createEngineRig({
    engine: { turnRoomMs: 0 },
    turnsBetween: 0,
    segmenter: {
      sentenceEnds: counted(platform.sentenceEnds),
      wordEnds: counted(platform.wordEnds),
      clusterEnds: counted(platform.clusterEnds),
    },
  });
  const listeners: readonly Listener[] = termsOf.map((terms, index) => rig.listen(terms, `listener-${index}`));
  rig.clock.settle();
  let most = 0;
  return {
    rig,
    listeners,
    /** One turn. */
    turn: () => {
      readUnits = 0;
      rig.clock.turn();
      most = Math.max(most, readUnits);
    },
    /** The most text that the segmenter was asked about in a turn, UTF-16 units. */
    mostRead: () => most,
  };
}

describe("a long text in slices", () => {
  it.each(Object.entries(TEXTS))(
    "R34: %s, for two terms: no turn reads or makes much, and nothing is lost",
    (_, unit) => {
      const { rig, listeners, turn, mostRead } = stage([
        { coalesceBoundaries: sentences },
        { coalesceBoundaries: words, maxChars: 100 },
      ]);
      const text = unit.repeat(Math.ceil(CHUNK_UNITS / unit.length)).slice(0, CHUNK_UNITS);
      rig.publish(session().started());
      rig.publish(session().chunk(text, true));
      rig.publish(session().completed());
      const isOver = ({ received }: Listener): boolean =>
        received.at(-1)?.event.complete === true || hasEnded(received);
      const hasEnded = (received: Listener["received"]): boolean =>
        received.at(-1)?.event.type === "aaep:agent.session.completed";
      let turns = 0;
      for (; turns < 50_000 && !listeners.every(isOver); turns += 1) turn();
      for (const { received } of listeners) expect(textOf(received, "out_1")).toBe(text);
      expect(mostRead()).toBeLessThan(MOST_READ_UNITS);
      expect(turns).toBeGreaterThan(CHUNK_UNITS / 256);
    },
  );

  it("R4, R34: what is critical in another session leaves within two turns, and says that it overtook nothing", () => {
    const { rig, listeners, turn } = stage(
      Array.from({ length: 8 }, (_, index) => ({ coalesceBoundaries: sentences, maxChars: 100 + index })),
    );
    rig.publish(session("sess_1").started(), session("sess_2").started());
    rig.publish(session("sess_1").chunk(TEXTS["sentences of two characters"]?.repeat(2000) ?? "", true));
    for (let count = 0; count < 20; count += 1) turn();
    rig.publish(session("sess_2").errored());
    turn();
    turn();
    for (const { received } of listeners) {
      const last = received.find(({ event }) => event.type === "aaep:agent.session.errored");
      expect(last?.event.extensions?.aaepd).toBeUndefined();
    }
    expect(
      listeners.every(({ received }) =>
        received.some(({ event }) => event.session_id === "sess_2" && event.type === "aaep:agent.session.errored"),
      ),
    ).toBe(true);
    expect(listeners.some(({ received }) => textOf(received, "out_1").length === 4000)).toBe(false);
    rig.clock.settle();
    for (const { received } of listeners) {
      expect(textOf(received, "out_1")).toHaveLength(4000);
      expect(received.filter(({ event }) => event.type === "aaep:agent.session.errored")).toHaveLength(1);
    }
  });

  it("R4, R34: what is critical in the same session goes alone, says what it overtook, and the rest follows", () => {
    const { rig, listeners, turn } = stage([{ coalesceBoundaries: sentences }]);
    rig.publish(session().started());
    rig.publish(session().chunk("Go on. ".repeat(500)));
    rig.publish(session().progress(10));
    rig.publish(session().progress(20));
    for (let count = 0; count < 5; count += 1) turn();
    rig.publish(session().errored());
    turn();
    turn();
    const [listener] = listeners;
    const errored = listener?.received.find(({ event }) => event.type === "aaep:agent.session.errored");
    const { overtook } = (errored?.event.extensions?.aaepd ?? {}) as { overtook?: number };
    expect(overtook).toBeGreaterThan(0);
    rig.clock.settle();
    expect(textOf(listener?.received ?? [], "out_1")).toBe("Go on. ".repeat(500));
    // Progress that a critical event of its agent overtook is superseded by it (R4).
    expect(listener?.received.some(({ event }) => event.type === "aaep:agent.progress.updated")).toBe(false);
  });

  it("R3, R34: events of one session keep their order over slices, and a newcomer meanwhile hears only what comes after it", () => {
    const { rig, listeners, turn } = stage([{ coalesceBoundaries: sentences }]);
    rig.publish(session().started());
    rig.publish(session().chunk("Go on. ".repeat(500), true));
    rig.publish(session().state("idle", "thinking"));
    for (let count = 0; count < 5; count += 1) turn();
    const newcomer = rig.listen({ coalesceBoundaries: sentences }, "newcomer");
    rig.publish(session().state("thinking", "deciding"));
    rig.clock.settle();
    const states = (received: Listener["received"]) =>
      received.filter(({ event }) => event.type === "aaep:agent.state.changed").map(({ event }) => event.to_state);
    expect(states(listeners[0]?.received ?? [])).toEqual(["thinking", "deciding"]);
    expect(states(newcomer.received).at(-1)).toBe("deciding");
    expect(newcomer.received.some(({ event }) => event.type === "aaep:agent.session.started")).toBe(false);
  });
});

describe("an agent that publishes faster than its text can be shaped", () => {
  it("R18, R34: waits for itself, and for nobody else's text", async () => {
    const { rig } = stage([{ coalesceBoundaries: sentences }]);
    const other = rig.openAgent();
    rig.publish(session().started());
    for (let count = 0; count < 300; count += 1) rig.publish(session().chunk("Go on. "));
    const room = rig.agent.room();
    expect(room).toBeInstanceOf(Promise);
    other.publish([{ fields: session("sess_2").started() }], false);
    expect(other.room()).toBeUndefined();
    let hasRoom = false;
    void room?.then(() => {
      hasRoom = true;
    });
    await Promise.resolve();
    expect(hasRoom).toBe(false);
    rig.clock.settle();
    await room;
    expect(rig.agent.room()).toBeUndefined();
  });
});

describe("what a turn has room for", () => {
  /** How many turns it takes until a listener has 400 events of an agent, on a clock that stands still: by what their sending is taken to cost alone. */
  function turnsFor(boundaries: readonly Boundary[], piece: string): number {
    const rig = createEngineRig({ engine: { turnRoomMs: 2 }, turnsBetween: 0 });
    const listener = rig.listen({ coalesceBoundaries: boundaries, maxEventsPerSecond: undefined });
    rig.clock.settle();
    rig.publish(session().started());
    for (let count = 0; count < 400; count += 1) rig.publish(session().chunk(piece));
    let turns = 0;
    for (; listener.received.length < 399; turns += 1) {
      if (turns > 100) throw new Error("It does not come to an end.");
      rig.clock.turn();
    }
    return turns;
  }

  it("R34: hundreds of events that go out as they were published, and fewer that are made of text", () => {
    expect(turnsFor(["none"], "Go on. ")).toBeLessThanOrEqual(2);
    expect(turnsFor(sentences, "Go on. ")).toBeGreaterThan(2);
  });
});
