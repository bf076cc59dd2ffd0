// R34: long text is scanned for boundaries in steps before the journal takes it, and by each reader of the journal before it is pushed.
import { describe, expect, it } from "vitest";
import type { Segmenter } from "../../../src/contracts/segmenter.js";
import { createSegmenter } from "../../../src/daemon/platform/segmenter.js";
import { createEngineRig, type EngineRig, type Listener, session, textOf } from "../../support/rigs/engine-rig.js";

const LENGTH = 16_000;
/** Most calls of the segmenter for one step of 256 characters, or for 256 pieces. */
const MOST_CALLS = 600;
const KINDS: Readonly<Record<string, readonly [unit: string, language: string]>> = {
  "short sentences": ["Go on. ", "en"],
  Burmese: ["မြန်မာနိုင်ငံသည်အရှေ့တောင်အာရှတွင်ရှိသည်", "my"],
  "Arabic question marks": ["ما هذا؟ ", "ar"],
  Japanese: ["今日は天気がとてもよかったので公園を散歩した。", "ja"],
  fences: ["```\na. b\n```\nSo it is. ", "en"],
};
const TERMS = [
  { coalesceBoundaries: ["sentence", "completion"] },
  { coalesceBoundaries: ["word", "completion"] },
  { coalesceBoundaries: ["none"], maxChars: 1000 },
  { coalesceBoundaries: ["completion"] },
] as const;

const textOfKind = (kind: string): string => {
  const [unit] = KINDS[kind] ?? [""];
  return unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
};

const chunk = (kind: string, text: string, complete = false): Record<string, unknown> => ({
  ...session().chunk(text, complete),
  language: KINDS[kind]?.[1],
});

interface Stage {
  readonly rig: EngineRig;
  readonly calls: () => number;
  readonly journaled: () => number;
  readonly listeners: readonly Listener[];
}

/** `turnRoomMs` 0: one step a turn. */
function stage(turnRoomMs = 0, turnsBetween?: number, terms: readonly (typeof TERMS)[number][] = TERMS): Stage {
  const platform = createSegmenter();
  let calls = 0;
  let journaled = 0;
  const counting: Segmenter = {
    sentenceEnds: (text, language) => {
      calls += 1;
      return platform.sentenceEnds(text, language);
    },
    wordEnds: (text, language) => {
      calls += 1;
      return platform.wordEnds(text, language);
    },
    clusterEnds: platform.clusterEnds,
  };
  const rig = createEngineRig({
    segmenter: counting,
    engine: { turnRoomMs },
    ...(turnsBetween === undefined ? {} : { turnsBetween }),
    journaled: () => {
      journaled += 1;
    },
  });
  const listeners = terms.map((one) => rig.listen({ ...one, maxEventsPerSecond: undefined }));
  rig.publish(session().started());
  return { rig, calls: () => calls, journaled: () => journaled, listeners };
}

const heard = ({ received }: Listener): readonly unknown[] =>
  received.map(({ event: { type, chunk: text, position, coalesce_hint: hint, complete } }) => ({
    type,
    text,
    position,
    hint,
    complete,
  }));

/** Ends turns until something more is journaled. Returns the most calls of the segmenter in one of them, and how many turns there were. */
function untilJournaled({ rig, calls, journaled }: Stage): { readonly most: number; readonly turns: number } {
  const before = journaled();
  let most = 0;
  let turns = 0;
  for (; journaled() === before; turns += 1) {
    const callsBefore = calls();
    rig.clock.turn();
    most = Math.max(most, calls() - callsBefore);
  }
  return { most, turns };
}

describe("a long text", () => {
  it.each(Object.keys(KINDS))("of %s is scanned in steps, and cut as if it were scanned at once", async (kind) => {
    const sliced = stage();
    const whole = stage();
    const text = textOfKind(kind);
    for (const { rig } of [sliced, whole]) rig.publish(chunk(kind, "And then he sai"));
    const { agent } = sliced.rig;
    const receipt = agent.publishLater([{ fields: chunk(kind, text) }], false);
    const { most, turns } = untilJournaled(sliced);
    await receipt;
    expect(turns).toBeGreaterThan(LENGTH / 256 - 2);
    expect(most).toBeLessThan(MOST_CALLS);
    whole.rig.publish(chunk(kind, text));
    for (const { rig } of [sliced, whole]) rig.publish(chunk(kind, " The end.", true), session().completed());
    sliced.listeners.forEach((listener, index) => {
      const other = whole.listeners[index];
      expect(other === undefined ? [] : heard(other)).toEqual(heard(listener));
      expect(textOf(listener.received, "out_1")).toBe(`And then he sai${text} The end.`);
    });
  });

  it("holds up no other agent, and nobody sees it before it is journaled", async () => {
    const one = stage();
    const other = one.rig.openAgent();
    const receipt = one.rig.agent.publishLater([{ fields: chunk("Burmese", textOfKind("Burmese")) }], false);
    one.rig.clock.turn();
    const before = one.journaled();
    other.publish([{ fields: session("sess_2").started() }], false);
    expect(one.journaled()).toBe(before + 1);
    one.rig.publish(session().progress(10));
    await receipt;
    for (const { received } of one.listeners)
      expect(received.slice(0, 3).map(({ event }) => event.session_id)).toEqual(["sess_1", "sess_2", "sess_1"]);
  });

  it("is journaled once nobody waits to send, so that nobody falls behind it", () => {
    const one = stage(Number.POSITIVE_INFINITY);
    let left = 5;
    const send = (): void => {
      left -= 1;
      if (left > 0) one.rig.engine.sendingTurns.wait(send);
    };
    one.rig.engine.sendingTurns.wait(send);
    void one.rig.agent.publishLater([{ fields: chunk("Japanese", textOfKind("Japanese")) }], false);
    untilJournaled(one);
    expect(left).toBe(0);
  });

  it("is searched for words in steps too, for a view that cuts at them and comes when all is scanned", () => {
    const [sentences, words] = TERMS;
    const [before, one] = [stage(0, 0, [sentences]), stage(0, 0, [sentences])];
    const fields = chunk("Burmese", textOfKind("Burmese"), true);
    for (const { rig } of [before, one]) void rig.agent.publishLater([{ fields }], false);
    const { turns } = untilJournaled(before);
    for (let turn = 1; turn < turns; turn += 1) one.rig.clock.turn();
    const late = one.rig.listen({ ...words, maxEventsPerSecond: undefined });
    const { most } = untilJournaled(one);
    expect(most).toBeLessThan(MOST_CALLS);
    one.rig.clock.settle();
    expect(late.received.length).toBeGreaterThan(100);
  });

  it("that is refused is refused at once, and not scanned", () => {
    const one = stage();
    const calls = one.calls();
    const fields = { ...chunk("Japanese", textOfKind("Japanese")), position: 7 };
    expect(() => one.rig.agent.publishLater([{ fields }], false)).toThrow(/position/i);
    one.rig.clock.settle();
    expect(one.calls()).toBe(calls);
    one.rig.publish(chunk("Japanese", "終わり。", true), session().completed());
  });

  it("is checked again when it is scanned, and continues what was published meanwhile", async () => {
    const one = stage();
    const text = textOfKind("short sentences");
    const receipt = one.rig.agent.publishLater([{ fields: chunk("short sentences", text) }], false);
    one.rig.clock.turn();
    one.rig.agent.publish([{ fields: chunk("short sentences", "Wait. ") }], false);
    one.rig.clock.settle();
    await receipt;
    const late = one.rig.agent.publishLater([{ fields: chunk("short sentences", text) }], false);
    one.rig.clock.turn();
    one.rig.agent.publish([{ fields: chunk("short sentences", "", true) }], false);
    one.rig.clock.settle();
    await expect(late).rejects.toMatchObject({ code: "output_already_complete" });
    for (const { received } of one.listeners) expect(textOf(received, "out_1")).toBe(`Wait. ${text}`);
  });
});
