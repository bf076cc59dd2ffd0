// Reads a folder of JSON Schemas and makes each self-contained: references inlined, `allOf` merged, `unevaluatedProperties` turned into
// `additionalProperties`.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Keywords that hold values, which are no schemas. */
const VALUES = new Set(["enum", "const", "default", "examples"]);

/** All schemas under `folder`, by `$id`, in the order of their paths. */
export function readSchemas(folder) {
  const paths = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith(".schema.json"))
    .sort();
  const schemas = new Map();
  for (const path of paths) {
    const schema = JSON.parse(readFileSync(join(folder, path), "utf8"));
    if (schemas.has(schema.$id)) throw new Error(`${path}: a second schema with the $id ${schema.$id}`);
    schemas.set(schema.$id, schema);
  }
  return schemas;
}

/** The schema that `reference` names, and the `$id` to which its own references are relative. */
function resolve(schemas, reference, base) {
  const [id, fragment = ""] = reference.split("#");
  const document = id === "" ? base : id;
  let target = schemas.get(document);
  for (const step of fragment.split("/").slice(1)) target = target?.[step];
  if (target === undefined) throw new Error(`${base}: nothing at ${reference}`);
  return { target, base: document };
}

/**
 * A copy of `schema` without references. `keep(target)` may return a replacement for a referenced schema, which is then not inlined. Members beside a
 * `$ref` override those of its target. Of two descriptions, that of a pattern becomes `form`.
 */
export function inlined(schemas, schema, base, keep = () => undefined) {
  if (Array.isArray(schema)) return schema.map((item) => inlined(schemas, item, base, keep));
  if (typeof schema !== "object" || schema === null) return schema;
  if (typeof schema.$ref === "string") {
    const { $ref, ...beside } = schema;
    const found = resolve(schemas, $ref, base);
    const kept = keep(found.target);
    if (kept !== undefined) return kept;
    const { $id, $schema, $defs, ...target } = found.target;
    const merged = { ...inlined(schemas, target, found.base, keep), ...inlined(schemas, beside, base, keep) };
    // The description of a pattern tells its form, and the one beside the reference the meaning of the member. Errors need the form.
    if (target.pattern === undefined || beside.description === undefined) return merged;
    return { ...merged, form: target.description };
  }
  const copy = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$id" || key === "$schema" || key === "$defs") continue;
    copy[key] = VALUES.has(key) ? value : inlined(schemas, value, base, keep);
  }
  return copy;
}

/** The flat form of the schema `id`: its references and the parts of its `allOf` in one object. */
export function flattened(schemas, id, keep) {
  const { allOf = [], unevaluatedProperties, ...own } = inlined(schemas, schemas.get(id), id, keep);
  const flat = { ...own };
  for (const part of allOf) {
    flat.type ??= part.type;
    flat.required = [...new Set([...(part.required ?? []), ...(flat.required ?? [])])];
    flat.properties = { ...part.properties, ...flat.properties };
    // A closed object needs no list of forbidden names.
    if (unevaluatedProperties !== false)
      flat.patternProperties = { ...part.patternProperties, ...flat.patternProperties };
  }
  if (unevaluatedProperties === false) flat.additionalProperties = false;
  return flat;
}

/** The part of the schema `id` beyond its `allOf`. `known` are all permitted names, if the schema is closed. */
export function ownPart(schemas, id, keep) {
  const { allOf = [], unevaluatedProperties, ...own } = inlined(schemas, schemas.get(id), id, keep);
  if (unevaluatedProperties !== false) return own;
  const known = allOf.flatMap((part) => Object.keys(part.properties ?? {}));
  return { ...own, known: [...new Set([...known, ...Object.keys(own.properties ?? {})])] };
}

/**
 * The three forms for the generators, each a Map from title to schema: `flat` has everything inlined, `named` refers to titled schemas by their
 * title, `own` does the same and leaves the envelope out.
 */
export function catalogue(schemas) {
  const flat = new Map();
  const named = new Map();
  const own = new Map();
  const parts = new Map();
  const titleOf = new Map([...schemas.values()].map((schema) => [schema, schema.title]));
  const definitions = [...schemas.values()].flatMap((schema) => Object.values(schema.$defs ?? {}));
  for (const definition of definitions) if (definition.title !== undefined) titleOf.set(definition, definition.title);
  const home = (target) =>
    [...schemas.values()].find((schema) => schema === target || Object.values(schema.$defs ?? {}).includes(target));
  const keep = (target) => {
    const title = titleOf.get(target);
    // The envelope is merged into every event, never referred to.
    if (title === undefined || title === "Envelope") return undefined;
    if (!parts.has(title)) {
      parts.set(title, {});
      const { $id, $schema, $defs, ...body } = target;
      parts.set(title, inlined(schemas, body, home(target).$id, keep));
    }
    return { $ref: title };
  };
  for (const [id, schema] of schemas) {
    // Collections of definitions, and second names of another schema, are no messages.
    if (schema.type === undefined && schema.allOf === undefined) continue;
    flat.set(schema.title, flattened(schemas, id));
    named.set(schema.title, flattened(schemas, id, keep));
    own.set(schema.title, ownPart(schemas, id, keep));
  }
  for (const [title, part] of parts) {
    if (!named.has(title)) named.set(title, part);
    if (!own.has(title)) own.set(title, part);
  }
  return { flat, named, own };
}
