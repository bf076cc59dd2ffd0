// The examples of chapters 4 and 5 as data, and ways to break them.
import { readdirSync, readFileSync } from "node:fs";

export type Json = Record<string, unknown>;

const FOLDER = new URL("./examples/", import.meta.url);

/** The names of all examples, without `.json`. */
export const EXAMPLE_NAMES: readonly string[] = readdirSync(FOLDER)
  .map((file) => file.replace(/\.json$/, ""))
  .sort();

/** The examples that are events. */
export const EVENT_NAMES: readonly string[] = EXAMPLE_NAMES.filter((name) => name.startsWith("agent."));

/** A fresh copy of an example. */
export function example(name: string): Json {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8")) as Json;
}

/** A fresh copy with some fields replaced; `undefined` removes one. */
export function altered(name: string, changes: Json): Json {
  const copy = { ...example(name), ...changes };
  for (const key of Object.keys(copy)) if (copy[key] === undefined) delete copy[key];
  return copy;
}

/** Every way to spoil one member of `value`, at any depth: removed, replaced by something else, or joined by a stray one. */
export function mutations(value: Json): readonly Json[] {
  const spoilers: readonly unknown[] = [
    null,
    true,
    -1,
    1.5,
    1e9,
    "",
    "x",
    "ü\n",
    [],
    ["x"],
    {},
    { x: 1 },
    "a".repeat(16_385),
  ];
  const found: Json[] = [];
  const visit = (node: unknown, replaceNode: (next: unknown) => Json): void => {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      node.forEach((item, index) => {
        found.push(replaceNode(node.toSpliced(index, 1)), replaceNode([...node, item]));
        for (const spoiler of spoilers) found.push(replaceNode(node.with(index, spoiler)));
        visit(item, (next) => replaceNode(node.with(index, next)));
      });
      return;
    }
    const object = node as Json;
    for (const key of ["stray", "aaep_stray", "@id", "summary_normal_yo", "description_yo"]) {
      found.push(replaceNode({ ...object, [key]: "stray" }), replaceNode({ ...object, [key]: 5 }));
    }
    for (const [key, item] of Object.entries(object)) {
      const { [key]: _removed, ...rest } = object;
      found.push(replaceNode(rest));
      for (const spoiler of spoilers) found.push(replaceNode({ ...object, [key]: spoiler }));
      visit(item, (next) => replaceNode({ ...object, [key]: next }));
    }
  };
  visit(value, (next) => next as Json);
  return found;
}
