// Makes gen/ from the schemas: types, and validators that need no library. `--check` writes nothing, names what is stale and exits 1.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { catalogue, readSchemas } from "./generate/flatten.mjs";
import { typesFile } from "./generate/types.mjs";
import { validatorFiles } from "./generate/validators.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
/** The folders of schemas/ that have a folder of the same name in gen/. */
const PARTS = ["aaep"];

/** Every generated file's text by its path from the root of the project. */
async function generated() {
  const files = new Map();
  for (const part of PARTS) {
    const schemas = catalogue(readSchemas(join(ROOT, "schemas", part)));
    files.set(`gen/${part}/types.d.ts`, await typesFile(schemas.named));
    for (const [name, text] of Object.entries(validatorFiles(schemas, "./types.js")))
      files.set(`gen/${part}/${name}`, text);
  }
  return files;
}

function textOf(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

const checking = process.argv.includes("--check");
let staleCount = 0;
for (const [path, text] of await generated()) {
  if (textOf(join(ROOT, path)) === text) continue;
  if (checking) {
    console.error(`${path} is stale: run \`npm run generate\` and commit the result`);
    staleCount++;
  } else {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
    console.log(`wrote ${path}`);
  }
}
if (staleCount > 0) process.exitCode = 1;
