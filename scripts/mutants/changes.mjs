// The possible changes of a mutant: small slips that the compiler would mostly accept.
import { parse, walk } from "./syntax.mjs";

const OPERATORS = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&&": ["||"],
  "||": ["&&"],
  "+=": ["-="],
  "-=": ["+="],
  "++": ["--"],
  "--": ["++"],
};
const METHODS = {
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  some: "every",
  every: "some",
  push: "unshift",
  unshift: "push",
  shift: "pop",
  pop: "shift",
  startsWith: "endsWith",
  endsWith: "startsWith",
  indexOf: "lastIndexOf",
  lastIndexOf: "indexOf",
};
const EFFECTS = new Set([
  "AssignmentExpression",
  "AwaitExpression",
  "CallExpression",
  "UpdateExpression",
  "YieldExpression",
]);

/**
 * All changes of a source in the order of their places: `{ start, end, text, form, isStatic }`. `form` is what is replaced as a whole: an "expression",
 * a "statement", or a "method" with the dot before it. `isStatic`: the place runs when its module is loaded.
 */
export function changesOf(source, path) {
  const changes = [];
  walk(parse(source, path), (node, parents) => {
    const isStatic = !parents.some(({ type }) => /Function|MethodDefinition/.test(type));
    for (const change of changesAt(node, parents, source)) changes.push({ ...change, isStatic });
  });
  return changes.sort((one, other) => one.start - other.start || one.end - other.end);
}

function changesAt(node, [parent], source) {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
    case "AssignmentExpression":
      return operatorChanges(node, source);
    case "UpdateExpression": {
      const [operator, argument] = [OPERATORS[node.operator][0], textOf(node.argument, source)];
      return [replaced(node, node.prefix ? `${operator}${argument}` : `${argument}${operator}`)];
    }
    case "IfStatement":
    case "ConditionalExpression":
      return conditionChanges(node.test, source);
    case "UnaryExpression":
      return node.operator === "!" ? [replaced(node, `(${textOf(node.argument, source)})`)] : [];
    case "ExpressionStatement":
      return isEffect(node.expression) ? [replaced(node, "{}", "statement")] : [];
    case "ThrowStatement":
    case "ContinueStatement":
      return [replaced(node, "{}", "statement")];
    case "ReturnStatement":
      return node.argument === null ? [replaced(node, "{}", "statement")] : [];
    case "ArrayExpression":
      return node.elements.length > 0 ? [replaced(node, "[]")] : [];
    case "Literal":
      return literalChanges(node, parent);
    case "TemplateLiteral":
      return node.quasis.some(({ value }) => /\s/.test(value.raw)) || parent?.type === "TaggedTemplateExpression"
        ? []
        : [replaced(node, '""')];
    case "MemberExpression":
      return Object.hasOwn(METHODS, node.property.name ?? "") && !node.computed && parent?.type === "CallExpression"
        ? [methodChange(node, source)]
        : [];
    default:
      return [];
  }
}

function operatorChanges(node, source) {
  const { left, right, operator } = node;
  const isText = [left, right].some(({ type, value }) => type === "TemplateLiteral" || typeof value === "string");
  if (operator === "+" && isText) return [];
  if (operator === "??") return [replaced(node, `(${textOf(right, source)})`)];
  if (!Object.hasOwn(OPERATORS, operator)) return [];
  const at = left.end + source.slice(left.end, right.start).indexOf(operator);
  const [before, behind] = [source.slice(node.start, at), source.slice(at + operator.length, node.end)];
  return OPERATORS[operator].map((text) => replaced(node, `${before}${text}${behind}`));
}

function methodChange({ object, optional, property }, source) {
  const dot = optional ? "?." : ".";
  const start = object.end + source.slice(object.end, property.start).indexOf(dot);
  return { start, end: property.end, text: `${dot}${METHODS[property.name]}`, form: "method" };
}

function conditionChanges(test, source) {
  // These conditions are inverted by other changes.
  const isTurned = test.type === "UnaryExpression" || /^[!=]==$/.test(test.operator ?? "");
  const never = replaced(test, "false");
  return isTurned ? [never] : [replaced(test, `!(${textOf(test, source)})`), never];
}

function literalChanges(node, parent) {
  const { value } = node;
  if (typeof value === "boolean") return [replaced(node, String(!value))];
  if (typeof value === "number" && isLarge(value, parent))
    return [2 * value, Math.floor(value / 2)].map((number) => replaced(node, String(number)));
  if (typeof value === "number" && node.bigint === undefined)
    return [value + 1, ...(value >= 1 ? [value - 1] : [])].map((number) => replaced(node, String(number)));
  // A text with blanks is for people, and a text that stands alone is a directive.
  const isCode =
    typeof value === "string" && value !== "" && !/\s/.test(value) && parent?.type !== "ExpressionStatement";
  return isCode ? [replaced(node, '""')] : [];
}

/** Whether a number is a size or a time of a hundred or more, of which one more or less makes no difference. */
function isLarge(value, parent) {
  const isNamed = parent?.type === "VariableDeclarator" && /^[A-Z\d_]+$/.test(parent.id.name ?? "");
  return value >= 100 && (isNamed || /^[*/]$/.test(parent?.operator ?? ""));
}

function isEffect(expression) {
  if (expression.type === "ChainExpression") return isEffect(expression.expression);
  if (expression.type === "CallExpression") return expression.callee.type !== "Super";
  return EFFECTS.has(expression.type) || expression.operator === "delete";
}

const replaced = ({ start, end }, text, form = "expression") => ({ start, end, text, form });
const textOf = ({ start, end }, source) => source.slice(start, end);
