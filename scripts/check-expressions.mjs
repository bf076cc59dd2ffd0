// Checks that every regular expression over input is linear (R34): those of src/ and transports/, and the patterns of schemas/, from which the
// validators in gen/ are made. Exits 1 if one may take longer.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expressionsIn, patternsIn } from "./expressions/find.mjs";
import { complaintOf } from "./expressions/judge.mjs";
import { readSchemas } from "./generate/flatten.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

const sources = ["src", "transports"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(folder, path).replaceAll("\\", "/"))
    .sort(),
);
const expressions = [
  ...sources.flatMap((path) => expressionsIn(readFileSync(join(ROOT, path), "utf8"), path)),
  ...Array.from(readSchemas(join(ROOT, "schemas"))).flatMap(([id, schema]) => patternsIn(schema, id)),
];
const complaints = expressions.flatMap((expression) => {
  const complaint = complaintOf(expression);
  return complaint === undefined ? [] : [`${expression.place}: ${complaint}`];
});
for (const complaint of complaints) console.error(`expressions: ${complaint}`);
if (complaints.length > 0) process.exitCode = 1;
else console.log(`expressions: ${expressions.length} are linear`);
