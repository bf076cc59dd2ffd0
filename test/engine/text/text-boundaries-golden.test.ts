import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { decodeGenerator, encode } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../support/extent.js";
import { append, chunksOf, complete, cutsOf, feed, segmenter } from "./text-boundaries-support.js";

interface Corpus {
  readonly language: string;
  readonly markdown: boolean;
  /** Texts with a bar where a sentence ends and another begins. */
  readonly cases: readonly string[];
}

const folder = new URL("../sentences/", import.meta.url);
const corpora = readdirSync(folder).map(
  (name) => ({ name, ...(JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Corpus) }) as const,
);
const golden = corpora.flatMap(({ name, language, markdown, cases }) =>
  cases.map((marked) => {
    const pieces = marked.split("│");
    const expected: number[] = [];
    for (const piece of pieces) expected.push((expected.at(-1) ?? 0) + piece.length);
    return { name, language, markdown, text: pieces.join(""), expected: new Set(expected) } as const;
  }),
);

const streamed = (chunks: readonly string[], language: string, markdown: boolean): readonly number[] => {
  const boundaries = feed(chunks, language, markdown);
  complete(boundaries);
  return cutsOf(boundaries, "sentence");
};

describe("sentences of a golden corpus", () => {
  it("has 150 cases in more than ten languages", () => {
    expect(golden.length).toBeGreaterThanOrEqual(150);
    expect(new Set(corpora.map((corpus) => corpus.language)).size).toBeGreaterThan(10);
  });

  it.each([
    // sentencex knows nothing of Markdown, so the two are not added up.
    { kind: "running text", isMarkdown: false, mostWrongCases: 4 },
    { kind: "Markdown", isMarkdown: true, mostWrongCases: 0 },
  ])("R10: $kind streamed token by token is cut wrongly no more often than sentencex cuts the whole", (group) => {
    const cases = golden.filter((one) => one.markdown === group.isMarkdown);
    const count = { cases: cases.length, wholeWrong: 0, streamedWrong: 0, wholeMissed: 0, streamedMissed: 0 };
    const wrongCases: string[] = [];
    for (const { language, markdown, text, expected } of cases) {
      const whole = segmenter.sentenceEnds(text, language);
      const cuts = streamed([...decodeGenerator(encode(text))], language, markdown);
      const wrong = cuts.filter((cut) => !expected.has(cut)).length;
      count.wholeWrong += whole.filter((cut) => !expected.has(cut)).length;
      count.streamedWrong += wrong;
      count.wholeMissed += [...expected].filter((cut) => !whole.includes(cut)).length;
      count.streamedMissed += [...expected].filter((cut) => !cuts.includes(cut)).length;
      if (wrong > 0) wrongCases.push(text);
    }
    process.stdout.write(`golden sentences, ${group.kind}: ${JSON.stringify(count)}\n`);
    expect(count.streamedWrong).toBeLessThanOrEqual(count.wholeWrong);
    expect(count.streamedMissed).toBeLessThanOrEqual(count.wholeMissed);
    // A guard against growing worse. What is left are abbreviations that sentencex does not know, and an emoji after a space.
    expect(wrongCases.length, wrongCases.join("\n")).toBeLessThanOrEqual(group.mostWrongCases);
  });

  it.each(corpora.map((corpus) => corpus.name))("R10: %s is cut at the same places however it arrives", (name) => {
    const cases = golden.filter((one) => one.name === name);
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(fc.constantFrom(...cases), sizes, (one, by) => {
        const whole = streamed([one.text], one.language, one.markdown);
        expect(streamed(chunksOf(one.text, by), one.language, one.markdown)).toEqual(whole);
      }),
      { numRuns: casesOf(Math.max(60, cases.length * 4)) },
    );
  });

  it("R10: what was confirmed while the text arrived is never taken back", () => {
    for (const { language, markdown, text } of golden) {
      const boundaries = feed([], language, markdown);
      const confirmed = new Set<number>();
      for (const chunk of chunksOf(text, [2])) {
        append(boundaries, chunk, language, { markdown });
        for (const cut of cutsOf(boundaries, "sentence")) confirmed.add(cut);
      }
      complete(boundaries);
      expect(cutsOf(boundaries, "sentence")).toEqual(expect.arrayContaining([...confirmed]));
    }
  });
});
