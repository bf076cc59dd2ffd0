// The converter's plan of a message type, read from its descriptor once. docs/protobuf.md has the rules. Every mirrored member has presence, and
// `additional` keeps members without a field. Conversion is total and never validates, because validating is the engine's work.
import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { ownMember } from "../../../base/members.js";
import { CORE_PREFIX, CORE_TYPE_URI } from "../../../engine/event/vocabulary.js";

/** Wire types. */
export const VARINT = 0;
export const FIXED64 = 1;
export const DELIMITED = 2;

type Scalar = "string" | "bool" | "double" | "uint32" | "uint64" | "int64";

/** The kind of one value of a field. */
export type Item =
  | { readonly kind: Scalar }
  | { readonly kind: "struct" }
  | { readonly kind: "value" }
  | {
      readonly kind: "enum";
      readonly numbers: ReadonlyMap<string, number>;
      readonly names: ReadonlyMap<number, string>;
      readonly typeName: string;
    }
  /** A message that is a list in JSON: its only field is repeated and named `values`. */
  | { readonly kind: "values"; readonly list: FieldPlan }
  | { readonly kind: "message"; readonly plan: MessagePlan };

export interface FieldPlan {
  /** Name of the JSON member. */
  readonly name: string;
  readonly number: number;
  /** Index among the fields of its message. */
  readonly index: number;
  readonly isList: boolean;
  /** Whether absence differs from an empty value. */
  readonly hasPresence: boolean;
  readonly item: Item;
}

/** One type of events. */
export interface PayloadPlan {
  /** Type of the event, as in `aaep:agent.session.started`. */
  readonly type: string;
  readonly number: number;
  readonly plan: MessagePlan;
}

export interface MessagePlan {
  readonly typeName: string;
  /** All fields except `additional` and payloads, by number. */
  readonly fields: readonly FieldPlan[];
  readonly byName: ReadonlyMap<string, FieldPlan>;
  readonly byNumber: ReadonlyMap<number, FieldPlan>;
  /** Fields without presence: absence means the empty value. */
  readonly withoutPresence: readonly FieldPlan[];
  /** Names of the fields with one value of an enum. */
  readonly enumNames: readonly string[];
  /** Number of `additional`, which takes members without a field. */
  readonly additional: number | undefined;
  /** The `type` that every such message has in JSON. */
  readonly jsonType: string | undefined;
  /** Groups of members of which one message has at most one. */
  readonly oneofs: readonly (readonly string[])[];
  readonly payloadByType: ReadonlyMap<string, PayloadPlan>;
  readonly payloadByNumber: ReadonlyMap<number, PayloadPlan>;
  /** Whether the message is an event: nothing in an event may be lost. */
  readonly isEvent: boolean;
}

/** The wire type of a value of that kind. */
export function wireTypeOf(kind: Item["kind"]): number {
  switch (kind) {
    case "double":
      return FIXED64;
    case "bool":
    case "enum":
    case "uint32":
    case "uint64":
    case "int64":
      return VARINT;
    default:
      return DELIMITED;
  }
}

/** The JSON member `type` of messages without a field for it: in protobuf the name of the message implies it. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  "aaep.v1.SubscriptionRequest": "subscription.request",
  "aaep.v1.SubscriptionAccepted": "subscription.accepted",
  "aaep.v1.SubscriptionRejected": "subscription.rejected",
  "aaep.v1.SubscriptionRenegotiate": "subscription.renegotiate",
  "aaep.v1.SubscriptionClose": "subscription.close",
  "aaep.v1.ConfirmationReply": "confirmation.reply",
  "aaep.v1.ClarificationReply": "clarification.reply",
  "aaep.v1.AaepdSkip": "aaepd.skip",
  "aaep.v1.AaepdListPending": "aaepd.list_pending",
  "aaep.v1.AaepdPending": "aaepd.pending",
  "aaep.v1.AaepdRepeat": "aaepd.repeat",
  "aaep.v1.AaepdLeave": "aaepd.leave",
  "aaep.v1.AaepdStop": "aaepd.stop",
  "aaep.v1.AaepdError": "aaepd.error",
  "aaep.v1.AaepdHeartbeat": "aaepd.heartbeat",
  "aaep.v1.AaepdCheckpoint": "aaepd.checkpoint",
  "aaep.v1.AaepdReplyNotTaken": "aaepd.reply_not_taken",
  "aaep.v1.ProducerManifest": "aaep:producer.manifest",
};

/** Returns the `type` of a message's JSON form; undefined for messages that have none, or a field for it. */
export function jsonTypeOf(typeName: string): string | undefined {
  return ownMember(JSON_TYPES, typeName);
}

const STRUCT = "google.protobuf.Struct";
const VALUE = "google.protobuf.Value";
/** `FeatureSet.FieldPresence.IMPLICIT`. */
const IMPLICIT = 2;

const SCALARS: ReadonlyMap<ScalarType, Scalar> = new Map([
  [ScalarType.STRING, "string"],
  [ScalarType.BOOL, "bool"],
  [ScalarType.DOUBLE, "double"],
  [ScalarType.UINT32, "uint32"],
  [ScalarType.UINT64, "uint64"],
  [ScalarType.INT64, "int64"],
]);

/** The name of a field in JSON: its own, or the one that the mirror gives it. */
export function memberNameOf(field: Pick<DescField, "name" | "jsonName">): string {
  const camelCase = field.name.replaceAll(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
  return field.jsonName === camelCase ? field.name : field.jsonName;
}

/** The JSON value of each value of an enum, without the unspecified one. */
export function enumNamesOf(descriptor: DescEnum): ReadonlyMap<number, string> {
  const prefix = `${descriptor.name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase()}_`;
  const named = descriptor.values.filter(({ number }) => number !== 0);
  return new Map(named.map(({ name, number }) => [number, name.slice(prefix.length).toLowerCase()]));
}

const plans = new WeakMap<DescMessage, MessagePlan>();

/** Returns the plan of a type, made at the first call. Throws for a type with fields without a JSON form, which is a mistake in the mirrors. */
export function planOf(descriptor: DescMessage): MessagePlan {
  const known = plans.get(descriptor);
  if (known !== undefined) return known;
  const payload = descriptor.oneofs.find(({ name }) => name === "payload");
  const additional = descriptor.fields.find(isAdditional);
  const payloads = (payload?.fields ?? []).flatMap(payloadPlan);
  const fields = descriptor.fields
    .filter((field) => field !== additional && (payload === undefined || field.oneof !== payload))
    .sort((a, b) => a.number - b.number)
    .map(fieldPlan);
  const plan: MessagePlan = {
    typeName: descriptor.typeName,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    byNumber: new Map(fields.map((field) => [field.number, field])),
    withoutPresence: fields.filter(({ hasPresence }) => !hasPresence),
    enumNames: fields.filter(({ item, isList }) => item.kind === "enum" && !isList).map(({ name }) => name),
    additional: additional?.number,
    jsonType: jsonTypeOf(descriptor.typeName),
    oneofs: descriptor.oneofs.filter((one) => one !== payload).map(({ fields: choices }) => choices.map(memberNameOf)),
    payloadByType: new Map(
      payloads.flatMap((one) => [
        [one.type, one],
        [`${CORE_TYPE_URI}${one.type.slice(CORE_PREFIX.length)}`, one],
      ]),
    ),
    payloadByNumber: new Map(payloads.map((one) => [one.number, one])),
    isEvent: payload !== undefined,
  };
  plans.set(descriptor, plan);
  return plan;
}

function isAdditional(field: DescField): boolean {
  return field.name === "additional" && field.fieldKind === "message" && field.message.typeName === STRUCT;
}

function payloadPlan(field: DescField): readonly PayloadPlan[] {
  if (field.fieldKind !== "message") return [];
  const type = `aaep:agent.${field.name.replaceAll("_", ".")}`;
  return [{ type, number: field.number, plan: planOf(field.message) }];
}

function fieldPlan(field: DescField, index: number): FieldPlan {
  return {
    name: memberNameOf(field),
    number: field.number,
    index,
    isList: field.fieldKind === "list",
    hasPresence: field.presence !== IMPLICIT,
    item: itemOf(field),
  };
}

function itemOf(field: DescField): Item {
  if (field.fieldKind !== "map") {
    if (field.enum !== undefined) {
      const names = enumNamesOf(field.enum);
      const numbers = new Map([...names].map(([number, name]) => [name, number]));
      return { kind: "enum", names, numbers, typeName: field.enum.typeName };
    }
    if (field.message !== undefined) return messageItem(field.message);
    const kind = SCALARS.get(field.scalar);
    if (kind !== undefined) return { kind };
  }
  throw new Error(`${field} has no form in JSON: use another type (docs/protobuf.md)`);
}

function messageItem(descriptor: DescMessage): Item {
  if (descriptor.typeName === STRUCT) return { kind: "struct" };
  if (descriptor.typeName === VALUE) return { kind: "value" };
  const plan = planOf(descriptor);
  const [only] = plan.fields;
  const isListInJson = only?.isList === true && only.name === "values" && descriptor.fields.length === 1;
  return isListInJson ? { kind: "values", list: only } : { kind: "message", plan };
}
