// Messages with many values, counted in their bytes: nothing is built of one that has too many (R34).
import { fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { assertFewFields } from "../../../../src/protocols/aaep/protobuf/reading.js";

const bytesOf = (value: JsonObject): Uint8Array => toBinary(StructSchema, fromJson(StructSchema, value));
const refusal = (bytes: Uint8Array): unknown => {
  try {
    return assertFewFields(StructSchema, bytes);
  } catch (caught) {
    return caught;
  }
};
const TOO_LARGE = {
  code: "message_too_large",
  pointer: "",
  rule: "AAEP §3.7",
  sentence:
    "A message of this form may have at most 32768 fields, at all levels together; this one has more. Send less at a time, or as JSON.",
};

describe("R34: a message has 32,768 fields at most, at all levels together", () => {
  // An entry of a list is two fields, and one of an object four: the entry, its key, its value, and the value's kind.
  it.each([
    ["entries of a list", (count: number) => ({ a: Array(count / 2).fill(0) })],
    ["empty objects", (count: number) => ({ a: Array(count / 2).fill({}) })],
    ["members", (count: number) => Object.fromEntries(Array.from({ length: count / 4 }, (_, index) => [index, ""]))],
    ["members of objects in lists", (count: number) => ({ a: [{ b: Array(count / 2).fill([]) }] })],
  ])("%s", (_, written) => {
    expect(refusal(bytesOf(written(32_000) as JsonObject))).toBeUndefined();
    expect(refusal(bytesOf(written(32_800) as JsonObject))).toMatchObject(TOO_LARGE);
  });

  it("those that nobody knows count too, and groups as one", () => {
    const unknown = (count: number): Uint8Array => {
      const writer = new BinaryWriter();
      for (let index = 0; index < count; index += 1) writer.tag(99, 0).int32(1);
      return writer.finish();
    };
    expect(refusal(unknown(32_768))).toBeUndefined();
    expect(refusal(unknown(32_769))).toMatchObject(TOO_LARGE);
  });

  it("depth costs no stack, and bytes that are no message are left to the library", () => {
    let deep: Uint8Array = new Uint8Array();
    for (let level = 0; level < 5000; level += 1) deep = new BinaryWriter().tag(1, 2).bytes(deep).finish();
    expect(refusal(deep)).toBeUndefined();
    for (const bytes of [[0], [0x0a, 0xff], [0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f], [0x0b], [0x0f]])
      expect(refusal(new Uint8Array(bytes))).toBeUndefined();
  });
});
