// Makes gen/, which is committed: types, validators without libraries and plain schemas from the schemas, and messages from proto/. Makes what is not
// committed: the pages of docs/reference that follow from the schemas, and man/ from the help of the commands.
// `--check` writes nothing, names the stale files of gen/ and exits 1 if there are any. `--pages` leaves gen/ alone.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesBelow, messageFiles } from "./generate/buf.mjs";
import { catalogue, readSchemas } from "./generate/flatten.mjs";
import { manPages } from "./generate/man-pages.mjs";
import { pythonTypes } from "./generate/python-types.mjs";
import { referencePages } from "./generate/reference/pages.mjs";
import { typesFile } from "./generate/types.mjs";
import { validatorFiles } from "./generate/validators.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
/** The folders of schemas/ with a folder of the same name in gen/. */
const PARTS = ["aaep", "a2e", "akashik"];
/** The titles that files of src/ name in quotes, as keys, or after `is` or `schemas.`, and import from gen/`part`: what nobody names is not made. */
function namedTitles(part) {
  const texts = filesBelow(join(ROOT, "src"))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(ROOT, "src", name), "utf8"));
  const titles = (file, expression) => {
    const importers = texts.filter((text) => text.includes(`#gen/${part}/${file}`));
    return new Set(importers.flatMap((text) => Array.from(text.matchAll(expression), ([, one, key]) => one ?? key)));
  };
  return {
    validated: titles("validators.js", /(?:\bis|")([A-Z]\w*)|\b([A-Z]\w*):/g),
    explained: titles("schemas.js", /(?:\bschemas\.|")([A-Z]\w*)|\b([A-Z]\w*):/g),
  };
}

/** The text of every file of gen/ by its path from the root of the project. */
async function generated() {
  const files = new Map();
  for (const part of PARTS) {
    const schemas = catalogue(readSchemas(join(ROOT, "schemas", part)));
    files.set(`gen/${part}/types.d.ts`, await typesFile(schemas.named));
    for (const [name, text] of Object.entries(validatorFiles(schemas, namedTitles(part))))
      files.set(`gen/${part}/${name}`, text);
  }
  const { named } = catalogue(readSchemas(join(ROOT, "schemas/aaep")));
  files.set("python/src/aaepd/types.py", pythonTypes(named));
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

if (!process.argv.includes("--pages"))
  update(
    await generated(),
    PARTS.map((part) => `gen/${part}`),
  );
if (!checking) {
  // The tables are read, and the command line is compiled, with what was just generated.
  update(await referencePages(ROOT), []);
  update(await manPages(ROOT), ["man"]);
}
if (staleCount > 0) process.exitCode = 1;
