// google.protobuf.Struct, ListValue and Value, read as the JSON they stand for.
import { DELIMITED, FIXED64, VARINT } from "./byte-writer.js";
import {
  assertEnd,
  assertLevel,
  assertWire,
  endOfPart,
  type Reading,
  readDouble,
  readText,
  refusal,
  setMember,
  skipUnknown,
} from "./reading.js";

/** A Struct up to `end`, as an object of that level. Of entries with the same name the last counts, as in every map of protobuf. */
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
    readEntry(reading, object, endOfPart(reading, end), depth);
  }
  assertEnd(reading, end);
  return object;
}

function readEntry(reading: Reading, object: Record<string, unknown>, end: number, depth: number): void {
  const { reader, path } = reading;
  let name = "";
  let value: unknown;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1) {
      assertWire(reading, wireType, DELIMITED);
      name = readText(reading, end);
    } else if (number === 2) {
      assertWire(reading, wireType, DELIMITED);
      path.push(name);
      value = readValue(reading, endOfPart(reading, end), depth + 1);
      path.pop();
    } else {
      skipUnknown(reading, number, wireType, end);
    }
  }
  assertEnd(reading, end);
  path.push(name);
  if (value === undefined) throw withoutKind(reading);
  path.pop();
  setMember(object, name, value);
}

/** A Value up to `end`; a list or an object in it is of that level. */
export function readValue(reading: Reading, end: number, depth: number): unknown {
  const { reader } = reading;
  let value: unknown;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number < 1 || number > 6) {
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
      reader.int32();
      return null;
    case 2:
      return readDouble(reading);
    case 3:
      return readText(reading, end);
    case 4:
      return reader.bool();
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
    path.push(values.length);
    values.push(readValue(reading, endOfPart(reading, end), depth + 1));
    path.pop();
  }
  assertEnd(reading, end);
  return values;
}
