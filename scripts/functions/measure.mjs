// Measures the functions of a source text.
import { parseAst } from "rolldown/parseAst";

/**
 * The functions of a TypeScript source by their names: `{ line, length }`. The length counts lines of code: neither empty ones nor those that are comment
 * alone. A function within another has both names; one without a name has that of what it is assigned or handed to.
 */
export function functionsIn(source, name) {
  const lines = source.split("\n");
  const lineOf = (offset) => source.slice(0, offset).split("\n").length;
  const found = new Map();
  const walk = (node, path) => {
    if (Array.isArray(node)) for (const one of node) walk(one, path);
    else if (typeof node === "object" && node !== null) {
      const inner = [...path, ...nameOf(node)];
      if (node.body?.type === "BlockStatement" && Array.isArray(node.params)) {
        const [first, last] = [lineOf(node.start), lineOf(node.end)];
        found.set(unique(inner.join("."), found), {
          line: first,
          length: lines.slice(first - 1, last).filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line)).length,
        });
      }
      for (const child of Object.values(node)) walk(child, inner);
    }
  };
  walk(parseAst(source, { lang: "ts" }, name), []);
  return found;
}

/** A function declaration or a class has an id, a member a key, and a call what it calls. */
function nameOf({ id, key, callee }) {
  const name = id?.name ?? key?.name ?? callee?.property?.name ?? callee?.name;
  return name === undefined ? [] : [name];
}

/** The second of a name is told from the first by its number. */
function unique(name, taken) {
  let number = 1;
  while (taken.has(number === 1 ? name : `${name}#${number}`)) number++;
  return number === 1 ? name : `${name}#${number}`;
}
