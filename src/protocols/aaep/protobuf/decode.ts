// Turns bytes of protobuf into documents: the reverse of encode.ts.
import type { DescMessage } from "@bufbuild/protobuf";
import { Fault } from "../../../base/errors.js";
import { assertLevel } from "../../../base/json-document.js";
import { ownMember, setMember } from "../../../base/members.js";
import { canonicalType } from "../../../engine/event/event.js";
import {
  DELIMITED,
  type FieldPlan,
  type Item,
  jsonTypeOf,
  type MessagePlan,
  type PayloadPlan,
  planOf,
  wireTypeOf,
} from "./plan.js";
import { Reading } from "./reading.js";

type Members = Record<string, unknown>;

/** Placeholder for an enum's unspecified value until `additional` may supply the value. */
const UNSPECIFIED = Symbol("unspecified");

/**
 * Returns the document in these bytes as a message of that type. Strict: a single field that stands twice is refused, like a doubled member of JSON,
 * and so is a field of the wrong wire type.
 * @throws Fault "invalid_message", or "invalid_event" if it concerns an event; nothing else
 */
export function decodeDocument(descriptor: DescMessage, bytes: Uint8Array): Members {
  return readAll(descriptor, bytes, (reading) => readMessage(reading, planOf(descriptor), bytes.length, 1));
}

/**
 * Returns the document in a message whose fields are all messages, of which at most one is set, such as a SubscribeRequest; undefined if none is.
 * Unknown fields are ignored. The field implies the type of its message.
 * @throws Fault as `decodeDocument`, and for a different `type` in `additional`: the message could be read as either
 */
export function decodeSole(descriptor: DescMessage, bytes: Uint8Array): Members | undefined {
  const found = readAll(descriptor, bytes, (reading) => {
    let found: { readonly message: DescMessage; readonly bytes: Uint8Array } | undefined;
    for (let number = reading.next(bytes.length); number !== 0; number = reading.next(bytes.length)) {
      const message = descriptor.fields.find((field) => field.number === number)?.message;
      if (message === undefined) {
        reading.skipUnknown(number, bytes.length);
        continue;
      }
      const end = reading.part(bytes.length);
      if (found !== undefined)
        throw reading.refusal(`An ${descriptor.typeName} carries one message; this one has several.`);
      found = { message, bytes: bytes.subarray(reading.reader.pos, end) };
      reading.reader.pos = end;
    }
    return found;
  });
  if (found === undefined) return undefined;
  const document = decodeDocument(found.message, found.bytes);
  const type = jsonTypeOf(found.message.typeName);
  if (document.type === type) return document;
  const sentence = `This message is a ${type}, and the \`type\` in its \`additional\` says otherwise; leave it out.`;
  throw new Fault("invalid_message", sentence, { pointer: "/type" });
}

function readAll<Read>({ typeName }: DescMessage, bytes: Uint8Array, read: (reading: Reading) => Read): Read {
  try {
    return read(new Reading(bytes));
  } catch (caught) {
    if (caught instanceof Fault) throw caught;
    const sentence = `These bytes are no ${typeName}: send one, encoded in protobuf.`;
    throw new Fault("invalid_message", sentence, { pointer: "", cause: caught });
  }
}

/** Reads one message up to `end`, as an object of that level. */
function readMessage(reading: Reading, plan: MessagePlan, end: number, depth: number): Members {
  assertLevel(depth);
  const { isEvent, hasRoom } = reading;
  reading.isEvent ||= plan.isEvent;
  reading.hasRoom ||= plan.additional !== undefined;
  const members: Members = plan.jsonType === undefined ? {} : { type: plan.jsonType };
  let additional: Members | undefined;
  let payload: PayloadPlan | undefined;
  for (let number = reading.next(end); number !== 0; number = reading.next(end)) {
    const field = plan.byNumber.get(number);
    const found = plan.payloadByNumber.get(number);
    if (field !== undefined) {
      readField(reading, field, members, end, depth);
    } else if (number === plan.additional) {
      const partEnd = reading.part(end);
      if (additional !== undefined) throw reading.refusal("`additional` stands twice in one message; send it once.");
      additional = readStruct(reading, partEnd, depth);
    } else if (found !== undefined) {
      const partEnd = reading.part(end);
      if (payload !== undefined) throw reading.refusal("An event has one payload; this one has several.");
      payload = found;
      readPayload(reading, found.plan, members, partEnd, depth);
    } else {
      reading.skipUnknown(number, end);
    }
  }
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
  for (let number = reading.next(end); number !== 0; number = reading.next(end)) {
    const field = plan.byNumber.get(number);
    if (field === undefined) reading.skipUnknown(number, end);
    else readField(reading, field, members, end, depth);
  }
}

/** Refuses two fields that exclude each other: some libraries keep the last of them, others would keep the first. */
function assertOneOfEach(reading: Reading, { oneofs }: MessagePlan, members: Members): void {
  for (const names of oneofs) {
    const given = names.filter((name) => members[name] !== undefined);
    if (given.length < 2) continue;
    throw reading.refusal(`Send one of ${given.map((name) => `\`${name}\``).join(" and ")}; they exclude each other.`);
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
      throw reading.refusal(`"${name}" stands both in its field and in \`additional\`; send it once.`);
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
  throw reading.refusal(
    `The payload is that of ${payload.type}, and \`type\` says otherwise; make them agree, or leave out \`type\`.`,
  );
}

function readField(reading: Reading, field: FieldPlan, members: Members, end: number, depth: number): void {
  const { name, isList, item } = field;
  const known = members[name];
  reading.path.push(name);
  if (isList) {
    const list = (known as unknown[] | undefined) ?? [];
    assertLevel(depth + 1);
    readInto(reading, item, list, end, depth + 1);
    // An empty packed list means the same as absence.
    if (list.length > 0) members[name] = list;
  } else {
    if (known !== undefined) throw reading.refusal(`"${name}" stands twice in one message; send it once.`);
    members[name] = readItem(reading, item, end, depth);
  }
  reading.path.pop();
}

/** Reads one item of a list, or packed items. */
function readInto(reading: Reading, item: Item, list: unknown[], end: number, depth: number): void {
  const itemType = wireTypeOf(item.kind);
  if (reading.wireType !== DELIMITED || itemType === DELIMITED) {
    readInList(reading, item, list, end, depth);
    return;
  }
  const partEnd = reading.part(end);
  reading.wireType = itemType;
  while (reading.reader.pos < partEnd) readInList(reading, item, list, partEnd, depth);
  reading.next(partEnd);
}

function readInList(reading: Reading, item: Item, list: unknown[], end: number, depth: number): void {
  reading.countValue();
  reading.path.push(list.length);
  const value = readItem(reading, item, end, depth);
  if (value === UNSPECIFIED) throw reading.refusal("This value is unspecified; say which, or leave it out.");
  list.push(value);
  reading.path.pop();
}

/** Reads one value of a list or an object at that level. */
function readItem(reading: Reading, item: Item, end: number, depth: number): unknown {
  switch (item.kind) {
    case "string":
      return reading.text(end);
    case "bool":
      return reading.uint32() !== 0;
    case "double":
      return reading.double();
    case "uint32":
      return reading.uint32();
    case "uint64":
      return reading.whole(false);
    case "int64":
      return reading.whole(true);
    case "enum":
      return readEnum(reading, item);
    case "struct":
      return readStruct(reading, reading.part(end), depth + 1);
    case "value":
      return readValue(reading, reading.part(end), depth + 1);
    case "values":
      return readValues(reading, item.list, reading.part(end), depth + 1);
    case "message":
      return readMessage(reading, item.plan, reading.part(end), depth + 1);
  }
}

function readEnum(reading: Reading, { names, typeName }: Extract<Item, { kind: "enum" }>): unknown {
  const number = reading.uint32();
  if (number === 0) return UNSPECIFIED;
  const name = names.get(number);
  if (name !== undefined) return name;
  // Outside events the message's reader judges a value of a later version (AAEP §12.6): capabilities ignore it, and a reply does not count with it.
  if (!reading.isEvent) return String(number);
  throw reading.refusal(
    `${typeName} has no value ${number} in this version. Put the name of a later one into \`additional\`.`,
  );
}

function readValues(reading: Reading, list: FieldPlan, end: number, depth: number): readonly unknown[] {
  assertLevel(depth);
  const values: unknown[] = [];
  for (let number = reading.next(end); number !== 0; number = reading.next(end)) {
    if (number === list.number) readInto(reading, list.item, values, end, depth);
    else reading.skipUnknown(number, end);
  }
  return values;
}

/**
 * Reads a google.protobuf.Struct up to `end`, as an object of that level. A doubled name is refused: a map of protobuf keeps the last of two values,
 * and other readers would keep the first.
 */
function readStruct(reading: Reading, end: number, depth: number): Members {
  assertLevel(depth);
  const object: Members = {};
  eachValue(reading, end, () => readEntry(reading, object, reading.part(end), depth));
  return object;
}

function readEntry(reading: Reading, object: Members, end: number, depth: number): void {
  const { path } = reading;
  let given: string | undefined;
  let value: unknown;
  for (let number = reading.next(end); number !== 0; number = reading.next(end)) {
    if (number === 1) {
      if (given !== undefined)
        throw reading.refusal("An entry of a google.protobuf.Struct has one key; this one has several.");
      given = reading.text(end);
    } else if (number === 2) {
      path.push(given ?? "");
      if (value !== undefined)
        throw reading.refusal("An entry of a google.protobuf.Struct has one value; this one has several.");
      value = readValue(reading, reading.part(end), depth + 1);
      path.pop();
    } else {
      reading.skipUnknown(number, end);
    }
  }
  const name = given ?? "";
  path.push(name);
  if (value === undefined) throw withoutKind(reading);
  if (Object.hasOwn(object, name)) throw reading.refusal("A member stands twice in one object; send it once.");
  path.pop();
  setMember(object, name, value);
}

/** Reads a google.protobuf.Value up to `end`; a list or an object in it is of that level. */
function readValue(reading: Reading, end: number, depth: number): unknown {
  let value: unknown;
  for (let number = reading.next(end); number !== 0; number = reading.next(end)) {
    if (number > 6) {
      reading.skipUnknown(number, end);
      continue;
    }
    if (value !== undefined) throw reading.refusal("A google.protobuf.Value has one kind; this one has several.");
    value = readKind(reading, number, end, depth);
  }
  if (value === undefined) throw withoutKind(reading);
  return value;
}

function withoutKind(reading: Reading): Error {
  return reading.refusal(
    "A google.protobuf.Value has a kind; this one has none. Set null_value for null, or leave it out.",
  );
}

function readKind(reading: Reading, kind: number, end: number, depth: number): unknown {
  switch (kind) {
    case 1:
      reading.whole(false);
      return null;
    case 2:
      return reading.double();
    case 3:
      return reading.text(end);
    case 4:
      return reading.uint32() !== 0;
    case 5:
      return readStruct(reading, reading.part(end), depth);
    default:
      return readListValue(reading, reading.part(end), depth);
  }
}

function readListValue(reading: Reading, end: number, depth: number): readonly unknown[] {
  assertLevel(depth);
  const { path } = reading;
  const values: unknown[] = [];
  eachValue(reading, end, () => {
    path.push(values.length);
    values.push(readValue(reading, reading.part(end), depth + 1));
    path.pop();
  });
  return values;
}

/** Visits the entries of a Struct or a ListValue: their only field has the number 1. */
function eachValue(reading: Reading, end: number, visit: () => void): void {
  for (let number = reading.next(end); number !== 0; number = reading.next(end)) {
    if (number === 1) {
      reading.countValue();
      visit();
    } else reading.skipUnknown(number, end);
  }
}
