// Documents and messages by protobuf's own JSON form: a second converter, which shares nothing with the daemon's but the descriptors.
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { EventSchema } from "#gen/aaep/v1/event_pb.js";
import { isObject, type Message } from "../oracles/wire-sniffer.js";
import type { Converting } from "./converting.js";

/** By the name of a message, its `type` in JSON. */
const TYPES: Readonly<Record<string, string>> = {
  SubscriptionRequest: "subscription.request",
  SubscriptionAccepted: "subscription.accepted",
  SubscriptionRejected: "subscription.rejected",
  SubscriptionRenegotiate: "subscription.renegotiate",
  SubscriptionClose: "subscription.close",
  ConfirmationReply: "confirmation.reply",
  ClarificationReply: "clarification.reply",
  AaepdSkip: "aaepd.skip",
  AaepdListPending: "aaepd.list_pending",
  AaepdPending: "aaepd.pending",
  AaepdRepeat: "aaepd.repeat",
  AaepdLeave: "aaepd.leave",
  AaepdStop: "aaepd.stop",
  AaepdError: "aaepd.error",
  AaepdHeartbeat: "aaepd.heartbeat",
  AaepdCheckpoint: "aaepd.checkpoint",
  AaepdReplyNotTaken: "aaepd.reply_not_taken",
  ProducerManifest: "aaep:producer.manifest",
};
const WHOLE: ReadonlySet<ScalarType> = new Set([ScalarType.UINT64, ScalarType.INT64]);
const FREE = /^google\.protobuf\.(Value|Struct)$/;

export const byProtoJson: Converting = {
  toMessage: (descriptor, document) => {
    const json = written(descriptor, document);
    if (json === undefined) throw new Error(`no ${descriptor.name}: ${JSON.stringify(document)}`);
    return fromJson(descriptor, json);
  },
  toDocument: (descriptor, message) =>
    read(descriptor, toJson(descriptor, message, { useProtoFieldName: true }) as JsonObject),
};

/** Undefined where it does not fit, and has nowhere to put what does not. */
function written(descriptor: DescMessage, document: Message): JsonObject | undefined {
  const json: Record<string, JsonValue> = {};
  const additional: Record<string, JsonValue> = {};
  const payload = descriptor === EventSchema ? payloadField(document.type) : undefined;
  const inPayload: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document)) {
    if (name === "type" && value === TYPES[descriptor.name]) continue;
    const field = descriptor.fields.find((one) => memberOf(one) === name && one.oneof?.name !== "payload");
    if (field === undefined && payload?.message?.fields.some((one) => memberOf(one) === name)) {
      inPayload[name] = value;
      continue;
    }
    const fitting = field === undefined || name === "additional" ? undefined : fitted(field, value);
    if (field === undefined || fitting === undefined) additional[name] = value as JsonValue;
    else json[field.name] = fitting;
  }
  if (payload?.message !== undefined) {
    const taken: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(inPayload)) {
      const one = written(payload.message, { [name]: value });
      if (one === undefined) additional[name] = value as JsonValue;
      else Object.assign(taken, one);
    }
    json[payload.name] = taken as JsonObject;
  }
  if (Object.keys(additional).length === 0) return json;
  if (!descriptor.fields.some(({ name }) => name === "additional")) return undefined;
  return { ...json, additional };
}

/** A field's value in protobuf's JSON form; undefined where the field cannot hold it. */
function fitted(field: DescField, value: unknown): JsonValue | undefined {
  switch (field.fieldKind) {
    case "scalar":
      return fittedScalar(field.scalar, value);
    case "enum":
      return fittedEnum(field.enum, value);
    case "message":
      return fittedMessage(field.message, value);
    case "list": {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      const items = value.map((item) =>
        field.listKind === "message"
          ? fittedMessage(field.message, item)
          : field.listKind === "enum"
            ? fittedEnum(field.enum, item)
            : fittedScalar(field.scalar, item),
      );
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case "map":
      return undefined;
  }
}

function fittedMessage(descriptor: DescMessage, value: unknown): JsonValue | undefined {
  if (FREE.test(descriptor.typeName)) {
    return descriptor.name === "Value" || isObject(value) ? (value as JsonValue) : undefined;
  }
  if (descriptor.name === "StringList") {
    const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
    return isList ? { values: value } : undefined;
  }
  return isObject(value) ? written(descriptor, value) : undefined;
}

function fittedScalar(scalar: ScalarType, value: unknown): JsonValue | undefined {
  switch (scalar) {
    case ScalarType.STRING:
      return typeof value === "string" ? value : undefined;
    case ScalarType.BOOL:
      return typeof value === "boolean" ? value : undefined;
    case ScalarType.DOUBLE:
      return typeof value === "number" ? value : undefined;
    default: {
      const most = WHOLE.has(scalar) ? Number.MAX_SAFE_INTEGER : 0xff_ff_ff_ff;
      const least = scalar === ScalarType.INT64 ? Number.MIN_SAFE_INTEGER : 0;
      const isWhole = Number.isInteger(value) && !Object.is(value, -0);
      if (!isWhole || Number(value) < least || Number(value) > most) return undefined;
      return WHOLE.has(scalar) ? String(value) : (value as number);
    }
  }
}

function fittedEnum({ values, sharedPrefix = "" }: DescEnum, value: unknown): JsonValue | undefined {
  if (typeof value !== "string") return undefined;
  const name = `${sharedPrefix}${value}`.toUpperCase();
  return value === value.toLowerCase() && values.slice(1).some((one) => one.name === name) ? name : undefined;
}

/** `hasRoom`: whether a message around it keeps what has no field, so that an absent list is none. */
function read(descriptor: DescMessage, json: JsonObject, hasRoom = false): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  const isOpen = hasRoom || descriptor.fields.some(({ name }) => name === "additional");
  const type = TYPES[descriptor.name];
  if (type !== undefined) document.type = type;
  for (const field of descriptor.fields) {
    const value = json[field.name];
    if (value === undefined && !isOpen && field.presence === FeatureSet_FieldPresence.IMPLICIT) {
      if (field.fieldKind === "list") document[memberOf(field)] = [];
      else if (field.scalar === ScalarType.BOOL) document[memberOf(field)] = false;
    }
    if (value === undefined || field.name === "additional") continue;
    if (field.oneof?.name === "payload" && field.message !== undefined) {
      Object.assign(document, read(field.message, value as JsonObject, isOpen));
      document.type ??= `aaep:agent.${field.name.replace("_", ".")}`;
    } else document[memberOf(field)] = readValue(field, value, isOpen);
  }
  return { ...document, ...(isObject(json.additional) ? json.additional : {}) };
}

function readValue(field: DescField, value: JsonValue, hasRoom: boolean): unknown {
  if (field.fieldKind === "list") return (value as JsonValue[]).map((item) => readOne(field, item, hasRoom));
  return readOne(field, value, hasRoom);
}

function readOne(field: DescField, value: JsonValue, hasRoom: boolean): unknown {
  if (field.enum !== undefined) return String(value).slice(field.enum.sharedPrefix?.length).toLowerCase();
  if (field.scalar !== undefined && WHOLE.has(field.scalar)) return Number(value);
  if (field.message === undefined || FREE.test(field.message.typeName)) return value;
  if (field.message.name === "StringList") return (value as JsonObject).values ?? [];
  return read(field.message, value as JsonObject, hasRoom);
}

/** "@context" has no name that protobuf allows. */
function memberOf(field: DescField): string {
  return field.jsonName.startsWith("@") ? field.jsonName : field.name;
}

function payloadField(type: unknown): DescField | undefined {
  const name = /^(?:aaep:|https:\/\/aaep-protocol\.org\/vocab\/v1#)agent\.([a-z]+)\.([a-z]+)$/.exec(String(type));
  return EventSchema.fields.find((field) => field.oneof !== undefined && field.name === `${name?.[1]}_${name?.[2]}`);
}
