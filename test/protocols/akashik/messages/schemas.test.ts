// The schemas of Akashik and the validators made from them: they agree on good examples, on bad ones, and on every example with one member spoiled.
import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import * as diagnosis from "#gen/akashik/diagnosis.js";
import * as validators from "#gen/akashik/validators.js";
import { mutations } from "../../../schemas/fixtures.js";
import { EXAMPLES } from "./examples.js";
import { SCHEMAS } from "./forms.js";

const FOLDER = new URL("../../../../schemas/akashik/", import.meta.url);
const BASE = "https://aaepd.dev/schemas/akashik/v1/";
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".schema.json"));

interface Source {
  readonly $id: string;
  readonly $schema: string;
  readonly title: string;
}
const SOURCES = new Map(
  FILES.map((name) => [name, JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as Source] as const),
);
const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true, schemas: [...SOURCES.values()] });

function published(title: string): ValidateFunction {
  const source = [...SOURCES.values()].find((one) => one.title === title);
  const found = source === undefined ? undefined : ajv.getSchema(source.$id);
  if (found === undefined) throw new Error(`no schema ${title}`);
  return found;
}

const isValid = (title: string, value: unknown): boolean =>
  (validators as unknown as Record<string, (value: unknown) => boolean>)[`is${title}`]?.(value) ?? false;
const diagnose = (title: string, value: unknown): readonly unknown[] =>
  (diagnosis as unknown as Record<string, (value: unknown) => readonly unknown[]>)[`diagnose${title}`]?.(value) ?? [];

/** The verdict of the published schema, of the validator, and of the diagnosis. */
const verdicts = (title: string, value: unknown): readonly boolean[] => [
  published(title)(value),
  isValid(title, value),
  diagnose(title, value).length === 0,
];

it.each([...SOURCES])("%s is of 2020-12, under the id of its file", (name, { $id, $schema }) => {
  expect($schema).toBe("https://json-schema.org/draft/2020-12/schema");
  expect($id).toBe(`${BASE}${name}`);
});

it("each schema has examples", () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual([...SCHEMAS.keys()].sort());
});

describe.each(Object.entries(EXAMPLES))("%s", (title, { good, bad }) => {
  it("allows the good examples and forbids the bad ones", () => {
    for (const example of good) expect([example, ...verdicts(title, example)]).toEqual([example, true, true, true]);
    for (const example of bad) expect([example, ...verdicts(title, example)]).toEqual([example, false, false, false]);
  });

  it("is judged as published, with any member spoiled", () => {
    for (const example of good) {
      for (const spoiled of mutations({ ...example })) {
        const [wanted] = verdicts(title, spoiled);
        expect([spoiled, ...verdicts(title, spoiled)]).toEqual([spoiled, wanted, wanted, wanted]);
      }
    }
  });
});
