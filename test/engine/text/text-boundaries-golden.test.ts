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
/** Which half a case belongs to, by its index in the file: rules are tuned by one and judged by the other. */
const HALVES = ["tuning", "judging"] as const;
const golden = corpora.flatMap(({ name, language, markdown, cases }) =>
  cases.map((marked, index) => {
    const pieces = marked.split("│");
    const expected: number[] = [];
    for (const piece of pieces) expected.push((expected.at(-1) ?? 0) + piece.length);
    const half = HALVES[index % 2];
    return { name, half, language, markdown, text: pieces.join(""), expected: new Set(expected) } as const;
  }),
);
type Case = (typeof golden)[number];

const streamed = (chunks: readonly string[], language: string, markdown: boolean): readonly number[] => {
  const boundaries = feed(chunks, language, markdown);
  complete(boundaries);
  return cutsOf(boundaries, "sentence");
};

/** How often cuts are wrong or missed, by sentencex in the whole text and by the engine in the text that arrives token by token. */
function countOf(cases: readonly Case[]) {
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
  return { count, wrongCases };
}

describe("sentences of a golden corpus", () => {
  it("has 32 cases in each of 14 files and 12 in each of 13 more, none of them twice", () => {
    const sizes = corpora.map((corpus) => corpus.cases.length);
    expect(sizes.filter((size) => size >= 32).length).toBeGreaterThanOrEqual(14);
    expect(sizes.filter((size) => size >= 12).length).toBeGreaterThanOrEqual(27);
    expect(new Set(golden.map((one) => one.text)).size).toBe(golden.length);
  });

  it.each([
    // sentencex knows nothing of Markdown, so the two are not added up.
    { half: "tuning", kind: "running text", isMarkdown: false, mostWrongCases: 10, mostMissed: 7 },
    { half: "judging", kind: "running text", isMarkdown: false, mostWrongCases: 32, mostMissed: 12 },
    { half: "tuning", kind: "Markdown", isMarkdown: true, mostWrongCases: 0, mostMissed: 0 },
    { half: "judging", kind: "Markdown", isMarkdown: true, mostWrongCases: 1, mostMissed: 1 },
  ])(
    "R10: the $half half of $kind, streamed token by token, is cut no worse than before nor than sentencex cuts the whole",
    (group) => {
      const cases = golden.filter((one) => one.half === group.half && one.markdown === group.isMarkdown);
      const { count, wrongCases } = countOf(cases);
      process.stdout.write(`golden sentences, ${group.half} half of ${group.kind}: ${JSON.stringify(count)}\n`);
      // SENTENCES_BY_FILE asks for the figures of each file.
      for (const { name } of process.env.SENTENCES_BY_FILE === undefined ? [] : corpora) {
        const { count: ofFile } = countOf(cases.filter((one) => one.name === name));
        if (ofFile.cases > 0) process.stdout.write(`  ${name}: ${JSON.stringify(ofFile)}\n`);
      }
      expect(count.streamedWrong).toBeLessThanOrEqual(count.wholeWrong);
      expect(count.streamedMissed).toBeLessThanOrEqual(count.wholeMissed);
      // Guards against growing worse: what was measured.
      expect(wrongCases.length, wrongCases.join("\n")).toBeLessThanOrEqual(group.mostWrongCases);
      expect(count.streamedMissed).toBeLessThanOrEqual(group.mostMissed);
    },
  );

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
