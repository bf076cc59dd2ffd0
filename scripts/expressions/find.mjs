// Finds the regular expressions of a source text, and the patterns of JSON Schemas.
import { parseAst } from "rolldown/parseAst";

/** The proof that lets an expression pass that is not shown to be linear, in a comment on the line above it, or as `$comment`. */
const PROOF = /^(?:\s*\/\/ )?Linear: \S.{20}/;

/**
 * All expressions of a TypeScript source: `{ place, pattern, flags, isProven }`, and `{ place, isBuilt: true }` for a `RegExp` made of anything but
 * constant text. `name` is the source's in `place`.
 */
export function expressionsIn(source, name) {
  const lines = source.split("\n");
  const found = [];
  const placed = (node, expression) => {
    const line = source.slice(0, node.start).split("\n").length;
    found.push({ place: `${name}:${line}`, isProven: PROOF.test(lines[line - 2] ?? ""), ...expression });
  };
  const walk = (node) => {
    if (Array.isArray(node)) node.forEach(walk);
    else if (typeof node === "object" && node !== null) {
      if (node.regex) placed(node, node.regex);
      if (isConstructor(node.callee)) placed(node, constantArguments(node.arguments));
      for (const child of Object.values(node)) walk(child);
    }
  };
  walk(parseAst(source, { lang: "ts" }, name));
  return found;
}

function isConstructor(callee) {
  return callee?.name === "RegExp" || callee?.property?.name === "RegExp";
}

function constantArguments([pattern, flags]) {
  const texts = [constantText(pattern), flags === undefined ? "" : constantText(flags)];
  return texts.includes(undefined) ? { isBuilt: true } : { pattern: texts[0], flags: texts[1] };
}

function constantText(node) {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  return node?.type === "TemplateLiteral" && node.expressions.length === 0 ? node.quasis[0].value.cooked : undefined;
}

/** All patterns of a JSON Schema, with the flag of its validators. */
export function patternsIn(schema, place) {
  const found = [];
  const walk = (node, path) => {
    if (typeof node !== "object" || node === null) return;
    const { pattern: own, patternProperties: named = {}, $comment: comment } = node;
    const patterns = typeof own === "string" ? [own, ...Object.keys(named)] : Object.keys(named);
    const isProven = PROOF.test(comment);
    found.push(...patterns.map((pattern) => ({ place: path, pattern, flags: "u", isProven })));
    for (const [key, child] of Object.entries(node)) walk(child, `${path}/${key}`);
  };
  walk(schema, place);
  return found;
}
