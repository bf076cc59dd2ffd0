// The syntax tree of a TypeScript source, without its types.
import { parseAst } from "rolldown/parseAst";

/** Expressions with a type beside them. Every other node whose name begins with TS is only a type. */
const TYPED = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);
const WITHOUT_CODE = new Set(["ImportDeclaration", "ExportAllDeclaration", "ImportExpression", "MetaProperty"]);
/** Names, and the file that an export names. */
const WRITTEN = new Set(["key", "property", "source"]);

/** The tree of a source, with offsets in UTF-16 units. Throws if the text is not TypeScript. */
export function parse(source, path) {
  return parseAst(source, { lang: "ts" }, path);
}

/** Calls `enter(node, parents)` for each node that becomes code, outer nodes first. `parents` begins with the nearest. */
export function walk(node, enter, parents = []) {
  if (node.type.startsWith("TS") && !TYPED.has(node.type)) return;
  if (WITHOUT_CODE.has(node.type)) return;
  enter(node, parents);
  const around = [node, ...parents];
  for (const [name, child] of Object.entries(node)) {
    // A written name offers no alternative.
    if (WRITTEN.has(name) && !node.computed) continue;
    for (const one of Array.isArray(child) ? child : [child])
      if (typeof one?.type === "string") walk(one, enter, around);
  }
}
