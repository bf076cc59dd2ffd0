// AAEP §5.3.1.6, R10: which chunks leave as one event, when, and with what hint.
import { describe, expect, it } from "vitest";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { createEngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";

const { started, chunk, state, progress } = session();
const VOCABULARY = "https://example.org/vocabulary/v1";
const extended = {
  "@context": ["https://aaep-protocol.org/context/v1", VOCABULARY],
  extensions: { example: { mark: true } },
};

const completionAlone: Partial<Terms> = { coalesceBoundaries: ["completion"], supportedExtensions: [VOCABULARY] };
const sentences: Partial<Terms> = { coalesceBoundaries: ["sentence", "completion"] };

const chunksOf = ({ received }: Listener) =>
  received.flatMap(({ event }) =>
    event.chunk === undefined ? [] : [[event.chunk, event.complete, event.coalesce_hint, event.language]],
  );

describe("R10: where completion alone releases", () => {
  it("pieces that may not be merged wait, and leave one after another with no hint but the last one's", () => {
    const rig = createEngineRig();
    const reader = rig.listen(completionAlone);
    rig.publish(started());
    rig.publish({ ...chunk("One. "), language: "en-US" }, { ...chunk("Two. "), language: "en-US" });
    rig.publish({ ...chunk("三つ。"), language: "ja" });
    rig.publish({ ...chunk("Four. "), ...extended, language: "ja" });
    rig.publish(progress(10), state("idle", "thinking"));
    rig.publish({ ...chunk("Five"), language: "ja" });
    rig.advance(60_000);
    expect(chunksOf(reader)).toEqual([]);
    rig.publish(chunk("", true));
    expect(chunksOf(reader)).toEqual([
      ["One. Two. ", false, undefined, "en-US"],
      ["三つ。", false, undefined, "ja"],
      ["Four. ", false, undefined, "ja"],
      ["Five", true, "completion", "ja"],
    ]);
  });

  it("text too long for one event waits too, and its pieces before the last have no hint", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ ...completionAlone, maxChars: 80 });
    rig.publish(started());
    for (let index = 0; index < 4; index += 1) rig.publish(chunk(`${"word ".repeat(10)}. `));
    expect(chunksOf(reader)).toEqual([]);
    rig.publish(chunk("End.", true));
    const chunks = chunksOf(reader);
    expect(chunks.map(([text]) => text).join("")).toBe(`${`${"word ".repeat(10)}. `.repeat(4)}End.`);
    expect(chunks.map(([, , hint]) => hint)).toEqual([...chunks.slice(1).map(() => undefined), "completion"]);
  });

  it("R18: so does an endless output, as far as memory is bounded", () => {
    const rig = createEngineRig();
    const reader = rig.listen(completionAlone);
    rig.publish(started());
    for (let index = 0; index < 20; index += 1) rig.publish(chunk("word ".repeat(3000)));
    const given = chunksOf(reader).map(([text]) => String(text).length);
    expect(given.length).toBeGreaterThan(0);
    expect(given.reduce((sum, length) => sum + length, 0)).toBeLessThan(20 * 15_000 - 200_000);
  });

  it("R32: what was held by other terms goes on waiting, for its completion", () => {
    const rig = createEngineRig();
    const reader = rig.listen(sentences);
    rig.publish(started());
    rig.publish(chunk("One. Half a"));
    reader.subscription.retune({ ...reader.subscription.terms, ...completionAlone });
    rig.advance(0);
    rig.publish(chunk(" sentence. Another"));
    rig.advance(60_000);
    const before = [["One. ", false, "sentence", undefined]];
    expect(chunksOf(reader)).toEqual(before);
    rig.publish(chunk("", true));
    expect(chunksOf(reader)).toEqual([...before, ["Half a sentence. Another", true, "completion", undefined]]);
  });

  it("who comes in the middle begins with what others wait for, and its pieces that may not be merged leave one after another", () => {
    const rig = createEngineRig();
    rig.listen(completionAlone);
    rig.publish(started());
    rig.publish({ ...chunk("One. "), language: "en-US" }, { ...chunk("三つ。"), language: "ja" });
    const late = rig.listen({ ...completionAlone, maxChars: 200 });
    rig.publish({ ...chunk("四つ。", true), language: "ja" });
    expect(chunksOf(late)).toEqual([
      ["One. ", false, undefined, "en-US"],
      ["三つ。四つ。", true, "completion", "ja"],
    ]);
  });
});

describe("R10: completion is the last event's", () => {
  it.each([
    ["sentence", sentences, "sentence", "completion"],
    ["none", { coalesceBoundaries: ["none"] } satisfies Partial<Terms>, "none", undefined],
  ])(
    "an agent that calls each chunk complete by its hint alone is not taken at its word: %s",
    (_, terms, hint, lastHint) => {
      const rig = createEngineRig();
      const reader = rig.listen(terms);
      rig.publish(started());
      rig.publish({ ...chunk("A part"), coalesce_hint: "completion" }, chunk("", true));
      expect(chunksOf(reader).map(([text, complete, said]) => [text, complete, said])).toEqual([
        ["A part", false, hint],
        ["", true, lastHint],
      ]);
    },
  );

  it("what is cut by its size alone, where no boundary is, has no hint of one", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ ...sentences, maxChars: 80 });
    rig.publish(started());
    rig.publish(chunk(`${"word ".repeat(30)}end. `), chunk("", true));
    const hints = chunksOf(reader).map(([, , hint]) => hint);
    expect(hints).toEqual([undefined, "completion"]);
  });
});

describe("R10: an empty chunk merges with any", () => {
  it("the last, empty chunk of an output costs no event of its own where it lacks the language of the text", () => {
    const rig = createEngineRig();
    const reader = rig.listen(sentences);
    rig.publish(started());
    rig.publish({ ...chunk("お元気ですか"), language: "ja" });
    rig.publish(chunk("", true));
    expect(chunksOf(reader)).toEqual([["お元気ですか", true, "completion", "ja"]]);
  });

  it("nor where it waits in a queue, nor an empty first one", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ coalesceBoundaries: ["none"], maxEventsPerSecond: 1 });
    rig.publish(started());
    rig.publish({ ...chunk(""), language: "en" }, { ...chunk("はい"), language: "ja" }, chunk("", true));
    rig.advance(5000);
    expect(chunksOf(reader)).toEqual([["はい", true, "completion", "ja"]]);
  });

  it("an empty chunk that carries what its listener implements stays as it is", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ ...sentences, supportedExtensions: [VOCABULARY] });
    rig.publish(started());
    rig.publish(chunk("Half"), { ...chunk(""), ...extended }, chunk(" more", true));
    expect(
      reader.received.flatMap(({ event }) => (event.chunk === undefined ? [] : [[event.chunk, event.extensions]])),
    ).toEqual([
      ["Half", undefined],
      ["", { example: { mark: true } }],
      [" more", undefined],
    ]);
  });
});
