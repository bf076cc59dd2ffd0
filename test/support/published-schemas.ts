// The schemas of schemas/, as Ajv reads them without our generator.
import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

export type Part = "aaep" | "a2e" | "akashik";

export interface Source {
  readonly $id: string;
  readonly $schema: string;
  readonly title: string;
}

/** The schemas of a part by their paths in its folder, in the order of the paths. */
export function sourcesOf(part: Part): ReadonlyMap<string, Source> {
  const folder = new URL(`../../schemas/${part}/`, import.meta.url);
  const paths = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith(".schema.json"))
    .sort();
  return new Map(paths.map((path) => [path, JSON.parse(readFileSync(new URL(path, folder), "utf8")) as Source]));
}

const READERS = new Map<Part, { readonly ajv: Ajv2020; readonly ids: ReadonlyMap<string, string> }>();

function readerOf(part: Part) {
  const known = READERS.get(part);
  if (known !== undefined) return known;
  const sources = [...sourcesOf(part).values()];
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    schemas: sources,
  });
  const reader = { ajv, ids: new Map(sources.map(({ title, $id }) => [title, $id])) };
  READERS.set(part, reader);
  return reader;
}

/** The schema of that title, ready to validate. */
export function published(part: Part, title: string): ValidateFunction {
  const { ajv, ids } = readerOf(part);
  const found = ajv.getSchema(ids.get(title) ?? "");
  if (found === undefined) throw new Error(`no schema ${title}`);
  return found;
}

/** Whether the schema of that title allows the value. */
export function isAsPublished(part: Part, title: string, value: unknown): boolean {
  return published(part, title)(value) === true;
}
