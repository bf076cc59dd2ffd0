// Puts what a schema forbids into a plain sentence that tells the reader what to do (R20): one language for all protocols.
import { codePointCount } from "../code-points.js";
import { type Schema, type SchemaFault, schemaFaults } from "./schema-faults.js";

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

/** Secret members: their contents are never repeated in a sentence, which may be logged. */
const SECRET = /\/(reply_token|resume_token|auth_token|key|signed_manifest)$/;

/** The schemas' form of a language tag. */
const LANGUAGE_TAG = "a language tag such as en-US";

const LONG_DECIMAL = /^-?\d{16,20}$/;
const EXACT_UP_TO = Number.MAX_SAFE_INTEGER;

/** Returns the sentence of the first fault of a value; undefined if it fits its schema. `name` as in `sentenceOf`, `at` as in `schemaFaults`. */
export function firstSentence(
  schema: Schema,
  value: unknown,
  name: string,
  at: readonly string[] = [],
): string | undefined {
  const [first] = schemaFaults(schema, value, { most: 1, at });
  return first === undefined ? undefined : sentenceOf(first, name);
}

/** Returns the sentence of a fault. `name` is the name of the whole in sentences: a type of events or of messages. */
export function sentenceOf(fault: SchemaFault, name: string): string {
  const { pointer, keyword, schema, value, neededBy } = fault;
  const field = fieldAt(pointer);
  const found = SECRET.test(pointer) ? "." : `; it is ${shown(value)}.`;
  switch (keyword) {
    case "required":
      return `${field} is missing; ${name} needs it.`;
    case "dependentRequired":
      return `${field} is missing; \`${neededBy}\` means nothing without it.`;
    case "additionalProperties":
      return `${field} is not known here; correct its spelling or remove it.`;
    case "patterns":
      return `${field} is reserved by the protocol; remove it.`;
    case "type":
      return `${field} must be ${typeWords(schema, value)}${found}`;
    case "maximum":
      if (schema.maximum === EXACT_UP_TO) return `${field} must be at most ${EXACT_UP_TO}${found}`;
      return `${field} must be ${range(schema.minimum, schema.maximum)}${found}`;
    case "minimum":
      return `${field} must be ${range(schema.minimum, schema.maximum)}${found}`;
    case "minLength":
      return `${field} must not be empty.`;
    case "maxLength":
      return `${field} may have at most ${schema.maxLength} characters; it has ${codePointCount(String(value))}.`;
    case "minItems":
    case "maxItems":
      return `${field} must have ${range(schema.minItems, schema.maxItems)} entries; it has ${Array.isArray(value) ? value.length : 0}.`;
    case "pattern": {
      const sentence = `${field} must be ${schema.form ?? "of another form"}${found}`;
      const tag = schema.form === LANGUAGE_TAG ? hyphenated(String(value)) : undefined;
      return tag === undefined ? sentence : `${sentence} Did you mean ${tag}?`;
    }
    case "enum":
      return `${field} must be ${listed((schema.enum ?? []).map((one) => JSON.stringify(one)))}${found}`;
    case "const":
      return `${field} must be ${JSON.stringify(schema.const)}${found}`;
    case "uniqueItems":
      return `${field} names the same value twice; leave one out.`;
    case "anyOf":
      return `${field} must have at least one of ${listed(
        (schema.anyOf ?? []).flatMap(({ required = [] }) => required),
        "and",
      )}.`;
  }
}

function typeWords({ type = [], form }: Schema, value: unknown): string {
  // Protobuf's decimal form of a whole number that JSON cannot express exactly.
  if (type === "integer" && typeof value === "string" && LONG_DECIMAL.test(value))
    return `a whole number between -${EXACT_UP_TO} and ${EXACT_UP_TO}`;
  const types = [type].flat();
  const words = listed(types.map((one) => TYPE_WORDS[one] ?? one));
  if (form === undefined) return words;
  return types.length > 1 ? form : `${words}: ${form}`;
}

/** The tag that a locale's name stands for, such as de-DE for de_DE or de_DE.UTF-8; undefined if there is none. */
function hyphenated(name: string): string | undefined {
  const [locale = ""] = name.split(/[.@]/, 1);
  try {
    return Intl.getCanonicalLocales(locale.slice(0, 35).replaceAll("_", "-"))[0];
  } catch {
    return undefined;
  }
}

function range(least: number | undefined, most: number | undefined): string {
  if (least === undefined) return `at most ${most}`;
  if (most === undefined || most === EXACT_UP_TO) return `at least ${least}`;
  return `between ${least} and ${most}`;
}

function listed(names: readonly string[], word = "or"): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} ${word} ${last}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return value.length <= 60 ? JSON.stringify(value) : `a string of ${codePointCount(value)} characters`;
}

/** The place of a pointer in the notation of people: `choices[0].label` for `/choices/0/label`. */
export function fieldAt(pointer: string): string {
  if (pointer === "") return "The message";
  const steps = pointer
    .slice(1)
    .split("/")
    .map((step, index) => {
      if (/^\d+$/.test(step)) return `[${step}]`;
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return index === 0 ? name : `.${name}`;
    });
  return `\`${steps.join("")}\``;
}
