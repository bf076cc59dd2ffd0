// Any request that the schemas allow says typed what its JSON says. What the Field sends is checked wherever a test hears it (wire-check.ts).
import { fromBinary, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, it } from "vitest";
import { EnvelopeSchema } from "#gen/akashik/v1/akashik_service_pb.js";
import { OPERATIONS, type Operation } from "../../../../src/protocols/akashik/messages/envelope.js";
import { Refused } from "../../../../src/protocols/akashik/messages/error-codes.js";
import { readRequest } from "../../../../src/protocols/akashik/messages/requests.js";
import { textOfEnvelope } from "../../../../src/protocols/akashik/services/akashik-service.js";
import { casesOf } from "../../../support/extent.js";
import { flatSchemas, type Schema, valuesOf } from "../../../support/schema-values.js";
import { envelope } from "../messages/envelopes.js";
import { withoutNulls } from "../wire-check.js";

const SCHEMAS = flatSchemas("akashik");

/** The schema of values without members of their own. */
function closed(schema: Schema): Schema {
  const { properties, items } = schema;
  const members = Object.entries(properties ?? {}).map(([name, member]) => [name, closed(member)] as const);
  return {
    ...schema,
    ...(items && { items: closed(items) }),
    ...(properties && { additionalProperties: false, properties: Object.fromEntries(members) }),
  };
}

/** What the Field reads in a payload, or the code of its refusal. */
function readOf(operation: Operation, payload: JsonObject): unknown {
  try {
    return withoutNulls(readRequest({ operation, payload }));
  } catch (caught) {
    return caught instanceof Refused ? caught.code : caught;
  }
}

it.each(
  OPERATIONS.flatMap((operation) => {
    const title = `${operation[0]}${operation.slice(1).toLowerCase()}`;
    const titles = operation === "SUBSCRIBE" ? ["Subscribe", "Unsubscribe", "List"] : [title];
    return titles.map((one) => [operation, `Akashik${one}Request`] as const);
  }),
)("%s of %s", (operation, title) => {
  fc.assert(
    fc.property(valuesOf(closed(SCHEMAS.get(title) ?? {})), (value) => {
      const payload = JSON.parse(JSON.stringify(value)) as JsonObject;
      const { protocol: _, payload: written, ...outer } = envelope(operation, payload) as JsonObject;
      const typed = fromJson(EnvelopeSchema, {
        ...outer,
        [`${operation.toLowerCase()}Request`]: written,
      } as JsonObject);
      const back = JSON.parse(textOfEnvelope(fromBinary(EnvelopeSchema, toBinary(EnvelopeSchema, typed))));
      expect(readOf(operation, back.payload)).toEqual(readOf(operation, payload));
    }),
    { numRuns: casesOf(300) },
  );
});
