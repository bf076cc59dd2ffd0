// Makes gen/: types and validators without libraries from the schemas, and messages from proto/. `--check` writes nothing, names the stale files and
// exits 1 if there are any.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesBelow, messageFiles } from "./generate/buf.mjs";
import { catalogue, readSchemas } from "./generate/flatten.mjs";
import { typesFile } from "./generate/types.mjs";
import { validatorFiles } from "./generate/validators.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
/** The folders of schemas/ with a folder of the same name in gen/. */
const PARTS = ["aaep", "a2e", "akashik"];
/** The folders in which everything comes from proto/. */
const MESSAGES = PARTS.map((part) => `gen/${part}/v1`);

/** The text of every generated file by its path from the root of the project. */
async function generated() {
  const files = new Map();
  for (const part of PARTS) {
    const schemas = catalogue(readSchemas(join(ROOT, "schemas", part)));
    files.set(`gen/${part}/types.d.ts`, await typesFile(schemas.named));
    for (const [name, text] of Object.entries(validatorFiles(schemas, "./types.js")))
      files.set(`gen/${part}/${name}`, text);
  }
  for (const [path, text] of messageFiles(ROOT)) files.set(path, text);
  return files;
}

/** Files among the messages that no proto file makes any more. */
function leftOver(files) {
  return MESSAGES.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    filesBelow(join(ROOT, folder))
      .map((name) => `${folder}/${name}`)
      .filter((path) => !files.has(path)),
  );
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
const files = await generated();
for (const [path, text] of files) {
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
for (const path of leftOver(files)) {
  if (checking) {
    console.error(`${path} is made by no proto file: run \`npm run generate\` and commit the result`);
    staleCount++;
  } else {
    rmSync(join(ROOT, path));
    console.log(`removed ${path}`);
  }
}
if (staleCount > 0) process.exitCode = 1;
