// Messages of every form, as the schemas allow them: whole, with all members there, or with some of the optional ones.
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { catalogue, readSchemas } from "../../../../scripts/generate/flatten.mjs";
import { isFormat, UNIT_MEMBERS } from "../../../../src/protocols/akashik/messages/unit-formats.js";
import { anyCharacter } from "../../../support/any-character.js";
import { type Schema, valuesOf } from "../../../support/schema-values.js";
import type { AkashikDocument } from "./envelopes.js";

const FOLDER = fileURLToPath(new URL("../../../../schemas/akashik", import.meta.url));

/** Every schema with nothing left to look up, by its title. */
export const SCHEMAS = catalogue(readSchemas(FOLDER)).flat as ReadonlyMap<string, Schema>;

export interface MessageForm {
  /** The field of the payload in `Envelope`. */
  readonly name: string;
  readonly operation: string;
  readonly schema: Schema;
}

function schemaOf(title: string): Schema {
  const schema = SCHEMAS.get(title);
  if (schema === undefined) throw new Error(`no schema ${title}`);
  return schema;
}

const pair = (operation: string, title: string): readonly MessageForm[] => [
  { name: `${title.toLowerCase()}Request`, operation, schema: schemaOf(`Akashik${title}Request`) },
  { name: `${title.toLowerCase()}Answer`, operation, schema: schemaOf(`Akashik${title}Answer`) },
];

/** In protobuf, the three actions are one message. */
function anyAction(schema: Schema): Schema {
  const { action, subscription, ...others } = schema.properties ?? {};
  return {
    ...schema,
    properties: {
      ...others,
      action: { type: "string", enum: ["subscribe", "unsubscribe", "list"], was: action },
      subscription: { ...subscription, type: ["object", "null"] },
    },
  };
}

export const FORMS: readonly MessageForm[] = [
  ...pair("REGISTER", "Register"),
  ...pair("DEREGISTER", "Deregister"),
  ...pair("RECORD", "Record"),
  ...pair("ATTUNE", "Attune"),
  ...pair("DETECT", "Detect"),
  ...pair("MERGE", "Merge"),
  {
    name: "subscribeRequest",
    operation: "SUBSCRIBE",
    schema: anyAction(schemaOf("AkashikSubscribeRequest")),
  },
  { name: "subscribeAnswer", operation: "SUBSCRIBE", schema: schemaOf("AkashikSubscribeAnswer") },
  { name: "listAnswer", operation: "SUBSCRIBE", schema: schemaOf("AkashikListAnswer") },
  { name: "notification", operation: "SUBSCRIBE", schema: schemaOf("AkashikNotification") },
  { name: "error", operation: "RECORD", schema: schemaOf("AkashikError") },
];

/** The forms of what agents send, each with its own schema. */
export const REQUESTS: readonly MessageForm[] = [
  ...FORMS.filter(({ name }) => name.endsWith("Request") && name !== "subscribeRequest"),
  ...["Subscribe", "Unsubscribe", "List"].map((title) => ({
    name: "subscribeRequest",
    operation: "SUBSCRIBE",
    schema: schemaOf(`Akashik${title}Request`),
  })),
];

/** The schema of values that have every member, no other one, and no list that is null. */
function wholly(schema: Schema): Schema {
  const { properties, items, type } = schema;
  const types = Array.isArray(type) && type.includes("array") ? "array" : type;
  return {
    ...schema,
    ...(types === undefined ? {} : { type: types }),
    ...(items === undefined ? {} : { items: wholly(items) }),
    ...(properties === undefined
      ? {}
      : {
          required: Object.keys(properties),
          additionalProperties: false,
          properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, wholly(member)])),
        }),
  };
}

const texts = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 });
const id = fc.option(texts, { nil: null });

/** Envelopes with any payload of the form that has all members. */
export function wholeMessages({ operation, schema }: MessageForm): fc.Arbitrary<AkashikDocument> {
  return fc.record({
    protocol: fc.constant("akashik"),
    version: texts,
    id,
    operation: fc.constant(operation),
    agent_id: id,
    session_id: id,
    epoch: fc.maxSafeNat(),
    payload: valuesOf(wholly(schema)).map((payload) => asAttuned(payload as AkashikDocument)),
  });
}

/** In an answer to ATTUNE, each unit has the members of its format. */
function asAttuned(payload: AkashikDocument): AkashikDocument {
  if (!Array.isArray(payload.record)) return payload;
  const record = payload.record.map((item: AkashikDocument) => {
    const unit = item.memory_unit as AkashikDocument;
    const names: readonly string[] = isFormat(item.format) ? UNIT_MEMBERS[item.format] : [];
    return { ...item, memory_unit: Object.fromEntries(names.map((name) => [name, unit[name]])) };
  });
  return { ...payload, record };
}

/** The schema of values without members of their own. */
function closed(schema: Schema): Schema {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: closed(items) }),
    ...(properties === undefined
      ? {}
      : {
          additionalProperties: false,
          properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, closed(member)])),
        }),
  };
}

/** Payloads in which optional members are there, null, or absent. */
export function payloads({ schema }: MessageForm): fc.Arbitrary<AkashikDocument> {
  return valuesOf(closed(schema)) as fc.Arbitrary<AkashikDocument>;
}
