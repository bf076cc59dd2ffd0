// The schemas of Akashik and the validators made from them: they agree on any message of an agent, and on each with one member spoiled.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as schemas from "#gen/akashik/schemas.js";
import * as validators from "#gen/akashik/validators.js";
import { type Schema, schemaFaults } from "../../../../src/base/schema/schema-faults.js";
import { type Json, mutations } from "../../../schemas/fixtures.js";
import { casesOf } from "../../../support/extent.js";
import { isAsPublished, sourcesOf } from "../../../support/published-schemas.js";
import { flatSchemas, valuesOf } from "../../../support/schema-values.js";

const REQUESTS = [...flatSchemas("akashik")].filter(([title]) => title.endsWith("Request"));
const VALIDATORS = new Map<string, (value: unknown) => boolean>(Object.entries(validators));
const PLAIN = new Map<string, Schema>(Object.entries(schemas));

it.each([...sourcesOf("akashik")])("%s is of 2020-12, under the id of its file", (name, { $id, $schema }) => {
  expect($schema).toBe("https://json-schema.org/draft/2020-12/schema");
  expect($id).toBe(`https://aaepd.dev/schemas/akashik/v1/${name}`);
});

describe.each(REQUESTS)("%s", (title, form) => {
  const [isValid, schema] = [VALIDATORS.get(`is${title}`), PLAIN.get(title)];
  const verdictsOf = (value: unknown) => [
    isAsPublished("akashik", title, value),
    isValid?.(value),
    schema && schemaFaults(schema, value).length === 0,
  ];

  it("is judged alike by the schema, the validator and the interpreter", () => {
    fc.assert(
      fc.property(valuesOf(form), (value) => {
        expect(verdictsOf(value)).toEqual([true, true, true]);
        for (const spoiled of mutations(value as Json))
          expect([spoiled, new Set(verdictsOf(spoiled)).size]).toEqual([spoiled, 1]);
      }),
      { numRuns: casesOf(40) },
    );
  });
});
