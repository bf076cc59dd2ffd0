import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CutLevel, TextBoundaries } from "../../../src/engine/text/text-boundaries.js";
import { casesOf } from "../../support/extent.js";
import { append, chunksOf, complete, cutsOf, feed, piecesOf, segmenter } from "./text-boundaries-support.js";

const LEVELS = ["word", "sentence", "paragraph"] as const satisfies readonly CutLevel[];

// Fragments that meet each other in every order: structure, terminators, scripts without spaces, clusters of several characters.
const words = "abc Hello world. Yes! No? Dr. e.g. 3.14 日本語 です 中文 ไทย สวัสดี go.) it,";
const marks = "1. 2) - * # ## | > ``` ~~~ --- === ( ) “ ” „ « » 「 」 。 ！ ？ । ؟ ። ။ [1] [ ] ` ** _";
const fragment = fc.constantFrom(
  ...words.split(" "),
  ...marks.split(" "),
  ...['"', "\n", "\n\n", "\r\n", " ", "  ", "\t", ". ", ".\n", "\u00a0", "...", "…", "; ", ", "],
  ...[
    ". Next ",
    ".[1] Next ",
    '." Next ',
    ".) So ",
    ".** Now ",
    ". 日本語。です",
    "(Go. Home.) ",
    '"Go. Home." ',
    "。」と",
  ],
  ...[
    "\n- item. Two\n",
    "\n## head\n",
    "\n```\ncode. It is.\n\n```\n",
    "\n| a. B | c |\n",
    "\n> Quote. It\n",
    "!👍 Go ",
  ],
  ...["👍", "👍🏽", "👩‍👩‍👧", "🇫🇷", "e\u0301", "\u0301", "\u200d", "ก็", "नि"],
);
const text = fc.array(fragment, { maxLength: 60, size: "max" }).map((fragments) => fragments.join(""));
const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 });
const language = fc.constantFrom("en", "de", "ja", "th", "el", "und");

const clusterEnds = (whole: string): ReadonlySet<number> => new Set(segmenter.clusterEnds(whole));
const codePointCount = (piece: string): number => Array.from(piece).length;

describe("text boundaries", () => {
  it("R10: the pieces at every level, joined, are the text", () => {
    fc.assert(
      fc.property(text, sizes, language, fc.boolean(), (whole, by, tag, markdown) => {
        const boundaries = feed(chunksOf(whole, by), tag, markdown);
        complete(boundaries);
        for (const level of LEVELS) {
          const cuts = cutsOf(boundaries, level);
          expect(piecesOf(whole, cuts).join("")).toBe(whole);
          expect(cuts.map((cut, index) => boundaries.slice(cuts[index - 1] ?? 0, cut)).join("")).toBe(whole);
        }
      }),
      { numRuns: casesOf(200) },
    );
  });

  it("R10: sentences, paragraphs and words are the same however the text was cut into chunks", () => {
    fc.assert(
      fc.property(text, sizes, language, fc.boolean(), (whole, by, tag, markdown) => {
        const atOnce = feed([whole], tag, markdown);
        const inChunks = new TextBoundaries(segmenter);
        inChunks.next(0, "word");
        for (const chunk of chunksOf(whole, by)) append(inChunks, chunk, tag, { markdown });
        complete(atOnce);
        complete(inChunks);
        for (const level of LEVELS) expect(cutsOf(inChunks, level), level).toEqual(cutsOf(atOnce, level));
      }),
      { numRuns: casesOf(200) },
    );
  });

  it("R34: text that is scanned in pieces has the same boundaries as text that is scanned chunk by chunk", () => {
    const chunk = fc.record({ text, tag: language, markdown: fc.boolean() });
    const steps = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 5 }), steps, fc.boolean(), (chunks, by, isComplete) => {
        const atOnce = new TextBoundaries(segmenter);
        const inPieces = new TextBoundaries(segmenter);
        for (const boundaries of [atOnce, inPieces]) boundaries.next(0, "word");
        for (const { text: piece, tag, markdown } of chunks) {
          append(atOnce, piece, tag, { markdown });
          inPieces.append(piece, tag, { markdown });
          expect(inPieces.scanned).toBe(0);
        }
        if (isComplete) {
          complete(atOnce);
          inPieces.complete();
        }
        const length = atOnce.length;
        for (let turn = 0; inPieces.scanned < length; turn += 1) {
          const before = inPieces.scanned;
          const to = before + 2 + (by[turn % by.length] ?? 0);
          inPieces.scanTo(to);
          // Another view asks for less, or for the same.
          inPieces.scanTo(before);
          expect(inPieces.scanned).toBeGreaterThanOrEqual(Math.min(to, length) - 1);
          expect(inPieces.scanned).toBeLessThanOrEqual(Math.max(to, before));
        }
        inPieces.scanTo(length);
        for (const level of LEVELS) expect(cutsOf(inPieces, level), level).toEqual(cutsOf(atOnce, level));
        expect(inPieces.levelAt(length)).toBe(atOnce.levelAt(length));
        expect(inPieces.lastWord(0)).toBe(atOnce.lastWord(0));
      }),
      { numRuns: casesOf(200) },
    );
  });

  it("R34: what is not scanned yet changes no answer", () => {
    fc.assert(
      fc.property(text, text, language, fc.boolean(), (first, rest, tag, markdown) => {
        const second = `${rest}x`;
        const short = feed([first], tag, markdown);
        const long = new TextBoundaries(segmenter);
        long.append(first, tag, { markdown });
        long.append(second, tag, { markdown });
        long.complete();
        long.scanTo(first.length);
        fc.pre(long.scanned === first.length);
        for (const level of LEVELS) expect(cutsOf(long, level), level).toEqual(cutsOf(short, level));
        for (const offset of [0, first.length >> 1, first.length])
          expect(long.levelAt(offset)).toBe(short.levelAt(offset));
        expect(long.lastWord(0)).toBe(short.lastWord(0));
        expect(long.length).toBe(first.length + second.length);
        expect(long.slice(0, long.length)).toBe(first + second);
      }),
      { numRuns: casesOf(200) },
    );
  });

  it("R10: no confirmed boundary is inside a grapheme cluster, and none is taken back", () => {
    fc.assert(
      fc.property(text, sizes, language, fc.boolean(), (whole, by, tag, markdown) => {
        const clusters = clusterEnds(whole);
        const boundaries = new TextBoundaries(segmenter);
        const seen = new Map<CutLevel, Set<number>>(LEVELS.map((level) => [level, new Set<number>()]));
        for (const chunk of chunksOf(whole, by)) {
          append(boundaries, chunk, tag, { markdown });
          for (const level of LEVELS) for (const cut of cutsOf(boundaries, level)) seen.get(level)?.add(cut);
        }
        complete(boundaries);
        for (const level of LEVELS) {
          const cuts = cutsOf(boundaries, level);
          for (const cut of cuts) expect(clusters.has(cut), `${level} at ${cut}`).toBe(true);
          expect(cuts).toEqual(expect.arrayContaining([...(seen.get(level) ?? [])]));
        }
      }),
      { numRuns: casesOf(200) },
    );
  });

  it("R10: a piece within limits keeps them, advances, and is cut inside a cluster only if that alone is too large", () => {
    const most = fc.integer({ min: 1, max: 40 });
    const mostBytes = fc.integer({ min: 20, max: 120 });
    fc.assert(
      fc.property(text, sizes, fc.boolean(), most, mostBytes, (whole, by, markdown, maxCodePoints, maxBytes) => {
        const boundaries = feed(chunksOf(whole, by), "en", markdown);
        const clusters = clusterEnds(whole);
        for (let from = 0; from < whole.length; ) {
          const to = boundaries.cutWithin(from, whole.length, maxCodePoints, maxBytes);
          const piece = whole.slice(from, to);
          expect(to).toBeGreaterThan(from);
          expect(codePointCount(piece)).toBeLessThanOrEqual(maxCodePoints);
          expect(new TextEncoder().encode(JSON.stringify(piece)).length).toBeLessThanOrEqual(maxBytes);
          if (!clusters.has(to)) {
            const clusterStart = [...clusters].findLast((end) => end < to) ?? 0;
            expect(clusterStart).toBeLessThanOrEqual(from);
          }
          from = to;
        }
      }),
      { numRuns: casesOf(200) },
    );
  });

  it("R10: the last word is after `from` or `from`, never inside a cluster of the text so far", () => {
    fc.assert(
      fc.property(text, sizes, fc.boolean(), fc.nat(), (whole, by, markdown, seed) => {
        const boundaries = feed(chunksOf(whole, by), "en", markdown);
        const ends = [0, ...clusterEnds(whole)];
        const from = ends[seed % ends.length] ?? 0;
        const cut = boundaries.lastWord(from);
        expect(cut).toBeGreaterThanOrEqual(from);
        expect(cut).toBeLessThanOrEqual(whole.length);
        expect(ends).toContain(cut);
      }),
      { numRuns: casesOf(200) },
    );
  });

  it("R10: forgetting what was delivered changes no later answer", () => {
    const level = fc.constantFrom(...LEVELS);
    fc.assert(
      fc.property(text, text, sizes, language, fc.boolean(), level, (first, second, by, tag, markdown, cutLevel) => {
        const whole = first + second;
        const forgetful = new TextBoundaries(segmenter);
        const mindful = new TextBoundaries(segmenter);
        let from = 0;
        for (const chunk of chunksOf(whole, by)) {
          for (const boundaries of [forgetful, mindful]) append(boundaries, chunk, tag, { markdown });
          for (let cut = forgetful.next(from, cutLevel); cut !== undefined; cut = forgetful.next(from, cutLevel)) {
            expect(cut).toBe(mindful.next(from, cutLevel));
            expect(forgetful.slice(from, cut)).toBe(whole.slice(from, cut));
            expect(forgetful.levelAt(cut)).toBe(mindful.levelAt(cut));
            forgetful.forget(cut);
            from = cut;
          }
          expect(mindful.next(from, cutLevel)).toBeUndefined();
          expect(forgetful.last(whole.length, cutLevel)).toBe(mindful.last(whole.length, cutLevel));
        }
        complete(forgetful);
        complete(mindful);
        for (const other of LEVELS.slice(LEVELS.indexOf(cutLevel))) {
          expect(cutsOf(forgetful, other, from)).toEqual(cutsOf(mindful, other, from));
        }
        expect(forgetful.slice(from, whole.length)).toBe(whole.slice(from));
      }),
      { numRuns: casesOf(200) },
    );
  });
});
