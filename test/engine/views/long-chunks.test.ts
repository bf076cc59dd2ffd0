// R10, R34: a long text that is published at once, in many kinds of writing.
import { describe, expect, it } from "vitest";
import { createEngineRig, session, textOf } from "../../support/rigs/engine-rig.js";

const CHUNK_UNITS = 4_000;
const MOST_PIECES = 256;

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

describe("a long chunk", () => {
  it.each(Object.entries(TEXTS))("R34: %s: nothing is lost, and it is cut into few pieces", (_, unit) => {
    const rig = createEngineRig();
    const sentences = rig.listen({ coalesceBoundaries: ["sentence", "completion"], maxEventsPerSecond: undefined });
    const words = rig.listen({ coalesceBoundaries: ["word", "completion"], maxEventsPerSecond: undefined });
    const small = rig.listen({
      coalesceBoundaries: ["word", "completion"],
      maxEventsPerSecond: undefined,
      maxChars: 100,
    });
    const text = unit.repeat(Math.ceil(CHUNK_UNITS / unit.length)).slice(0, CHUNK_UNITS);
    rig.publish(session().started());
    rig.publish(session().chunk(text, true));
    rig.publish(session().completed());
    for (const { received } of [sentences, words, small]) expect(textOf(received, "out_1")).toBe(text);
    // Two other events, and what completes the output.
    for (const { received } of [sentences, words]) expect(received.length).toBeLessThanOrEqual(MOST_PIECES + 3);
  });

  it("goes as it came to a listener that takes each piece, as long as it fits into one event", () => {
    const rig = createEngineRig();
    const pieces = rig.listen({ coalesceBoundaries: ["none"], maxEventsPerSecond: undefined });
    rig.publish(session().started());
    for (const [index, text] of ["x".repeat(16_000), "\u{1f642}".repeat(10_000)].entries())
      rig.publish({ ...session().chunk(text), event_id: `evt_whole${index}` });
    const ids = pieces.received.filter(({ event }) => event.chunk !== undefined).map(({ event }) => event.event_id);
    expect(ids).toEqual(["evt_whole0", "evt_whole1"]);
  });
});
