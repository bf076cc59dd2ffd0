// Makes gen/: types and validators without libraries from the schemas, and messages from proto/. Makes docs/reference/ from the schemas, from tables
// of the source and from those of generate/data, and man/ from the help of the commands. `--check` writes nothing, names the stale files and exits 1 if there are any.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesBelow, messageFiles } from "./generate/buf.mjs";
import { catalogue, readSchemas } from "./generate/flatten.mjs";
import { manPages } from "./generate/man-pages.mjs";
import { referencePages } from "./generate/reference/pages.mjs";
import { typesFile } from "./generate/types.mjs";
import { validatorFiles } from "./generate/validators.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
/** The folders of schemas/ with a folder of the same name in gen/. */
const PARTS = ["aaep", "a2e", "akashik"];
/** The folders in which everything is generated, so that a file that is no longer made is removed. */
const WHOLE = [...PARTS.map((part) => `gen/${part}/v1`), "docs/reference"];

/** The text of every generated file by its path from the root of the project. */
async function generated() {
  const files = new Map();
  for (const part of PARTS) {
    const schemas = catalogue(readSchemas(join(ROOT, "schemas", part)));
    files.set(`gen/${part}/types.d.ts`, await typesFile(schemas.named));
    for (const [name, text] of Object.entries(validatorFiles(schemas, "./types.js")))
      files.set(`gen/${part}/${name}`, text);
    if (part === "aaep") for (const [path, text] of await referencePages(ROOT, schemas)) files.set(path, text);
  }
  for (const [path, text] of messageFiles(ROOT)) files.set(path, text);
  return files;
}

/** Files of the folders that are no longer made. */
function leftOver(folders, files) {
  return folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
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

/** Writes the files, or names those that are stale, and does the same for what is no longer made in the folders. */
function update(files, folders) {
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
  for (const path of leftOver(folders, files)) {
    if (checking) {
      console.error(`${path} is no longer generated: run \`npm run generate\` and commit the result`);
      staleCount++;
    } else {
      rmSync(join(ROOT, path));
      console.log(`removed ${path}`);
    }
  }
}

update(await generated(), WHOLE);
// The command line is compiled with what was just generated.
update(await manPages(ROOT), ["man"]);
if (staleCount > 0) process.exitCode = 1;
