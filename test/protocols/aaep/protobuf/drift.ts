// Holds the mirrors in proto/ against schemas/, both ways, and says of each difference what to add where.
import { type DescField, type DescFile, type DescMessage, type FileRegistry, ScalarType } from "@bufbuild/protobuf";
import { enumNamesOf, memberNameOf } from "../../../../src/protocols/aaep/protobuf/plan.js";
import type { Schema } from "../../../support/schema-values.js";

/** What the mirrors write in another way than the rules say. */
const EXCEPTIONS: Readonly<Record<string, { readonly type: string; readonly reason: string }>> = {
  "EventFilters.include": { type: "StringList", reason: "a list that is there and empty means critical events only" },
  "EventFilters.exclude": { type: "StringList", reason: "as include" },
  "AaepdPending.questions": {
    type: "repeated Event",
    reason: "the schema names what is needed of an event, not the whole",
  },
  "ResumeSessionResult.open_questions": {
    type: "repeated Event",
    reason: "the schema takes any object; they are events",
  },
};

/** Members that are open to everybody, whatever some schemas say of a part of them. */
const STRUCTS: ReadonlySet<string> = new Set(["extensions"]);

/** Schemas without a message of their own. */
const NOT_MIRRORED: Readonly<Record<string, string>> = {
  ExtensionEvent: "its payload stands in Event.additional",
  RequestExtensions: "is a Struct",
  RepeatParams: "AaepdRepeat under the name that JSON-RPC gives its params",
};

/** Messages that the walk does not come to, because they stand for something else in JSON. */
const NOT_MESSAGES: ReadonlySet<string> = new Set(["aaep.v1.StringList"]);
const MIRRORS = ["aaep/v1/event.proto", "aaep/v1/handshake.proto", "aaep/v1/manifest.proto"];

const NUMBER_OF_ADDITIONAL = 15;
const MAX_UINT32 = 0xffff_ffff;

export interface Sides {
  readonly schemas: ReadonlyMap<string, Schema>;
  /** The file of a schema, by its title. */
  readonly fileOf: (title: string) => string;
  /** With source information: "Required" stands in comments. */
  readonly registry: FileRegistry;
}

interface Walk extends Sides {
  readonly complaints: string[];
  readonly seen: Set<string>;
}

/** What is on one side and not on the other, each as what to do. */
export function driftsOf(sides: Sides): readonly string[] {
  const walk: Walk = { ...sides, complaints: [], seen: new Set() };
  const { schemas, registry, complaints } = walk;
  const envelope = schemas.get("Envelope") ?? {};
  const event = registry.getMessage("aaep.v1.Event");
  if (event === undefined) return ["proto/aaep/v1/event.proto has no message Event"];
  for (const [title, schema] of schemas) {
    if (title in NOT_MIRRORED) continue;
    if (title === "Envelope") compareEvent(walk, schema, event);
    else if (title.endsWith("Event")) comparePayload(walk, title, schema, envelope, event);
    else compareMessage(walk, title, schema);
  }
  for (const file of registry.files) if (MIRRORS.includes(`${file.name}.proto`)) complaints.push(...unseen(walk, file));
  return [...new Set(complaints)];
}

function compareMessage(walk: Walk, title: string, schema: Schema): void {
  const descriptor = walk.registry.getMessage(`aaep.v1.${title}`);
  if (descriptor === undefined)
    walk.complaints.push(`${walk.fileOf(title)} has no mirror: add \`message ${title}\` to proto/aaep/v1`);
  else compare(walk, walk.fileOf(title), schema, descriptor);
}

function compareEvent(walk: Walk, schema: Schema, event: DescMessage): void {
  const open = { ...schema, additionalProperties: true };
  compare(walk, walk.fileOf("Envelope"), open, event);
}

function comparePayload(walk: Walk, title: string, schema: Schema, envelope: Schema, event: DescMessage): void {
  const file = walk.fileOf(title);
  const [type = ""] = (schema.properties?.type as { readonly enum?: readonly string[] } | undefined)?.enum ?? [];
  const name = type.replace(/^aaep:agent\./, "").replaceAll(".", "_");
  const field = event.fields.find((one) => one.oneof?.name === "payload" && one.name === name);
  if (field?.message === undefined) {
    const number = Math.max(...event.fields.map((one) => one.number)) + 1;
    const message = title.replace(/Event$/, "");
    walk.complaints.push(
      `${file} has no payload: add \`${message} ${name} = ${number};\` to \`payload\` of Event in proto/aaep/v1/event.proto`,
    );
    return;
  }
  const isOwn = (member: string): boolean => !(member in (envelope.properties ?? {}));
  for (const { name: taken } of field.message.fields.filter((one) => !isOwn(memberNameOf(one)))) {
    walk.complaints.push(`${where(field.message)}.${taken} has the name of a field of Event: rename it`);
  }
  const own = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([member]) => isOwn(member)));
  const required = schema.required?.filter(isOwn) ?? [];
  // What has no field goes to Event.additional.
  const { patternProperties: _, ...rest } = schema;
  compare(walk, file, { ...rest, properties: own, required, additionalProperties: false }, field.message);
}

/** The members of one object and the fields of one message. */
function compare(walk: Walk, file: string, schema: Schema, descriptor: DescMessage): void {
  const { complaints, seen } = walk;
  if (seen.has(`${descriptor.typeName} ${file}`)) return;
  seen.add(descriptor.typeName).add(`${descriptor.typeName} ${file}`);
  const members = schema.properties ?? {};
  const fields = descriptor.fields.filter((field) => field.name !== "additional" && field.oneof?.name !== "payload");
  const byName = new Map(fields.map((field) => [memberNameOf(field), field]));
  for (const [name, member] of Object.entries(members)) {
    const field = byName.get(name);
    if (field !== undefined) compareField(walk, file, name, member, schema, field);
    else if (!isConstantType(name, member)) {
      const label = Array.isArray(member.type) || !isRepeated(member) ? "optional " : "";
      const line = `${label}${protoTypeOf(descriptor.name, name, member) ?? "…"} ${name} = ${nextNumber(descriptor)};`;
      complaints.push(`${file} has "${name}", ${where(descriptor)} has not: add \`${line}\` there`);
    }
  }
  for (const [name, field] of byName) {
    if (name in members) continue;
    complaints.push(
      `${where(descriptor)} has ${field.name}, ${file} has not: add \`"${name}": ${jsonTypeFor(field)}\` to its properties`,
    );
  }
  const isOpen = admitsOthers(schema);
  const hasAdditional = descriptor.fields.some(({ name }) => name === "additional");
  if (isOpen && !hasAdditional) {
    const line = `optional google.protobuf.Struct additional = ${NUMBER_OF_ADDITIONAL};`;
    complaints.push(`${file} admits members without a name: add \`${line}\` to ${where(descriptor)}`);
  }
  if (!isOpen && hasAdditional)
    complaints.push(`${file} admits no other members: remove \`additional\` from ${where(descriptor)}`);
}

function compareField(walk: Walk, file: string, name: string, member: Schema, schema: Schema, field: DescField): void {
  const { complaints } = walk;
  const at = `${where(field.parent)}.${field.name}`;
  const wanted = protoTypeOf(field.parent.name, name, member);
  const found = typeOfField(field);
  if (wanted !== undefined && wanted !== found)
    complaints.push(`${at} is ${found}, "${name}" in ${file} asks for ${wanted}: make them agree`);
  // Nothing in the calls and answers of agents is both there and empty, so that their fields need no presence.
  if (!field.parent.file.name.endsWith("agent_service")) {
    if (field.fieldKind !== "list" && field.proto.proto3Optional !== true)
      complaints.push(`${at} has no presence: write \`optional\` before it`);
    const isRequired = schema.required?.includes(name) ?? false;
    const saysRequired = commentOf(field).startsWith("Required");
    if (isRequired && !saysRequired)
      complaints.push(`${file} requires "${name}": write "Required." into the comment of ${at}`);
    if (!isRequired && saysRequired)
      complaints.push(
        `${at} says "Required", ${file} does not require "${name}": add it to \`required\`, or correct the comment`,
      );
  }
  compareEnum(walk, file, name, member, field);
  const inner = isRepeated(member) ? member.items : member;
  const isOther = `${field.parent.name}.${name}` in EXCEPTIONS;
  // A value of several types is any value on the other side.
  const isMirrored = inner?.properties !== undefined && !Array.isArray(inner.type);
  if (field.message !== undefined && isMirrored && !isOther && !isStruct(name, inner)) {
    compare(walk, `${file}, "${name}"`, inner, field.message);
  }
}

function compareEnum({ complaints, seen }: Walk, file: string, name: string, member: Schema, field: DescField): void {
  const values = (isRepeated(member) ? member.items?.enum : member.enum) as readonly string[] | undefined;
  if (field.enum === undefined || values === undefined) return;
  seen.add(field.enum.typeName);
  const at = `enum ${field.enum.name} in proto/${field.enum.file.name}.proto`;
  const names = [...enumNamesOf(field.enum).values()];
  const next = Math.max(...field.enum.values.map(({ number }) => number)) + 1;
  const prefix = field.enum.values[0]?.name.replace(/UNSPECIFIED$/, "") ?? "";
  for (const value of values.filter((one) => !names.includes(one))) {
    complaints.push(
      `"${name}" in ${file} may be "${value}": add \`${prefix}${value.toUpperCase()} = ${next};\` to ${at}`,
    );
  }
  for (const value of names.filter((one) => !values.includes(one))) {
    complaints.push(`${at} has ${prefix}${value.toUpperCase()}: add "${value}" to the enum of "${name}" in ${file}`);
  }
}

/** Messages and enums that nothing in the schemas leads to. */
function unseen({ seen }: Walk, { messages, enums, name }: DescFile): readonly string[] {
  return [...messages, ...enums]
    .filter(({ typeName }) => !seen.has(typeName) && !NOT_MESSAGES.has(typeName))
    .map(
      ({ typeName }) => `${typeName} in proto/${name}.proto mirrors no schema: add one to schemas/aaep, or remove it`,
    );
}

/** The type in proto that a member asks for; undefined where any message will do. */
function protoTypeOf(parent: string, name: string, member: Schema): string | undefined {
  const exception = EXCEPTIONS[`${parent}.${name}`];
  if (exception !== undefined) return exception.type;
  if (isRepeated(member)) {
    const item = member.items === undefined ? undefined : protoTypeOf("", name, member.items);
    return item === undefined ? undefined : `repeated ${item}`;
  }
  if (Array.isArray(member.type)) return "google.protobuf.Value";
  if (Array.isArray(member.enum)) return "enum";
  switch (member.type) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return "double";
    case "integer":
      return wholeType(member);
    default:
      return isStruct(name, member) ? "google.protobuf.Struct" : "message";
  }
}

/** By its bounds: uint32 where 32 bits are enough, uint64 where it is bounded and not below 0, else int64. */
function wholeType({ minimum, maximum }: Schema): string {
  if (minimum === undefined || minimum < 0 || maximum === undefined) return "int64";
  return maximum <= MAX_UINT32 ? "uint32" : "uint64";
}

function typeOfField(field: DescField): string {
  const item = itemType(field);
  return field.fieldKind === "list" ? `repeated ${item}` : item;
}

function itemType(field: DescField): string {
  if (field.enum !== undefined) return "enum";
  if (field.message === undefined) return ScalarType[field.scalar].toLowerCase();
  const { typeName, name } = field.message;
  if (typeName.startsWith("google.")) return typeName;
  return `${field.parent.name}.${memberNameOf(field)}` in EXCEPTIONS ? name : "message";
}

function jsonTypeFor(field: DescField): string {
  const scalars: Readonly<Record<string, string>> = {
    string: "string",
    bool: "boolean",
    double: "number",
    message: "object",
    enum: "string",
  };
  const type = itemType(field);
  const one = type.startsWith("google.protobuf.S") ? "object" : (scalars[type] ?? "integer");
  return field.fieldKind === "list" ? `{"type": "array", "items": {"type": "${one}"}}` : `{"type": "${one}"}`;
}

function isRepeated({ type }: Schema): boolean {
  return type === "array";
}

function isStruct(name: string, { properties }: Schema): boolean {
  return STRUCTS.has(name) || properties === undefined;
}

function isConstantType(name: string, member: Schema): boolean {
  return name === "type" && "const" in member;
}

function admitsOthers({ additionalProperties, patternProperties = {} }: Schema): boolean {
  return additionalProperties !== false || Object.values(patternProperties).some((member) => member !== false);
}

function nextNumber({ fields }: DescMessage): number {
  const numbers = fields.map(({ number }) => number).filter((number) => number < NUMBER_OF_ADDITIONAL);
  const next = Math.max(0, ...numbers) + 1;
  return next === NUMBER_OF_ADDITIONAL ? Math.max(...fields.map(({ number }) => number)) + 1 : next;
}

function where({ name, file }: DescMessage): string {
  return `message ${name} in proto/${file.name}.proto`;
}

/** The number of `message_type` among the fields of a file's descriptor, and of `field` among those of a message's. */
const MESSAGE_TYPE = 4;
const FIELD = 2;

function commentOf(field: DescField): string {
  const { file } = field.parent;
  const path = [
    MESSAGE_TYPE,
    file.messages.indexOf(field.parent),
    FIELD,
    field.parent.proto.field.indexOf(field.proto),
  ].join();
  const location = file.proto.sourceCodeInfo?.location.find((one) => one.path.join() === path);
  return location?.leadingComments.trim() ?? "";
}
