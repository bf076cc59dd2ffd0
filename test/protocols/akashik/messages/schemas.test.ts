// The schemas of Akashik and the validators made from them: they agree on good examples, on bad ones, and on every example with one member spoiled.
import { describe, expect, it } from "vitest";
import * as schemas from "#gen/akashik/schemas.js";
import * as validators from "#gen/akashik/validators.js";
import { type Schema, schemaFaults } from "../../../../src/base/schema/schema-faults.js";
import { mutations } from "../../../schemas/fixtures.js";
import { published, sourcesOf } from "../../../support/published-schemas.js";
import { EXAMPLES } from "./examples.js";
import { SCHEMAS } from "./forms.js";

const BASE = "https://aaepd.dev/schemas/akashik/v1/";
const SOURCES = sourcesOf("akashik");
const VALIDATORS = new Map<string, (value: unknown) => boolean>(Object.entries(validators));
const PLAIN = new Map<string, Schema>(Object.entries(schemas));

/** The verdict of the published schema, and for what agents send of the validator and of the interpreter. */
function verdicts(title: string, value: unknown): readonly boolean[] {
  const isValid = VALIDATORS.get(`is${title}`);
  const schema = PLAIN.get(title);
  const found = [published("akashik", title)(value) === true];
  if (isValid !== undefined) found.push(isValid(value));
  if (schema !== undefined) found.push(schemaFaults(schema, value).length === 0);
  return found;
}

it.each([...SOURCES])("%s is of 2020-12, under the id of its file", (name, { $id, $schema }) => {
  expect($schema).toBe("https://json-schema.org/draft/2020-12/schema");
  expect($id).toBe(`${BASE}${name}`);
});

it("every message of an agent has a validator and a schema", () => {
  const requests = [...SCHEMAS.keys()].filter((title) => title.endsWith("Request"));
  expect([...PLAIN.keys()]).toEqual(requests);
  expect([...VALIDATORS.keys()]).toEqual(requests.map((title) => `is${title}`));
});

it("each schema has examples", () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual([...SCHEMAS.keys()].sort());
});

describe.each(Object.entries(EXAMPLES))("%s", (title, { good, bad }) => {
  it("allows the good examples and forbids the bad ones", () => {
    for (const example of good)
      expect([example, new Set(verdicts(title, example))]).toEqual([example, new Set([true])]);
    for (const example of bad)
      expect([example, new Set(verdicts(title, example))]).toEqual([example, new Set([false])]);
  });

  it("is judged as published, with any member spoiled", () => {
    for (const example of good) {
      for (const spoiled of mutations({ ...example })) {
        expect([spoiled, new Set(verdicts(title, spoiled)).size]).toEqual([spoiled, 1]);
      }
    }
  });
});
