// Turns documents into bytes of protobuf. A member without a field, or with a value that does not fit its field, goes to the nearest enclosing
// `additional` under its own name.

import type { DescMessage } from "@bufbuild/protobuf";
import { Fault } from "../../../base/errors.js";
import { assertLevel } from "../../../base/json-document.js";
import { pointerStep } from "../../../base/json-pointer.js";
import { isObject } from "../../../base/members.js";
import {
  DELIMITED,
  FIXED64,
  type FieldPlan,
  type Item,
  type MessagePlan,
  type PayloadPlan,
  planOf,
  VARINT,
  wireTypeOf,
} from "./plan.js";
import { ByteWriter } from "./writer.js";

/** A JSON object: a message, or an event. */
export type Document = Readonly<Record<string, unknown>>;

type Left = [name: string, value: unknown];

/**
 * Returns the bytes of the document as a message of that type. Values that JSON lacks are written as `JSON.stringify` writes them.
 * @throws Fault "invalid_message" for nesting beyond 64 levels, and for a member without a field in a message without `additional`
 */
export function encodeDocument(descriptor: DescMessage, document: Document): Uint8Array {
  const writer = new ByteWriter();
  writeDocument(writer, descriptor, document);
  return writer.finish();
}

/** Returns the bytes of a message with a single field, which contains the document. */
export function encodeInField(number: number, descriptor: DescMessage, document: Document): Uint8Array {
  const writer = new ByteWriter();
  const start = writer.begin(number);
  writeDocument(writer, descriptor, document);
  writer.end(start);
  return writer.finish();
}

function writeDocument(writer: ByteWriter, descriptor: DescMessage, document: Document): void {
  const plan = planOf(descriptor);
  const misfit = writeMembers(writer, plan, document, false, 1);
  if (misfit === undefined) return;
  const sentence = `${plan.typeName} has no place for the member "${misfit}" with this value; leave it out, or correct it.`;
  throw new Fault("invalid_message", sentence, { pointer: `/${pointerStep(misfit)}` });
}

/**
 * Writes the members of one message. `hasRoom`: whether an enclosing message takes members that do not fit. Returns the name of a member that did not
 * fit, if this message has no room of its own; the caller must then remove the written bytes.
 */
function writeMembers(
  writer: ByteWriter,
  plan: MessagePlan,
  document: Document,
  hasRoom: boolean,
  depth: number,
): string | undefined {
  assertLevel(depth);
  const room = hasRoom || plan.additional !== undefined;
  const payload = payloadOf(plan, document);
  const values: unknown[] = [];
  const payloadValues: unknown[] = [];
  const left: Left[] = [];
  for (const name in document) {
    const value = document[name];
    if (value === undefined || (name === "type" && value === plan.jsonType)) continue;
    const field = plan.byName.get(name);
    const payloadField = field === undefined ? payload?.plan.byName.get(name) : undefined;
    if (field !== undefined) values[field.index] = value;
    else if (payloadField !== undefined) payloadValues[payloadField.index] = value;
    else if (plan.additional === undefined) return name;
    else left.push([name, value]);
  }
  const misfit = writeFields(writer, plan, values, plan.additional === undefined ? undefined : left, room, depth);
  if (misfit !== undefined) return misfit;
  if (payload !== undefined) {
    const start = writer.begin(payload.number);
    const payloadMisfit = writeFields(writer, payload.plan, payloadValues, left, room, depth);
    if (payloadMisfit !== undefined) return payloadMisfit;
    writer.end(start);
  }
  if (left.length > 0 && plan.additional !== undefined) {
    const start = writer.begin(plan.additional);
    for (const [name, value] of left) writeEntry(writer, name, value, depth);
    writer.end(start);
  }
  return undefined;
}

function payloadOf(plan: MessagePlan, { type }: Document): PayloadPlan | undefined {
  return typeof type === "string" ? plan.payloadByType.get(type) : undefined;
}

/** Adds members that do not fit to `left`; without `left`, returns the first one's name. */
function writeFields(
  writer: ByteWriter,
  { fields }: MessagePlan,
  values: readonly unknown[],
  left: Left[] | undefined,
  room: boolean,
  depth: number,
): string | undefined {
  for (let index = 0; index < values.length; index++) {
    const field = fields[index];
    const value = values[index];
    if (field === undefined || value === undefined) continue;
    const start = writer.length;
    if (writeField(writer, field, value, room, depth)) continue;
    writer.length = start;
    if (left === undefined) return field.name;
    left.push([field.name, value]);
    if (field.item.kind === "enum" && !field.isList) {
      writer.tag(field.number, VARINT);
      writer.varint(0);
    }
  }
  return undefined;
}

/** Returns whether the value fits the field. If not, the caller must remove the written bytes. */
function writeField(writer: ByteWriter, field: FieldPlan, value: unknown, room: boolean, depth: number): boolean {
  if (!field.isList) return writeItem(writer, field.number, field.item, value, room, depth);
  if (!Array.isArray(value)) return false;
  // Protobuf does not show an empty list. In a message without `additional`, lists are always present, so absence is read as empty.
  if (value.length === 0) return !room;
  return writeList(writer, field, value, room, depth + 1);
}

function writeList(
  writer: ByteWriter,
  { number, item }: FieldPlan,
  values: readonly unknown[],
  room: boolean,
  depth: number,
): boolean {
  if (wireTypeOf(item.kind) === DELIMITED)
    return values.every((value) => writeItem(writer, number, item, value, room, depth));
  const start = writer.begin(number);
  if (!values.every((value) => writeNumber(writer, item, value))) return false;
  writer.end(start);
  return true;
}

function writeItem(
  writer: ByteWriter,
  number: number,
  item: Item,
  value: unknown,
  room: boolean,
  depth: number,
): boolean {
  switch (item.kind) {
    case "string":
      if (typeof value !== "string") return false;
      writer.tag(number, DELIMITED);
      writer.text(value);
      return true;
    case "struct":
    case "message":
    case "values":
    case "value": {
      const start = writer.begin(number);
      if (!writeNested(writer, item, value, room, depth + 1)) return false;
      writer.end(start);
      return true;
    }
    default:
      writer.tag(number, wireTypeOf(item.kind));
      return writeNumber(writer, item, value);
  }
}

function writeNested(
  writer: ByteWriter,
  item: Extract<Item, { kind: "struct" | "value" | "message" | "values" }>,
  value: unknown,
  room: boolean,
  depth: number,
): boolean {
  switch (item.kind) {
    case "value":
      writeValue(writer, value, depth);
      return true;
    case "values":
      return Array.isArray(value) && (value.length === 0 || writeList(writer, item.list, value, room, depth));
    case "message":
      return isObject(value) && writeMembers(writer, item.plan, value, room, depth) === undefined;
    default:
      if (!isObject(value)) return false;
      writeStruct(writer, value, depth);
      return true;
  }
}

/** Writes numbers, choices and truth values, without their tag. */
function writeNumber(writer: ByteWriter, item: Item, value: unknown): boolean {
  switch (item.kind) {
    case "bool":
      if (typeof value !== "boolean") return false;
      writer.varint(value ? 1 : 0);
      return true;
    case "enum": {
      const number = typeof value === "string" ? item.numbers.get(value) : undefined;
      if (number === undefined) return false;
      writer.varint(number);
      return true;
    }
    case "double":
      if (typeof value !== "number" || !Number.isFinite(value)) return false;
      writer.double(value);
      return true;
    case "uint32":
      if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 0xffff_ffff) return false;
      writer.varint(value);
      return true;
    // A number below 0 takes ten bytes in any library. No field of ours means one.
    case "uint64":
    case "int64":
      if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return false;
      writer.varint(value);
      return true;
    default:
      return false;
  }
}

function writeStruct(writer: ByteWriter, object: Document, depth: number): void {
  assertLevel(depth);
  for (const name in object) {
    const value = object[name];
    if (value !== undefined) writeEntry(writer, name, value, depth);
  }
}

/** Writes one entry of the map `fields` of a Struct; `depth` is the level of the object. */
function writeEntry(writer: ByteWriter, name: string, value: unknown, depth: number): void {
  const entry = writer.begin(1);
  writer.tag(1, DELIMITED);
  writer.text(name);
  const start = writer.begin(2);
  writeValue(writer, value, depth + 1);
  writer.end(start);
  writer.end(entry);
}

/** Writes a google.protobuf.Value; values that JSON lacks become null, as in `JSON.stringify`. */
function writeValue(writer: ByteWriter, value: unknown, depth: number): void {
  if (typeof value === "string") {
    writer.tag(3, DELIMITED);
    writer.text(value);
  } else if (typeof value === "number" && Number.isFinite(value)) {
    writer.tag(2, FIXED64);
    writer.double(value);
  } else if (typeof value === "boolean") {
    writer.tag(4, VARINT);
    writer.varint(value ? 1 : 0);
  } else if (Array.isArray(value)) {
    const start = writer.begin(6);
    writeListValue(writer, value, depth);
    writer.end(start);
  } else if (isObject(value)) {
    const start = writer.begin(5);
    writeStruct(writer, value, depth);
    writer.end(start);
  } else {
    writer.tag(1, VARINT);
    writer.varint(0);
  }
}

function writeListValue(writer: ByteWriter, values: readonly unknown[], depth: number): void {
  assertLevel(depth);
  for (const value of values) {
    const start = writer.begin(1);
    writeValue(writer, value, depth + 1);
    writer.end(start);
  }
}
