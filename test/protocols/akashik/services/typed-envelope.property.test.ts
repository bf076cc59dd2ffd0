// Any message that the schemas allow: from JSON to protobuf and back it stays the same, and a typed request says what its JSON says.
import { fromBinary, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Envelope, EnvelopeSchema } from "#gen/akashik/v1/akashik_service_pb.js";
import { OPERATIONS, type Operation } from "../../../../src/protocols/akashik/messages/capabilities.js";
import { readRequest } from "../../../../src/protocols/akashik/messages/requests.js";
import { envelopeOf, textOfEnvelope } from "../../../../src/protocols/akashik/services/typed-envelope.js";
import { casesOf } from "../../../support/extent.js";
import { envelope } from "../messages/envelopes.js";
import { FORMS, payloads, REQUESTS, wholeMessages } from "../messages/forms.js";

/** The envelope as the other side has it. */
const sent = (message: Envelope): Envelope => fromBinary(EnvelopeSchema, toBinary(EnvelopeSchema, message));

it("there is a form for each payload of the envelope", () => {
  const fields = EnvelopeSchema.fields.filter(({ oneof }) => oneof !== undefined);
  expect(FORMS.map(({ name }) => name).sort()).toEqual(fields.map(({ localName }) => localName).sort());
});

describe.each(FORMS.map((form) => [form.name, form] as const))("%s", (name, form) => {
  it("from JSON to protobuf and back is the same text", () => {
    fc.assert(
      fc.property(wholeMessages(form), (message) => {
        const text = JSON.stringify(message);
        const typed = envelopeOf(text);
        expect(typed?.payload.case).toBe(name);
        expect(JSON.parse(textOfEnvelope(sent(typed as Envelope)))).toEqual(JSON.parse(text));
      }),
      { numRuns: casesOf(300) },
    );
  });
});

describe.each(REQUESTS.map((form) => [`${form.operation} ${form.schema.title}`, form] as const))("%s", (_, form) => {
  it("says typed what it says in JSON, whichever optional members it has", () => {
    const operation = form.operation as Operation;
    expect(OPERATIONS).toContain(operation);
    fc.assert(
      fc.property(payloads(form), (payload) => {
        const { protocol: _protocol, payload: written, ...outer } = envelope(operation, payload) as JsonObject;
        const typed = fromJson(EnvelopeSchema, { ...outer, [form.name]: written } as JsonObject);
        const back = JSON.parse(textOfEnvelope(sent(typed))) as { readonly payload: JsonObject };
        const parsed = JSON.parse(JSON.stringify(payload)) as JsonObject;
        expect(readRequest({ operation, payload: back.payload })).toEqual(readRequest({ operation, payload: parsed }));
      }),
      { numRuns: casesOf(300) },
    );
  });
});
