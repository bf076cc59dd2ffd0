// Nothing is lost between JSON and protobuf, whatever stands in it.
import { type DescMessage, equals } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventSchema } from "#gen/aaep/v1/event_pb.js";
import * as handshake from "#gen/aaep/v1/handshake_pb.js";
import { ProducerManifestSchema } from "#gen/aaep/v1/manifest_pb.js";
import { Fault } from "../../../../src/base/errors.js";
import { decodeDocument } from "../../../../src/protocols/aaep/protobuf/decode.js";
import { encodeDocument } from "../../../../src/protocols/aaep/protobuf/encode.js";
import { jsonTypeOf } from "../../../../src/protocols/aaep/protobuf/plan.js";
import { canonicalJson } from "../../../support/canonical-json.js";
import { casesOf } from "../../../support/extent.js";
import { documentOf, messageOf } from "../../../support/protobuf-documents.js";
import { anyDocument, wellFormedMessages } from "../../../support/protobuf-values.js";
import { flatSchemas, valuesOf } from "../../../support/schema-values.js";

const RUNS = { numRuns: casesOf(1000) };
const SCHEMAS = flatSchemas();

/** What a schema's title is called among the messages. */
function descriptorOf(title: string): DescMessage | undefined {
  if (title === "Envelope" || title.endsWith("Event")) return EventSchema;
  if (title === "ProducerManifest") return ProducerManifestSchema;
  return (handshake as unknown as Readonly<Record<string, DescMessage>>)[`${title}Schema`];
}

const MIRRORED = [...SCHEMAS].flatMap(([title, schema]) => {
  const descriptor = descriptorOf(title);
  return descriptor === undefined || title === "Envelope" ? [] : [{ title, schema, descriptor }];
});

/** All that mirror messages of JSON. */
const DESCRIPTORS = [...new Set(MIRRORED.map(({ descriptor }) => descriptor))];
const OPEN = DESCRIPTORS.filter(({ fields }) => fields.some(({ name }) => name === "additional"));
const CLOSED = DESCRIPTORS.filter((descriptor) => !OPEN.includes(descriptor));

/** As a document of that type is: with its `type`, where the message stands for it. */
function typed(descriptor: DescMessage, document: Record<string, unknown>): Record<string, unknown> {
  const type = jsonTypeOf(descriptor.typeName);
  return type === undefined || Object.hasOwn(document, "type") ? document : { type, ...document };
}

/** The library's decoder takes U+FEFF from the beginning of a text, and a member called `__proto__`; bytes keep both. */
function withoutMarks(document: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(document).replaceAll(/"\uFEFF+/g, '"');
  return JSON.parse(text.replaceAll('"__proto__":', '"proto":')) as Record<string, unknown>;
}

function thereAndBack(descriptor: DescMessage, document: Record<string, unknown>): Record<string, unknown> {
  return decodeDocument(descriptor, encodeDocument(descriptor, document));
}

test("all twelve events, extension events and every message of the handshake are mirrored", () => {
  expect(MIRRORED.filter(({ descriptor }) => descriptor === EventSchema)).toHaveLength(13);
  expect(OPEN.map(({ name }) => name).sort()).toEqual([
    "AaepdCapability",
    "Capabilities",
    "ClarificationReply",
    "ConfirmationReply",
    "Event",
    "ProducerManifest",
    "SubscriptionClose",
    "SubscriptionRenegotiate",
    "SubscriptionRequest",
  ]);
  expect(CLOSED.map(({ name }) => name).sort()).toEqual([
    "AaepdCheckpoint",
    "AaepdError",
    "AaepdHeartbeat",
    "AaepdLeave",
    "AaepdListPending",
    "AaepdPending",
    "AaepdRepeat",
    "AaepdReplyNotTaken",
    "AaepdSkip",
    "AaepdStop",
    "SubscriptionAccepted",
    "SubscriptionRejected",
  ]);
});

test("a valid document is the same after ten ways across, and after one by way of a message", () => {
  // Each of them has its turn, however few the cases.
  for (const { schema, descriptor } of MIRRORED)
    fc.assert(
      fc.property(valuesOf(schema) as fc.Arbitrary<Record<string, unknown>>, (document) => {
        const wanted = canonicalJson(typed(descriptor, document));
        let bytes = encodeDocument(descriptor, document);
        for (let time = 0; time < 10; time++) {
          const back = decodeDocument(descriptor, bytes);
          if (canonicalJson(back) !== wanted) expect(back).toEqual(document);
          bytes = encodeDocument(descriptor, back);
        }
        const plain = withoutMarks(typed(descriptor, document));
        const message = documentOf(descriptor, messageOf(descriptor, plain));
        if (canonicalJson(message) !== canonicalJson(plain)) expect(message).toEqual(plain);
      }),
      { numRuns: Math.ceil(casesOf(3000) / MIRRORED.length) },
    );
  expect(MIRRORED.length).toBeGreaterThan(30);
});

describe.each(OPEN)("$name", (descriptor) => {
  test("any JSON object becomes a message and the same object again", () => {
    fc.assert(
      fc.property(anyDocument(descriptor), (document) => {
        const back = thereAndBack(descriptor, document);
        if (canonicalJson(back) !== canonicalJson(typed(descriptor, document))) {
          expect(back).toEqual(typed(descriptor, document));
        }
        expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
      }),
      RUNS,
    );
  });

  test("the library knows every field of what is written, and what it writes again is the same document", () => {
    fc.assert(
      fc.property(anyDocument(descriptor), (document) => {
        const plain = withoutMarks(typed(descriptor, document));
        const message = messageOf(descriptor, plain);
        expect(message.$unknown).toBeUndefined();
        const back = documentOf(descriptor, message);
        if (canonicalJson(back) !== canonicalJson(plain)) expect(back).toEqual(plain);
      }),
      RUNS,
    );
  });
});

describe.each(CLOSED)("$name", (descriptor) => {
  test("any JSON object is kept whole, or refused with the member that has no place", () => {
    fc.assert(
      fc.property(anyDocument(descriptor), (document) => {
        try {
          const back = thereAndBack(descriptor, document);
          const wanted = {
            ...(descriptor.name === "AaepdPending" ? { questions: [] } : {}),
            ...typed(descriptor, document),
          };
          expect(canonicalJson(back)).toBe(canonicalJson(wanted));
        } catch (caught) {
          if (!(caught instanceof Fault)) throw caught;
          expect(caught.code).toBe("invalid_message");
          expect(caught.pointer).toMatch(/^\//);
        }
      }),
      RUNS,
    );
  });
});

describe.each(DESCRIPTORS)("$name", (descriptor) => {
  test("a well-formed message becomes a document and an equal message again", () => {
    fc.assert(
      fc.property(wellFormedMessages(descriptor), (message) => {
        const document = documentOf(descriptor, message);
        expect(equals(descriptor, messageOf(descriptor, document), message)).toBe(true);
      }),
      RUNS,
    );
  });
});
