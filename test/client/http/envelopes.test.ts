import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedJson, createEnvelopeReader, enveloped } from "../../../src/client/http/envelopes.js";
import { casesOf } from "../../support/extent.js";

function streamOf(messages: readonly object[]): Uint8Array {
  return Uint8Array.from(messages.flatMap((message) => [...enveloped(message)]));
}

test("however the bytes are cut, the messages come whole and in order", () => {
  const message = fc.record({ text: fc.string({ unit: "grapheme", maxLength: 50 }) });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), fc.array(fc.nat(600), { maxLength: 12 }), (messages, cuts) => {
      const bytes = streamOf(messages);
      const read = createEnvelopeReader();
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const found = places.slice(1).flatMap((to, index) => read(bytes.subarray(places[index], to)));
      expect(found).toEqual(messages.map((one) => ({ isLast: false, message: one })));
    }),
    { numRuns: casesOf(1000) },
  );
});

test("the first byte of a message may come with the one before", () => {
  const bytes = streamOf([{ text: "a" }, { text: "b" }]);
  const cut = enveloped({ text: "a" }).length + 1;
  const read = createEnvelopeReader();
  expect([bytes.subarray(0, cut), bytes.subarray(cut)].map((one) => read(one).length)).toEqual([1, 1]);
});

test("the last message of a stream has its flag", () => {
  const bytes = enveloped({ error: { code: "unavailable" } });
  bytes[0] = 2;
  expect(createEnvelopeReader()(bytes)).toEqual([{ isLast: true, message: { error: { code: "unavailable" } } }]);
});

test("a large message is taken piece by piece, at a cost that grows with its length alone", () => {
  const text = "x".repeat(8_000_000);
  const bytes = enveloped({ text });
  const read = createEnvelopeReader();
  const found = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, index) =>
    read(bytes.subarray(index * 1000, (index + 1) * 1000)),
  ).flat();
  expect(found).toHaveLength(1);
  expect(found[0]?.message.text).toHaveLength(text.length);
});

test.each([
  ["a length that no daemon sends", Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff), /announces 4294967295 bytes/],
  ["no JSON", Uint8Array.of(0, 0, 0, 0, 1, 0x7b), /not JSON/],
  ["no object", Uint8Array.of(0, 0, 0, 0, 2, 0x34, 0x32), /no object/],
  ["no UTF-8", Uint8Array.of(0, 0, 0, 0, 3, 0x22, 0xff, 0x22), /not JSON/],
  ["an answer of another server", new TextEncoder().encode("<!doctype html>"), /announces/],
])("%s is refused", (_, bytes, sentence) => {
  expect(() => createEnvelopeReader()(bytes)).toThrow(sentence);
});

test("an answer without end is given up at 16 MiB, and its source is told", async () => {
  let taken = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (control) => {
      taken += 1;
      control.enqueue(new Uint8Array(1024 * 1024).fill(0x20));
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  await expect(boundedJson(new Response(body))).rejects.toMatchObject({ code: "invalid_message" });
  expect(taken).toBeLessThan(20);
  expect(isCancelled).toBe(true);
});

test("an answer in pieces is its object, and an answer without a body is none", async () => {
  const pieces = ['{"text":', '"é"}'].map((text) => new TextEncoder().encode(text));
  expect(await boundedJson(new Response(ReadableStream.from(pieces)))).toEqual({ text: "é" });
  await expect(boundedJson(new Response(null))).rejects.toMatchObject({ code: "invalid_json" });
});
