// The blocks of a source: stretches of code that run as a whole or not at all. A counter in each shows which tests reach it.
import { parse, walk } from "./syntax.mjs";

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const LOOPS = new Set(["ForStatement", "ForOfStatement", "ForInStatement", "WhileStatement", "DoWhileStatement"]);

/**
 * Returns all blocks, outer ones before inner ones: `{ key, start, end, at, around }`. The first is the file itself. `key` is the name of the
 * enclosing function and the block's number in it, so that a change elsewhere in the file leaves the key unchanged. `around` is the text that a
 * counter at `at` needs around it.
 */
export function blocksOf(source, path) {
  const numbers = new Map();
  const blocks = [{ key: "/0", start: 0, end: source.length, at: source.length, around: ["\n", "\n"] }];
  walk(parse(source, path), (node, parents) => {
    for (const block of openedBy(node)) {
      const name = nameOf([node, ...parents]);
      const number = (numbers.get(name) ?? 0) + 1;
      numbers.set(name, number);
      blocks.push({ ...block, key: `${name}/${number}` });
    }
  });
  return blocks;
}

function openedBy(node) {
  if (FUNCTIONS.has(node.type)) {
    if (!node.body) return [];
    return [node.body.type === "BlockStatement" ? braced(node.body) : expression(node.body)];
  }
  if (LOOPS.has(node.type)) return [statement(node.body)];
  if (node.type === "ConditionalExpression") return [expression(node.consequent), expression(node.alternate)];
  if (node.type === "CatchClause") return [braced(node.body)];
  if (node.type === "IfStatement") {
    const otherwise = node.alternate && node.alternate.type !== "IfStatement" ? [statement(node.alternate)] : [];
    return [statement(node.consequent), ...otherwise];
  }
  if (node.type !== "SwitchCase" || node.consequent.length === 0) return [];
  const { start } = node.consequent[0];
  return [{ start, end: node.end, at: start, around: ["", "; "] }];
}

const braced = ({ start, end }) => ({ start, end, at: start + 1, around: ["", ";"] });
const expression = ({ start, end }) => ({ start, end, at: start, around: ["(", ", "], after: ")" });
const statement = (node) =>
  node.type === "BlockStatement"
    ? braced(node)
    : { start: node.start, end: node.end, at: node.start, around: ["{ ", "; "], after: " }" };

/** The names of the functions around a place, the outermost first. */
function nameOf(around) {
  const names = around.flatMap((node, index) => {
    if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") return [node.id?.name ?? ""];
    if (!FUNCTIONS.has(node.type)) return [];
    const parent = around[index + 1];
    return [parent?.key?.name ?? parent?.id?.name ?? ""];
  });
  return names.reverse().join(".");
}

/** The innermost block at an offset. */
export function blockAt(blocks, offset) {
  return blocks.findLast(({ start, end }) => start <= offset && offset < end) ?? blocks[0];
}

/** The source with a counter in each of its blocks: a call of `reached`, imported from `counterPath`, with the result of `idOf` for the block. */
export function withCounters(source, path, counterPath, idOf) {
  const inserted = blocksOf(source, path).flatMap((block, index) => {
    const [before, behind] = block.around;
    const counter = { at: block.at, order: index, text: `${before}countReached(${idOf(block)})${behind}` };
    return block.after === undefined ? [counter] : [counter, { at: block.end, order: -index, text: block.after }];
  });
  inserted.sort((one, other) => one.at - other.at || one.order - other.order);
  let counted = "";
  let from = 0;
  for (const { at, text } of inserted) {
    counted += source.slice(from, at) + text;
    from = at;
  }
  return `${counted}${source.slice(from)}import { reached as countReached } from ${JSON.stringify(counterPath)};\n`;
}
