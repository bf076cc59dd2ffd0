// The JSON form of protobuf as a page reads it, beside the descriptors and the daemon's own converter.
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EventSchema } from "#gen/aaep/v1/event_pb.js";
import * as handshake from "#gen/aaep/v1/handshake_pb.js";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import {
  documentOf,
  ENUM_PREFIXES,
  FREE_FIELDS,
  memberName,
  TEXT_LISTS,
  WHOLE_NUMBERS,
} from "../../../src/client/http/documents.js";
import { encodeDocument } from "../../../src/protocols/aaep/protobuf/encode.js";
import { jsonTypeOf } from "../../../src/protocols/aaep/protobuf/plan.js";
import { jsonOf } from "../../../transports/connect/messages.js";
import { canonicalJson } from "../../support/canonical-json.js";
import { casesOf } from "../../support/extent.js";
import { flatSchemas, valuesOf } from "../../support/schema-values.js";

/** Every field of the messages that a listener receives. */
function fieldsOfResponses(): readonly DescField[] {
  const { listen, renegotiate, listPending } = SubscriberService.method;
  const open: DescMessage[] = [listen.output, renegotiate.output, listPending.output];
  const seen = new Set<DescMessage>();
  for (let message = open.pop(); message !== undefined; message = open.pop()) {
    if (seen.has(message) || message.typeName.startsWith("google.protobuf.")) continue;
    seen.add(message);
    for (const field of message.fields) if (field.message !== undefined) open.push(field.message);
  }
  return [...seen].flatMap(({ fields }) => fields);
}

const FIELDS = fieldsOfResponses();
const namesOf = (matches: (field: DescField) => boolean | undefined) =>
  [...new Set(FIELDS.filter(matches).map(({ jsonName }) => jsonName))].sort();

test("the tables name the fields of each kind, and no name is of two kinds", () => {
  expect(Object.keys(ENUM_PREFIXES).sort()).toEqual(namesOf((field) => field.enum !== undefined));
  const isWhole = ({ scalar }: DescField) => scalar === ScalarType.UINT64 || scalar === ScalarType.INT64;
  expect([...WHOLE_NUMBERS].sort()).toEqual(namesOf(isWhole));
  const isFree = ({ message }: DescField) => message?.typeName.startsWith("google.protobuf.");
  expect([...FREE_FIELDS, "additional"].sort()).toEqual(namesOf(isFree));
  expect([...TEXT_LISTS].sort()).toEqual(namesOf(({ message }) => message?.name === "StringList"));
  for (const { jsonName, enum: names, scalar, message } of FIELDS) {
    if (names !== undefined) expect(names.values[0]?.name).toBe(`${ENUM_PREFIXES[jsonName]}UNSPECIFIED`);
    // `reason_code` is a text in one message. No text of the daemon's begins as the names do.
    else if (jsonName !== "reasonCode") expect(Object.hasOwn(ENUM_PREFIXES, jsonName)).toBe(false);
    if (scalar === ScalarType.STRING) expect(WHOLE_NUMBERS.has(jsonName), jsonName).toBe(false);
    if (message !== undefined && isFree({ message } as DescField) !== true)
      expect(FREE_FIELDS.has(jsonName), jsonName).toBe(false);
  }
});

test("the name of each member can be told from that in JSON", () => {
  for (const { name, jsonName } of FIELDS)
    expect(memberName(jsonName)).toBe(jsonName.startsWith("@") ? jsonName : name);
});

const SCHEMAS = [...flatSchemas()].flatMap(([title, schema]) => {
  const descriptor = title.endsWith("Event")
    ? EventSchema
    : (handshake as unknown as Readonly<Record<string, DescMessage>>)[`${title}Schema`];
  // A listener receives neither requests nor replies.
  const isReceived = !/Request|Renegotiate|Reply$|Skip|Repeat$|ListPending/.test(title);
  return descriptor === undefined || !isReceived ? [] : [{ title, schema, descriptor }];
});

test("a document is the same after the daemon has written it in JSON of protobuf", () => {
  const seen = new Set<string>();
  const documents = SCHEMAS.map(({ title, schema, descriptor }) =>
    fc.tuple(fc.constant({ title, descriptor }), valuesOf(schema) as fc.Arbitrary<Record<string, unknown>>),
  );
  fc.assert(
    fc.property(fc.oneof(...documents), ([{ title, descriptor }, given]) => {
      seen.add(title);
      const type = jsonTypeOf(descriptor.typeName);
      // The daemon's library takes a mark at the beginning of a text, and a member called `__proto__`.
      const text = JSON.stringify(given)
        .replaceAll(/"\uFEFF+/g, '"')
        .replaceAll('"__proto__":', '"proto":');
      const document = { ...(type === undefined ? {} : { type }), ...JSON.parse(text) };
      const json = JSON.parse(new TextDecoder().decode(jsonOf(descriptor, encodeDocument(descriptor, document))));
      const back = documentOf(json, type);
      // Nobody can tell an empty list from none there; the connection adds it.
      if (title === "AaepdPending") back.questions ??= [];
      if (canonicalJson(back) !== canonicalJson(document)) expect(back).toEqual(document);
    }),
    { numRuns: casesOf(3000) },
  );
  expect(seen.size).toBe(SCHEMAS.length);
});

test("an extension's members are its own, whatever they are called", () => {
  const json = {
    type: "acme:agent.state.changed",
    stateChanged: { fromState: "a" },
    additional: { urgency: "loud", __proto__x: 1, mood: { isGood: true, position: "9" } },
  };
  expect(documentOf(json)).toEqual({
    type: "acme:agent.state.changed",
    state_changed: { from_state: "a" },
    urgency: "loud",
    __proto__x: 1,
    mood: { isGood: true, position: "9" },
  });
  const proto = JSON.parse('{"additional": {"__proto__": {"isAdmin": true}}}');
  expect(Object.getOwnPropertyNames(documentOf(proto))).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(documentOf(proto))).toBe(Object.prototype);
});
