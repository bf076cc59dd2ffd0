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

test("R12: the newest 10,000 ids are remembered, and never more than 20,000", () => {
  const received = createReceived();
  const offer = (number: number): boolean => received.accept(event(number)) !== undefined;
  for (let number = 1; number <= 50_000; number += 1) if (!offer(number)) throw new Error(`evt_${number} is new`);
  for (let number = 50_000; number > 40_000; number -= 1) if (offer(number)) throw new Error(`evt_${number} was there`);
  expect(offer(30_000)).toBe(true);
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

test("R17: also where the daemon begins by naming the place again", () => {
  const received = createReceived();
  received.accept(chunk(1, "One ", 0));
  received.reached("c1.a.1");
  received.accept(chunk(2, "two ", 4));
  received.reconnected();
  received.reached("c1.a.1");
  expect(received.accept(chunk(3, "six seven", 4))).toMatchObject({ chunk: "six seven", position: 4 });
  received.reached("c1.a.2");
  expect(received.accept(chunk(4, "ten seven", 4))).toBeUndefined();
});

test("memory: the text after the last place is remembered of 64 outputs", () => {
  const received = createReceived();
  received.reached("c1.a.1");
  const say = (id: number, text: string) => received.accept({ ...chunk(id, text, 0), output_id: `out_${id % 100}` });
  for (let number = 0; number < 65; number += 1) say(number, "One");
  expect(say(100, "Two")).toBeUndefined();
  expect(say(102, "Two")).toMatchObject({ chunk: "Two" });
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

test("memory: the newest 4,096 outputs are remembered, also those of one long session", () => {
  const received = createReceived();
  const say = (id: number, output: number) => received.accept({ ...chunk(id, "Once.", 0), output_id: `out_${output}` });
  for (let number = 0; number < 20_000; number += 1) expect(say(number, number)).toBeDefined();
  expect(say(20_000, 20_000 - 4096)).toBeUndefined();
  expect(say(20_001, 20_000 - 2 * 4096 - 1)).toBeDefined();
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
