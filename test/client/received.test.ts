import fc from "fast-check";
import { expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { createReceived } from "../../src/client/received.js";
import { chunkMessage, eventMessage } from "./fake-producer.js";

const event = (number: number, fields = {}) => eventMessage(number, fields) as unknown as Envelope;
const chunk = (...args: Parameters<typeof chunkMessage>) => chunkMessage(...args) as unknown as Envelope;

test("R12: an event id is taken once", () => {
  const received = createReceived();
  expect(received.accept(event(1))).toEqual(event(1));
  expect(received.accept(event(1))).toBeUndefined();
  expect(received.accept(event(2))).toBeDefined();
});

test("R12: text is recognised by its position, also under another id", () => {
  const received = createReceived();
  expect(received.accept(chunk(1, "One. ", 0))).toBeDefined();
  expect(received.accept(chunk(2, "One. ", 0))).toBeUndefined();
  expect(received.accept(chunk(3, "One. Two. ", 0))).toMatchObject({ chunk: "Two. ", position: 5 });
});

test("R13: positions count code points", () => {
  const received = createReceived();
  received.accept(chunk(1, "🙂🙂", 0));
  expect(received.accept(chunk(2, "🙂!", 1))).toMatchObject({ chunk: "!", position: 2 });
});

test("R10: a completion is news once, even where its text is not", () => {
  const received = createReceived();
  received.accept(chunk(1, "All", 0));
  expect(received.accept(chunk(2, "All", 0, true))).toMatchObject({ chunk: "", position: 3, complete: true });
  expect(received.accept(chunk(3, "", 3, true))).toBeUndefined();
});

test("R17: the point to resume from is the last event, and the last of each session", () => {
  const received = createReceived();
  expect(received.resumePoint("event")).toBeUndefined();
  received.accept(event(1));
  received.accept(event(2, { session_id: "sess_2" }));
  expect(received.resumePoint("event")).toBe("evt_2");
  expect(received.resumePoint("session")).toEqual({ sess_1: "evt_1", sess_2: "evt_2" });
});

test("R28: a repeat does not move the point to resume from back", () => {
  const received = createReceived();
  received.accept(event(1));
  received.accept(event(2));
  received.accept(event(1));
  expect(received.resumePoint("event")).toBe("evt_2");
});

test("R17: goes on where an earlier subscriber stopped, in either form", () => {
  expect(createReceived({ resumeAfter: "evt_7" }).resumePoint("session")).toBe("evt_7");
  const received = createReceived({ resumeAfter: { sess_1: "evt_7" } });
  expect(received.resumePoint("event")).toEqual({ sess_1: "evt_7" });
});

test("memory: ids and sessions are forgotten, the oldest first", () => {
  const received = createReceived({ rememberedIds: 2 });
  for (const number of [1, 2, 3]) received.accept(event(number));
  expect(received.accept(event(1))).toBeDefined();
  for (let number = 0; number < 5000; number += 1) {
    received.accept(event(10_000 + number, { session_id: `sess_many${number}` }));
  }
  expect(Object.keys(received.resumePoint("session") ?? {})).toHaveLength(1024);
});

test("R10, R12: however text is cut, merged and repeated, what is accepted joins to the text, once", () => {
  const text = "Ụbọchị 🙂 one. Two 日本 three four.";
  const characters = [...text];
  const cut = fc.tuple(fc.nat(characters.length), fc.nat(characters.length));
  fc.assert(
    fc.property(fc.array(cut, { maxLength: 20 }), (cuts) => {
      const received = createReceived();
      let joined = "";
      let reached = 0;
      let completions = 0;
      const offer = (from: number, to: number, id: number) => {
        const complete = to === characters.length;
        const news = received.accept(chunk(id, characters.slice(from, to).join(""), from, complete));
        if (news === undefined) return;
        expect(news.position).toBe([...joined].length);
        joined += news.chunk;
        if (news.complete === true) completions += 1;
      };
      // What a producer resumes with starts at or before what was received, never after it.
      cuts.forEach(([a, b], index) => {
        const from = Math.min(a, b, reached);
        const to = Math.max(a, b);
        reached = Math.max(reached, to);
        offer(from, to, index);
      });
      offer(reached, characters.length, 1000);
      expect(joined).toBe(text);
      expect(completions).toBe(1);
    }),
    { numRuns: 1000 },
  );
});
