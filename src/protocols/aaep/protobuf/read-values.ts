// Reads google.protobuf.Struct, ListValue and Value as the JSON that they represent.
import { assertLevel } from "../../../base/json-document.js";
import { setMember } from "../../../base/members.js";
import { DELIMITED, FIXED64, VARINT } from "./byte-writer.js";
import {
  assertEnd,
  assertWire,
  countValue,
  endOfPart,
  type Reading,
  readDouble,
  readText,
  readUint32,
  refusal,
  skipUnknown,
} from "./reading.js";

/**
 * Reads a Struct up to `end`, as an object of that level. A doubled name is refused: a map of protobuf keeps the last of two values, and other
 * readers would keep the first.
 */
export function readStruct(reading: Reading, end: number, depth: number): Record<string, unknown> {
  assertLevel(depth);
  const { reader } = reading;
  const object: Record<string, unknown> = {};
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number !== 1) {
      skipUnknown(reading, number, wireType, end);
      continue;
    }
    assertWire(reading, wireType, DELIMITED);
    countValue(reading);
    readEntry(reading, object, endOfPart(reading, end), depth);
  }
  assertEnd(reading, end);
  return object;
}

function readEntry(reading: Reading, object: Record<string, unknown>, end: number, depth: number): void {
  const { reader, path } = reading;
  let given: string | undefined;
  let value: unknown;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1) {
      assertWire(reading, wireType, DELIMITED);
      if (given !== undefined)
        throw refusal(reading, "An entry of a google.protobuf.Struct has one key; this one has several.");
      given = readText(reading, end);
    } else if (number === 2) {
      assertWire(reading, wireType, DELIMITED);
      path.push(given ?? "");
      if (value !== undefined)
        throw refusal(reading, "An entry of a google.protobuf.Struct has one value; this one has several.");
      value = readValue(reading, endOfPart(reading, end), depth + 1);
      path.pop();
    } else {
      skipUnknown(reading, number, wireType, end);
    }
  }
  assertEnd(reading, end);
  const name = given ?? "";
  path.push(name);
  if (value === undefined) throw withoutKind(reading);
  if (Object.hasOwn(object, name)) throw refusal(reading, "A member stands twice in one object; send it once.");
  path.pop();
  setMember(object, name, value);
}

/** Reads a Value up to `end`; a list or an object in it is of that level. */
export function readValue(reading: Reading, end: number, depth: number): unknown {
  const { reader } = reading;
  let value: unknown;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number > 6) {
      skipUnknown(reading, number, wireType, end);
      continue;
    }
    if (value !== undefined) throw refusal(reading, "A google.protobuf.Value has one kind; this one has several.");
    value = readKind(reading, number, wireType, end, depth);
  }
  assertEnd(reading, end);
  if (value === undefined) throw withoutKind(reading);
  return value;
}

function withoutKind(reading: Reading): Error {
  return refusal(
    reading,
    "A google.protobuf.Value has a kind; this one has none. Set null_value for null, or leave it out.",
  );
}

function readKind(reading: Reading, kind: number, wireType: number, end: number, depth: number): unknown {
  const { reader } = reading;
  assertWire(reading, wireType, kind === 2 ? FIXED64 : kind === 1 || kind === 4 ? VARINT : DELIMITED);
  switch (kind) {
    case 1:
      reader.uint64();
      return null;
    case 2:
      return readDouble(reading);
    case 3:
      return readText(reading, end);
    case 4:
      return readUint32(reading) !== 0;
    case 5:
      return readStruct(reading, endOfPart(reading, end), depth);
    default:
      return readListValue(reading, endOfPart(reading, end), depth);
  }
}

function readListValue(reading: Reading, end: number, depth: number): readonly unknown[] {
  assertLevel(depth);
  const { reader, path } = reading;
  const values: unknown[] = [];
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number !== 1) {
      skipUnknown(reading, number, wireType, end);
      continue;
    }
    assertWire(reading, wireType, DELIMITED);
    countValue(reading);
    path.push(values.length);
    values.push(readValue(reading, endOfPart(reading, end), depth + 1));
    path.pop();
  }
  assertEnd(reading, end);
  return values;
}
