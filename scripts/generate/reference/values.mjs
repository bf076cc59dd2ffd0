// The form of a value in words, from its flat schema.
import { code } from "./markdown.mjs";

const NUMBERS = new Intl.NumberFormat("en");
const LARGEST = Number.MAX_SAFE_INTEGER;

function range({ minimum, maximum }) {
  if (minimum === undefined && (maximum === undefined || maximum === LARGEST)) return "";
  if (maximum === undefined || maximum === LARGEST) return `, ${NUMBERS.format(minimum)} or more`;
  if (minimum === undefined) return `, at most ${NUMBERS.format(maximum)}`;
  return `, ${NUMBERS.format(minimum)} to ${NUMBERS.format(maximum)}`;
}

function length({ minLength, maxLength }) {
  if (maxLength === undefined) return minLength === undefined ? "" : ", not empty";
  return minLength === undefined
    ? `, at most ${NUMBERS.format(maxLength)} characters`
    : `, ${NUMBERS.format(minLength)} to ${NUMBERS.format(maxLength)} characters`;
}

function entries({ minItems, maxItems }) {
  if (maxItems === undefined) return minItems === undefined ? "" : `, ${minItems} or more entries`;
  return minItems === undefined ? `, at most ${maxItems} entries` : `, ${minItems} to ${maxItems} entries`;
}

const WORDS = {
  boolean: () => "`true` or `false`",
  integer: (schema) => `whole number${range(schema)}`,
  number: (schema) => `number${range(schema)}`,
  object: () => "object",
  null: () => "`null`",
  string: (schema) => {
    if (schema.pattern === undefined) return `text${length(schema)}`;
    // Beside a member's own description, that of its pattern is `form`.
    const form = schema.form ?? schema.description;
    return form === undefined ? `text${length(schema)}` : form;
  },
  array: (schema) => `list${entries(schema)}${schema.items === undefined ? "" : `. Each: ${words(schema.items)}`}`,
};

function options(values) {
  const names = values.map((value) => code(value === null ? "null" : String(value)));
  const last = names.pop();
  return names.length === 0 ? last : `${names.join(", ")} or ${last}`;
}

const isLast = (type) => (type === "array" ? 1 : 0);

/** "whole number, 1 to 100", "`low`, `medium` or `high`", "list, at most 32 entries. Each: text". */
export function words(schema) {
  if (schema.const !== undefined) return code(String(schema.const));
  if (Array.isArray(schema.enum)) return options(schema.enum);
  if (schema.type === undefined) return schema.allOf === undefined ? "any JSON" : "object";
  if (!Array.isArray(schema.type)) return WORDS[schema.type](schema);
  // A union that has a form in words, as `@context` has.
  if (schema.form !== undefined) return schema.form;
  // A list comes last, because the form of its entries ends its words.
  const all = schema.type.toSorted((one, other) => isLast(one) - isLast(other)).map((type) => WORDS[type](schema));
  return all.join(all.some((one) => one.includes(",")) ? ", or " : " or ");
}

/** A default as it is written in JSON. */
export function defaultOf(schema) {
  return schema.default === undefined ? undefined : code(JSON.stringify(schema.default));
}
