import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import * as diagnosis from "#gen/aaep/diagnosis.js";
import * as validators from "#gen/aaep/validators.js";
import { itInFull } from "../support/extent.js";
import { EXAMPLE_NAMES, example, mutations } from "./fixtures.js";

const ROOT = new URL("../../", import.meta.url);
const BASE = "https://aaep-protocol.org/schemas/v1/";
const SCHEMAS = new URL("schemas/aaep/", ROOT);
const PATHS = readdirSync(SCHEMAS, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".json"))
  .sort();

interface Source {
  readonly $id: string;
  readonly $schema: string;
  readonly title?: string;
}
const read = (path: string): Source => JSON.parse(readFileSync(new URL(path, SCHEMAS), "utf8")) as Source;
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allowUnionTypes: true,
  schemas: PATHS.map(read),
});

/** The schema of an example, by its file name. */
function schemaPath(name: string): string {
  const base = name.replace(/\.\d+$/, "");
  if (base.startsWith("agent.")) return `core/${base}.schema.json`;
  return base === "producer.manifest" ? `${base}.schema.json` : `handshake/${base}.schema.json`;
}

function sourceOf(path: string): ValidateFunction {
  const found = ajv.getSchema(`${BASE}${path}`);
  if (found === undefined) throw new Error(`no schema ${path}`);
  return found;
}

const generated = (prefix: string, path: string) => {
  const module: Record<string, unknown> = prefix === "is" ? { ...validators } : { ...diagnosis };
  return module[`${prefix}${read(path).title ?? ""}`] as (value: unknown) => unknown;
};

describe("the published schemas", () => {
  it.each(PATHS)("%s is valid 2020-12 under its published id", (path) => {
    expect(read(path).$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(read(path).$id).toBe(`${BASE}${path}`);
    expect(typeof sourceOf(path)).toBe("function");
  });

  it("cover the twelve core types", () => {
    expect(PATHS.filter((path) => path.startsWith("core/"))).toHaveLength(12);
  });

  it.each(EXAMPLE_NAMES)("accept the chapters' example %s", (name) => {
    const validate = sourceOf(schemaPath(name));
    validate(example(name));
    expect(validate.errors ?? []).toEqual([]);
    expect(generated("is", schemaPath(name))(example(name))).toBe(true);
    expect(generated("diagnose", schemaPath(name))(example(name))).toEqual([]);
  });

  it.each(EXAMPLE_NAMES)("say the same as the generated validators of every way to spoil %s", (name) => {
    const validate = sourceOf(schemaPath(name));
    const fast = generated("is", schemaPath(name));
    const full = generated("diagnose", schemaPath(name)) as (value: unknown) => readonly unknown[];
    let refused = 0;
    for (const spoilt of mutations(example(name))) {
      const expected = validate(spoilt);
      if (!expected) refused++;
      expect([fast(spoilt), spoilt]).toEqual([expected, spoilt]);
      // An event's envelope is diagnosed apart from its payload.
      const faults = [...full(spoilt), ...(name.startsWith("agent.") ? diagnosis.diagnoseEnvelope(spoilt) : [])];
      expect([faults.length === 0, spoilt]).toEqual([expected, spoilt]);
    }
    expect(refused).toBeGreaterThan(0);
  });
});

describe("the generated code", () => {
  itInFull("is fresh", () => {
    const script = fileURLToPath(new URL("scripts/generate.mjs", ROOT));
    expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toBe("");
  });

  it.each(["validators.js", "diagnosis.js"])("%s leans on no library", (file) => {
    const code = readFileSync(new URL(`gen/aaep/${file}`, ROOT), "utf8");
    expect(code).not.toMatch(/\bimport\b|\brequire\(/);
  });
});
