// Writers share memory; what they have written must not show it.
import { expect, test } from "vitest";
import { ByteWriter } from "../../../../src/protocols/aaep/protobuf/writer.js";

function written(text: string): Uint8Array {
  const writer = new ByteWriter();
  writer.text(text);
  return writer.finish();
}

/** As protobuf writes a text: its length in groups of 7 bits, and UTF-8. */
function expected(text: string): number[] {
  const bytes = Buffer.from(text);
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest > 0x7f; rest >>= 7) length.push((rest & 0x7f) | 0x80);
  return [...length, rest, ...bytes];
}

test("what was written stays as it was, whatever is written after it", () => {
  const texts = Array.from({ length: 500 }, (_, index) => `${index} ${"é".repeat((index * 37) % 3000)}`);
  const messages = texts.map(written);
  for (const [index, text] of texts.entries()) expect([...(messages[index] ?? [])]).toEqual(expected(text));
});

test("several writers at a time do not write into each other", () => {
  const writers = ["one", "two", "three"].map((text) => ({ text, writer: new ByteWriter() }));
  for (const { text, writer } of writers) writer.text(text);
  for (const { text, writer } of writers) writer.text(text);
  for (const { text, writer } of writers) expect([...writer.finish()]).toEqual([...expected(text), ...expected(text)]);
});

test("a message that was given up leaves nothing in the next", () => {
  const given = new ByteWriter();
  given.text("x".repeat(900));
  expect([...written("next")]).toEqual(expected("next"));
  expect([...written("and one more")]).toEqual(expected("and one more"));
});

test("a writer that is spent writes into nobody's message", () => {
  const writer = new ByteWriter();
  writer.text("first");
  const first = writer.finish();
  const second = new ByteWriter();
  second.text("second");
  writer.text("late");
  expect([...first]).toEqual(expected("first"));
  expect([...second.finish()]).toEqual(expected("second"));
});
