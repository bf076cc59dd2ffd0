import fc from "fast-check";
import { expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { createReceived } from "../../src/client/received.js";
import { casesOf } from "../support/extent.js";
import { chunkMessage, eventMessage } from "./fake-producer.js";

const event = (number: number, fields = {}) => eventMessage(number, fields) as unknown as Envelope;
const chunk = (...args: Parameters<typeof chunkMessage>) => chunkMessage(...args) as unknown as Envelope;

test("R12: an event id is taken once", () => {
  const received = createReceived();
  expect(received.accept(event(1))).toEqual(event(1));
  expect(received.accept(event(1))).toBeUndefined();
  expect(received.accept(event(2))).toBeDefined();
});

test("R12: the newest 10,000 ids are remembered", () => {
  const received = createReceived();
  for (let number = 1; number <= 10_000; number += 1) expect(received.accept(event(number))).toBeDefined();
  expect(received.accept(event(1))).toBeUndefined();
  received.accept(event(10_001));
  expect(received.accept(event(2))).toBeUndefined();
  expect(received.accept(event(1))).toBeDefined();
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

test("R17: the place is the last that was named; events, repeats among them, do not move it", () => {
  const received = createReceived();
  expect(received.cursor()).toBeUndefined();
  received.accept(event(1));
  expect(received.cursor()).toBeUndefined();
  received.reached("c1.a.1");
  received.accept(event(2));
  received.accept(event(1));
  expect(received.cursor()).toBe("c1.a.1");
  received.reached("c1.a.2");
  expect(received.cursor()).toBe("c1.a.2");
});

test("R17: goes on where an earlier subscriber stopped", () => {
  expect(createReceived({ cursor: "c1.a.7" }).cursor()).toBe("c1.a.7");
});

test("R17: text that may never have been kept is forgotten, so that what stands in its place is news; ids are not", () => {
  const received = createReceived();
  received.accept(chunk(1, "One. ", 0));
  received.accept(chunk(2, "Two.", 5, true));
  received.reached("c1.a.2");
  expect(received.accept(chunk(3, "Another", 0))).toBeUndefined();
  received.forgetText();
  expect(received.accept(chunk(4, "Another. ", 0))).toMatchObject({ chunk: "Another. ", position: 0 });
  expect(received.accept(chunk(5, "", 9, true))).toMatchObject({ complete: true });
  expect(received.accept(chunk(4, "Another. ", 0))).toBeUndefined();
});

test("R17: text after the last place may have been void: other text in its place is news, the same text is not", () => {
  const received = createReceived();
  received.accept(chunk(1, "One ", 0));
  received.reached("c1.a.1");
  received.accept(chunk(2, "two three", 4));
  expect(received.accept(chunk(3, "Xne two", 0))).toBeUndefined();
  expect(received.accept(chunk(4, "two six seven", 4))).toMatchObject({ chunk: "six seven", position: 8 });
  expect(received.accept(chunk(5, "six", 8))).toBeUndefined();
  expect(received.accept(chunk(6, "a", 8, true))).toMatchObject({ chunk: "a", position: 8 });
  // The text is shorter now than it was.
  expect(received.accept(chunk(7, "b", 9))).toMatchObject({ chunk: "b", position: 9 });
});

test("memory: ids and sessions are forgotten, the oldest first", () => {
  const received = createReceived({ rememberedIds: 2 });
  for (const number of [1, 2, 3]) received.accept(event(number));
  expect(received.accept(event(1))).toBeDefined();
  const say = (number: number, session: number) =>
    received.accept({ ...chunk(10_000 + number, "Once.", 0), session_id: `sess_many${session}` });
  for (let number = 0; number < 5000; number += 1) expect(say(number, number)).toBeDefined();
  const heardAgain = [5000 - 1024, 5000 - 1025].map((session, index) => say(20_000 + index, session) !== undefined);
  expect(heardAgain).toEqual([false, true]);
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
    { numRuns: casesOf(1000) },
  );
});
