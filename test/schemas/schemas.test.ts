import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as schemas from "#gen/aaep/schemas.js";
import * as validators from "#gen/aaep/validators.js";
import { type Schema, schemaFaults } from "../../src/base/schema/schema-faults.js";
import { isTried } from "../support/extent.js";
import { published, sourcesOf } from "../support/published-schemas.js";
import { EXAMPLE_NAMES, example, mutations } from "./fixtures.js";

const ROOT = new URL("../../", import.meta.url);
const BASE = "https://aaep-protocol.org/schemas/v1/";
const SOURCES = sourcesOf("aaep");

/** The title of an example's schema, by its file name. */
function titleOf(name: string): string {
  const base = name.replace(/\.\d+$/, "");
  const folder = base.startsWith("agent.") ? "core/" : base === "producer.manifest" ? "" : "handshake/";
  const source = SOURCES.get(`${folder}${base}.schema.json`);
  if (source === undefined) throw new Error(`no schema of ${name}`);
  return source.title;
}

/** The generated validator; undefined where nobody calls one. */
const validatorOf = (title: string) =>
  ({ ...validators })[`is${title}` as keyof typeof validators] as ((value: unknown) => boolean) | undefined;
const schemaOf = (title: string) => ({ ...schemas })[title as keyof typeof schemas] as Schema | undefined;

/** What the schema of a title says of a value: as published, by the generated validator, and by the interpreter. */
function verdicts(name: string, value: unknown): readonly boolean[] {
  const title = titleOf(name);
  const validator = validatorOf(title);
  const schema = schemaOf(title);
  const verdict = published("aaep", title)(value) === true;
  if (validator === undefined || schema === undefined) return [verdict];
  // An event's envelope is explained apart from its payload.
  const parts = name.startsWith("agent.") ? [schema, schemas.Envelope] : [schema];
  return [verdict, validator(value), parts.every((part) => schemaFaults(part, value).length === 0)];
}

describe("the published schemas", () => {
  it.each([...SOURCES])("%s is valid 2020-12 under its published id", (path, { $schema, $id, title }) => {
    expect($schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect($id).toBe(`${BASE}${path}`);
    expect(typeof published("aaep", title)).toBe("function");
  });

  it("cover the twelve core types", () => {
    expect([...SOURCES.keys()].filter((path) => path.startsWith("core/"))).toHaveLength(12);
  });

  it.each(EXAMPLE_NAMES)("accept the chapters' example %s", (name) => {
    expect(new Set(verdicts(name, example(name)))).toEqual(new Set([true]));
  });

  it.each(EXAMPLE_NAMES)("say the same as the generated validators of every way to spoil %s", (name) => {
    let refused = 0;
    const row = EXAMPLE_NAMES.indexOf(name);
    for (const spoilt of mutations(example(name)).filter((_, column) => isTried(row, column, 4, 1))) {
      const [expected, ...others] = verdicts(name, spoilt);
      if (!expected) refused++;
      expect([others.every((other) => other === expected), spoilt]).toEqual([true, spoilt]);
    }
    expect(refused).toBeGreaterThan(0);
  });

  it("have a validator and a schema for all examples but that of capabilities, which are part of requests", () => {
    const lacking = EXAMPLE_NAMES.filter((name) => verdicts(name, {}).length === 1);
    expect(lacking).toEqual(["capabilities"]);
  });
});

describe("the generated code", () => {
  it.each(["validators.js", "schemas.js"])("%s leans on no library", (file) => {
    const code = readFileSync(new URL(`gen/aaep/${file}`, ROOT), "utf8");
    expect(code).not.toMatch(/\bimport\b|\brequire\(/);
  });
});
