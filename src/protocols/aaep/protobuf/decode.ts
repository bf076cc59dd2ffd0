// Turns bytes of protobuf into documents: the reverse of encode.ts.
import type { DescMessage } from "@bufbuild/protobuf";
import { Fault } from "../../../base/errors.js";
import { assertLevel } from "../../../base/json-document.js";
import { ownMember, setMember } from "../../../base/members.js";
import { canonicalType } from "../../../engine/event/event.js";
import { DELIMITED, FIXED64, VARINT } from "./byte-writer.js";
import { type FieldPlan, type Item, type MessagePlan, type PayloadPlan, planOf } from "./plan.js";
import { readStruct, readValue } from "./read-values.js";
import {
  assertEnd,
  assertWire,
  countValue,
  endOfPart,
  type Reading,
  readDouble,
  readingOf,
  readText,
  readUint32,
  readWhole,
  refusal,
  skipUnknown,
} from "./reading.js";
import { jsonOfWhole } from "./whole-numbers.js";

type Members = Record<string, unknown>;

/** Placeholder for an enum's unspecified value until `additional` may supply the value. */
const UNSPECIFIED = Symbol("unspecified");

/**
 * Returns the document in these bytes as a message of that type. Strict: a single field that stands twice is refused, like a doubled member of JSON,
 * and so is a field of the wrong wire type.
 * @throws Fault "invalid_message", or "invalid_event" if it concerns an event; nothing else
 */
export function decodeDocument(descriptor: DescMessage, bytes: Uint8Array): Members {
  const reading = readingOf(bytes);
  try {
    return readMessage(reading, planOf(descriptor), bytes.length, 1);
  } catch (caught) {
    if (caught instanceof Fault) throw caught;
    const sentence = `These bytes are no ${descriptor.typeName}: send one, encoded in protobuf.`;
    throw new Fault("invalid_message", sentence, { pointer: "", cause: caught });
  }
}

/** Reads one message up to `end`, as an object of that level. */
function readMessage(reading: Reading, plan: MessagePlan, end: number, depth: number): Members {
  assertLevel(depth);
  const { reader } = reading;
  const { isEvent, hasRoom } = reading;
  reading.isEvent ||= plan.isEvent;
  reading.hasRoom ||= plan.additional !== undefined;
  const members: Members = plan.jsonType === undefined ? {} : { type: plan.jsonType };
  let additional: Members | undefined;
  let payload: PayloadPlan | undefined;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = plan.byNumber.get(number);
    if (field !== undefined) {
      readField(reading, field, members, wireType, end, depth);
    } else if (number === plan.additional) {
      assertWire(reading, wireType, DELIMITED);
      if (additional !== undefined) throw refusal(reading, "`additional` stands twice in one message; send it once.");
      additional = readStruct(reading, endOfPart(reading, end), depth);
    } else {
      const found = plan.payloadByNumber.get(number);
      if (found === undefined) {
        skipUnknown(reading, number, wireType, end);
        continue;
      }
      assertWire(reading, wireType, DELIMITED);
      if (payload !== undefined) throw refusal(reading, "An event has one payload; this one has several.");
      payload = found;
      readPayload(reading, found.plan, members, endOfPart(reading, end), depth);
    }
  }
  assertEnd(reading, end);
  assertOneOfEach(reading, plan, members);
  fillDefaults(plan, members, reading.hasRoom);
  if (additional !== undefined) merge(reading, plan, members, additional);
  dropUnspecified(plan, members);
  if (payload !== undefined) dropUnspecified(payload.plan, members);
  const whole = payload === undefined ? members : withType(reading, members, payload);
  reading.isEvent = isEvent;
  reading.hasRoom = hasRoom;
  return whole;
}

function readPayload(reading: Reading, plan: MessagePlan, members: Members, end: number, depth: number): void {
  const { reader } = reading;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = plan.byNumber.get(number);
    if (field === undefined) skipUnknown(reading, number, wireType, end);
    else readField(reading, field, members, wireType, end, depth);
  }
  assertEnd(reading, end);
}

/** Refuses two fields that exclude each other: some libraries keep the last of them, others would keep the first. */
function assertOneOfEach(reading: Reading, { oneofs }: MessagePlan, members: Members): void {
  for (const names of oneofs) {
    const given = names.filter((name) => members[name] !== undefined);
    if (given.length < 2) continue;
    throw refusal(reading, `Send one of ${given.map((name) => `\`${name}\``).join(" and ")}; they exclude each other.`);
  }
}

/** Adds absent lists of a message without `additional`, and absent numbers and truth values without presence: their empty value is their default. */
function fillDefaults({ withoutPresence }: MessagePlan, members: Members, hasRoom: boolean): void {
  for (const { name, isList, item } of withoutPresence) {
    if (members[name] !== undefined) continue;
    if (isList) {
      if (!hasRoom) members[name] = [];
    } else if (item.kind === "bool") {
      members[name] = false;
    } else if (item.kind === "uint32" || item.kind === "uint64" || item.kind === "int64" || item.kind === "double") {
      members[name] = 0;
    }
  }
}

function merge(reading: Reading, plan: MessagePlan, members: Members, additional: Members): void {
  for (const name of Object.keys(additional)) {
    const known = ownMember(members, name);
    const isOwnType = name === "type" && plan.jsonType !== undefined;
    if (known !== undefined && known !== UNSPECIFIED && !isOwnType) {
      reading.path.push(name);
      throw refusal(reading, `"${name}" stands both in its field and in \`additional\`; send it once.`);
    }
    setMember(members, name, additional[name]);
  }
}

/** Removes enum fields with the unspecified value, which means the same as absence. */
function dropUnspecified({ enumNames }: MessagePlan, members: Members): void {
  for (const name of enumNames) if (members[name] === UNSPECIFIED) delete members[name];
}

/** Adds the type that the payload implies. */
function withType(reading: Reading, members: Members, payload: PayloadPlan): Members {
  const { type } = members;
  if (type === undefined) return { type: payload.type, ...members };
  if (typeof type === "string" && canonicalType(type) === payload.type) return members;
  reading.path.push("type");
  throw refusal(
    reading,
    `The payload is that of ${payload.type}, and \`type\` says otherwise; make them agree, or leave out \`type\`.`,
  );
}

function readField(
  reading: Reading,
  field: FieldPlan,
  members: Members,
  wireType: number,
  end: number,
  depth: number,
): void {
  const { name, isList, item } = field;
  const known = members[name];
  reading.path.push(name);
  if (isList) {
    const list = (known as unknown[] | undefined) ?? [];
    assertLevel(depth + 1);
    readInto(reading, item, list, wireType, end, depth + 1);
    // An empty packed list means the same as absence.
    if (list.length > 0) members[name] = list;
  } else {
    if (known !== undefined) throw refusal(reading, `"${name}" stands twice in one message; send it once.`);
    const value = readItem(reading, item, wireType, end, depth);
    members[name] = value;
  }
  reading.path.pop();
}

/** Reads one item of a list, or packed items. */
function readInto(reading: Reading, item: Item, list: unknown[], wireType: number, end: number, depth: number): void {
  const { path } = reading;
  const isPacked = wireType === DELIMITED && wireTypeOf(item) !== DELIMITED;
  const runEnd = isPacked ? endOfPart(reading, end) : end;
  do {
    if (isPacked && reading.reader.pos >= runEnd) break;
    countValue(reading);
    path.push(list.length);
    const value = readItem(reading, item, isPacked ? wireTypeOf(item) : wireType, runEnd, depth);
    if (value === UNSPECIFIED) throw refusal(reading, "This value is unspecified; say which, or leave it out.");
    list.push(value);
    path.pop();
  } while (isPacked);
  if (isPacked) assertEnd(reading, runEnd);
}

function wireTypeOf({ kind }: Item): number {
  if (kind === "double") return FIXED64;
  const isVarint = kind === "bool" || kind === "enum" || kind === "uint32" || kind === "uint64" || kind === "int64";
  return isVarint ? VARINT : DELIMITED;
}

/** Reads one value of a list or an object at that level. */
function readItem(reading: Reading, item: Item, wireType: number, end: number, depth: number): unknown {
  assertWire(reading, wireType, wireTypeOf(item));
  switch (item.kind) {
    case "string":
      return readText(reading, end);
    case "bool":
      return readUint32(reading) !== 0;
    case "double":
      return readDouble(reading);
    case "uint32":
      return readUint32(reading);
    case "uint64":
      return jsonOfWhole(readWhole(reading, false));
    case "int64":
      return jsonOfWhole(readWhole(reading, true));
    case "enum":
      return readEnum(reading, item);
    case "struct":
      return readStruct(reading, endOfPart(reading, end), depth + 1);
    case "value":
      return readValue(reading, endOfPart(reading, end), depth + 1);
    case "values":
      return readValues(reading, item.list, endOfPart(reading, end), depth + 1);
    case "message":
      return readMessage(reading, item.plan, endOfPart(reading, end), depth + 1);
  }
}

function readEnum(reading: Reading, { names, typeName }: Extract<Item, { kind: "enum" }>): unknown {
  const number = readUint32(reading);
  if (number === 0) return UNSPECIFIED;
  const name = names.get(number);
  if (name !== undefined) return name;
  // Outside events the message's reader judges a value of a later version (AAEP §12.6): capabilities ignore it, and a reply does not count with it.
  if (!reading.isEvent) return String(number);
  throw refusal(
    reading,
    `${typeName} has no value ${number} in this version. Put the name of a later one into \`additional\`.`,
  );
}

function readValues(reading: Reading, list: FieldPlan, end: number, depth: number): readonly unknown[] {
  assertLevel(depth);
  const { reader } = reading;
  const values: unknown[] = [];
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === list.number) readInto(reading, list.item, values, wireType, end, depth);
    else skipUnknown(reading, number, wireType, end);
  }
  assertEnd(reading, end);
  return values;
}
