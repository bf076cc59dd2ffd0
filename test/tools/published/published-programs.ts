// AAEP's own published programs, from PyPI, in an environment of their own. Nothing of them is changed.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { succeed } from "../package/stage.js";

const PACKAGES = [
  ...["aaep-conformance", "aaep-cli-debug", "aaep-minimal-producer", "aaep-anthropic-sdk-producer"],
  ...["aaep-langchain-producer", "aaep-maf-producer", "aaep-mcp-bridge", "aaep-tools", "aaep-otel-bridge[otel]"],
]
  .map((name) => `${name}==1.0.0`)
  .concat("aaep-narrator-bridge==0.1.0");
const SCHEMAS = fileURLToPath(new URL("../../../schemas/aaep/", import.meta.url));
const BASE = "https://aaep-protocol.org/schemas/v1/";

/** The folder of their commands. */
export async function installedPrograms(): Promise<string> {
  const folder = temporaryDirectory();
  await succeed(folder, "python3", "-m", "venv", "python");
  await succeed(folder, join(folder, "python/bin/pip"), "install", "--quiet", "--no-compile", ...PACKAGES);
  addSchemas(join(folder, "python/lib"));
  return join(folder, "python/bin");
}

/** The suite's wheel lacks the schemas that the suite reads. It knows no other file from one of them. */
function addSchemas(libraries: string): void {
  const [python = ""] = readdirSync(libraries);
  const into = join(libraries, python, "site-packages/aaep_conformance/checks/schemas");
  const { $defs: definitions } = schema("definitions.schema.json") as { readonly $defs: object };
  const { $id: _, ...envelope } = schema("envelope.schema.json");
  const core = readdirSync(join(SCHEMAS, "core")).map((name) => `core/${name}`);
  expect(core.length).toBeGreaterThan(10);
  for (const name of ["envelope.schema.json", ...core]) {
    const whole = { ...schema(name), $defs: { ...definitions, envelope } };
    const text = JSON.stringify(whole)
      .replaceAll(`"$ref":"${BASE}definitions.schema.json#`, '"$ref":"#')
      .replaceAll(`"$ref":"${BASE}envelope.schema.json"`, '"$ref":"#/$defs/envelope"');
    mkdirSync(dirname(join(into, name)), { recursive: true });
    writeFileSync(join(into, name), text);
  }
}

function schema(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(SCHEMAS, name), "utf8")) as Readonly<Record<string, unknown>>;
}
