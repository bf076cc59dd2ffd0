// AAEP §5.3.1.11, R15: how fast somebody can hear.
import { describe, expect, it } from "vitest";
import { wordCount } from "../../../src/engine/text/counted-text.js";
import { createEngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";

const { started, chunk } = session();

const textsOf = ({ received }: Listener) =>
  received.flatMap(({ event, at }) => (event.chunk === undefined ? [] : [[at, event.chunk]]));

describe("AAEP §5.3.1.11, R15: pace_wpm", () => {
  const sentence = "Five words make a sentence. ";

  const spoken = (paceWpm: number): Listener => {
    const rig = createEngineRig();
    const reader = rig.listen({ paceWpm });
    rig.publish(started());
    for (let index = 0; index < 12; index += 1) {
      rig.publish(chunk(sentence), chunk("…"));
      rig.publish({ ...chunk(""), coalesce_hint: "sentence" });
      rig.advance(500);
    }
    rig.advance(60_000);
    return reader;
  };

  it("what waits for the voice leaves as one, and more of it the slower the voice is", () => {
    const [fast, slow] = [400, 80].map((pace) => textsOf(spoken(pace)));
    expect(fast?.length).toBeLessThan(12);
    expect(slow?.length).toBeLessThan(fast?.length ?? 0);
    for (const texts of [fast, slow]) expect(texts?.map(([, text]) => text).join("")).toBe(`${sentence}…`.repeat(12));
  });

  it("the next text leaves when the last was spoken, after max_hold_ms at most", () => {
    const times = textsOf(spoken(50)).map(([at]) => Number(at));
    for (const [index, at] of times.entries())
      if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeLessThanOrEqual(5500);
    expect(times.length).toBeGreaterThan(1);
  });

  it("AAEP §5.7.2: nothing waits for the voice any more once the pace is gone", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ paceWpm: 50 });
    rig.publish(started());
    rig.publish(chunk(`${sentence.repeat(3)}And`), chunk(" more. And so on"));
    const { subscription } = reader;
    expect(textsOf(reader)).toHaveLength(1);
    subscription.retune({ ...subscription.terms, paceWpm: undefined });
    rig.advance(0);
    expect(
      textsOf(reader)
        .map(([, text]) => text)
        .join(""),
    ).toBe(`${sentence.repeat(3)}And more. `);
  });
});

it.each([
  ["", 0],
  [" Five words\nmake\u00a0a sentence. ", 5],
  ["日本語の文です", 4],
  ["日本語の AI\u3000です", 4],
])("R15: %j has %i words; two characters without spaces count as one", (text, count) => {
  expect(wordCount(text)).toBe(count);
});
