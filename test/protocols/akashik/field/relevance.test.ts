// Relevance: the examples of docs/akashik.md, and what a pure score must keep.
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { listenerOf, relevance, relevanceScore } from "../../../../src/protocols/akashik/field/relevance.js";
import { wordsOf } from "../../../../src/protocols/akashik/field/words.js";

const strategist = listenerOf({ role: "strategist", interests: ["market pricing", "competitor analysis"] });

describe("the score", () => {
  it.each([
    ["finding", "Competitors lowered their prices.", 0.1 + 0.3],
    ["finding", "Market pricing has changed.", 0.1 + 0.6],
    ["decision", "Market pricing: the strategist decides.", 0.15 + 0.6 + 0.2],
    ["observation", "It rained.", 0.05],
    ["human_directive", "Analysis of the competitor first, strategist!", 1],
  ] as const)("of the %s %j is the sum of its parts", (kind, text, score) => {
    expect(relevanceScore({ kind, words: wordsOf(text) }, strategist)).toBeCloseTo(score, 10);
  });

  it("counts stems: a word in another form is the same word", () => {
    const reader = listenerOf({ role: "", interests: ["analysing prices"] });
    const score = (text: string) => relevanceScore({ kind: "finding", words: wordsOf(text) }, reader);
    expect(score("He analyses the price.")).toBeGreaterThan(score("He walks."));
    expect(score("price")).toBe(score("pricing"));
  });

  it("finds words in scripts without spaces, in capitals and in other widths", () => {
    const reader = listenerOf({ role: "", interests: ["市場価格"] });
    const other = { kind: "finding", words: wordsOf("今日は市場価格が上がった。") } as const;
    expect(relevanceScore(other, reader)).toBeCloseTo(0.7, 10);
    const wide = listenerOf({ role: "", interests: ["ＰＲＩＣＥ"] });
    expect(relevanceScore({ kind: "finding", words: wordsOf("the price") }, wide)).toBeCloseTo(0.7, 10);
  });

  it("takes the first 128 words of the interests, also of the interest in which they end", () => {
    const numbered = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `w${from + index}x`).join(" ");
    const reader = listenerOf({ role: "", interests: [numbered(0, 100), numbered(100, 150), "price"] });
    expect(reader.interests.map(({ words }) => words.size)).toEqual([100, 28]);
    const score = (text: string) => relevanceScore({ kind: "finding", words: wordsOf(text) }, reader);
    expect(score(numbered(100, 128))).toBeCloseTo(0.7, 10);
    expect(score(`${numbered(128, 150)} price`)).toBeCloseTo(0.1, 10);
  });

  it("gives its reason", () => {
    const { score, reason } = relevance({ kind: "finding", words: wordsOf("Market pricing, strategist.") }, strategist);
    expect(score).toBeCloseTo(0.9, 10);
    expect(reason).toBe(
      'It has 100 % of the interest "market pricing", has 100 % of the role, is of the type finding.',
    );
    expect(relevance({ kind: "finding", words: new Set() }, strategist).reason).toBe("It is of the type finding.");
  });
});

test("the score is from 0 to 1, in thousandths, and only the pair decides it", () => {
  const text = fc.string({ maxLength: 60, unit: "grapheme" });
  fc.assert(
    fc.property(text, text, fc.array(text, { maxLength: 5 }), (content, role, interests) => {
      const subject = { kind: "finding", words: wordsOf(content) } as const;
      const listener = listenerOf({ role, interests });
      const score = relevanceScore(subject, listener);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(Math.round(score * 1000) / 1000).toBe(score);
      expect(relevance(subject, listener).score).toBe(score);
      expect(relevanceScore({ kind: "finding", words: wordsOf(content) }, listenerOf({ role, interests }))).toBe(score);
    }),
  );
});

test("R34: only the beginning of a text is read, and so many words of it", () => {
  const many = Array.from({ length: 5000 }, (_, index) => `w${index}`).join(" ");
  expect(wordsOf(many).size).toBeLessThanOrEqual(512);
  expect([...wordsOf("x".repeat(100_000))]).toEqual(["x".repeat(64)]);
  expect(wordsOf(`${"a ".repeat(5000)}late`).has("late")).toBe(false);
});
