// What the benchmark counts is exact on every machine, so it is held here; what it times is not.
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../support/built.js";

beforeAll(ensureBuilt);

test("R14: encodings are events × shapes × formats, however many subscribe", async () => {
  const { countEncodings } = await import("../../bench/encodings.mjs");
  for (const subscribers of [1, 4, 10, 100]) {
    const counted = countEncodings({ events: 50, subscribers });
    expect(counted.made).toBe(counted.expected);
    expect(counted.delivered).toBe(counted.expectedDeliveries);
  }
  // Two shapes; the formats of JSON, of the typed streams, which is one, and of AaepService.
  expect(countEncodings({ events: 50, subscribers: 100 }).made).toBe(50 * 2 * 3);
});

test("R10: the segmenter is asked at most twice a delivered event of sentences", async () => {
  const { streamTokens } = await import("../../bench/stream-tokens.mjs");
  const { calls, delivered } = streamTokens({ tokens: 2000, sets: 1 });
  expect(delivered).toBeGreaterThan(50);
  expect(calls).toBeLessThanOrEqual(2 * delivered);
});

test("R10: subscriptions of equal terms share the segmenter's work", async () => {
  const { streamTokens } = await import("../../bench/stream-tokens.mjs");
  const alone = streamTokens({ tokens: 2000, sets: 1 });
  const eight = streamTokens({ tokens: 2000, sets: 8 });
  expect(eight.delivered).toBe(8 * alone.delivered);
  expect(eight.calls).toBeLessThanOrEqual(2 * alone.calls);
});

test("an event's id ends in its number, whatever stands before it", async () => {
  const { createEventTexts, numberOf } = await import("../../bench/events.mjs");
  for (let salt = 0; salt < 200; salt += 1) {
    const texts = createEventTexts();
    expect([0, 1, 1234].map((number) => numberOf(JSON.parse(texts.chunk(number))))).toEqual([0, 1, 1234]);
  }
});
