// Turns the reports of a generated validator into a JSON pointer and a plain sentence that tells the reader what to do (R20).
import type { Diagnosis } from "#gen/aaep/diagnosis.js";
import { pointerStep } from "../../../base/json-pointer.js";
import { ownMember } from "../../../base/members.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import { codePointCount } from "./limits.js";

/** The forms of fields with several types; the schema's own report does not name them. */
const UNION_FORMS: Readonly<Record<string, string>> = {
  "/@context": 'be "https://aaep-protocol.org/context/v1", or a list that begins with it',
  "/response": "be a string, a number, or true or false",
  "/extensions/aaepd/resume_after": "be a cursor: a text of at most 1,024 characters that this daemon gave out",
};

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};

/** Secret fields: their contents are never repeated in a sentence, which may be logged. */
const SECRET = /\/(reply_token|resume_token|key|signed_manifest)$/;

/** The schemas' description of a language tag. */
const LANGUAGE_TAG = "a language tag such as en-US";

const LONG_DECIMAL = /^-?\d{16,20}$/;
const EXACT_UP_TO = Number.MAX_SAFE_INTEGER;

/** Returns the place of a report: for a missing or a stray field the field itself, not its parent. */
export function pointerOf({ instancePath, params }: Diagnosis): string {
  const name = params.missingProperty ?? params.additionalProperty;
  return typeof name === "string" ? `${instancePath}/${pointerStep(name)}` : instancePath;
}

/** Keeps the reports for the sentence. The report of an `anyOf` covers those of its branches. */
export function telling(diagnoses: readonly Diagnosis[]): readonly Diagnosis[] {
  return diagnoses.filter(({ schemaPath }) => !schemaPath.includes("/anyOf/"));
}

/** Separates the first mistake from the others in the sentence of a fault. */
const ALSO = " Also: ";
/** Most mistakes named one by one; the rest are counted, so that an answer does not grow with the mistakes. */
const MAX_TOLD = 8;
const LONGEST_FURTHER = 400;

/**
 * Joins all mistakes into one text, so that the reader can correct them at once (R20): the first in full, then the others cut to 400 characters each,
 * at most eight in all, and the number of the rest. Only the sentences in the result are made.
 */
export function severalSentences(sentences: readonly (() => string)[]): string {
  const [first = "", ...further] = sentences.slice(0, MAX_TOLD).map((sentence) => sentence());
  const leftCount = sentences.length - MAX_TOLD;
  const others = further.map((sentence) => shortenedText(sentence, LONGEST_FURTHER));
  if (leftCount > 0) others.push(`${leftCount} more ${leftCount === 1 ? "place is" : "places are"} wrong.`);
  return others.length === 0 ? first : `${first}${ALSO}${others.join(" ")}`;
}

/** Returns the sentence of a report. `name` is the name of the whole: a type of events or of messages. */
export function sentenceOf(diagnosis: Diagnosis, root: unknown, name: string): string {
  const { keyword, params } = diagnosis;
  const pointer = pointerOf(diagnosis);
  const field = `\`${dotted(pointer)}\``;
  const value = valueAt(root, pointer);
  const found = SECRET.test(pointer) ? "." : `; it is ${shown(value)}.`;
  switch (keyword) {
    case "required":
      return `${field} is missing; ${name} needs it.`;
    case "dependencies":
      return `${field} is missing; \`${String(params.property)}\` means nothing without it.`;
    case "closedFields":
      return diagnosis.instancePath === "" && name.startsWith("aaep:")
        ? `${field} is not a field of ${name}; move it into \`extensions\` under your own prefix, or remove it.`
        : `${field} is not known here; correct its spelling or remove it.`;
    case "false schema":
      return `${field} is reserved by the protocol; move it into \`extensions\` under your own prefix, or remove it.`;
    case "type":
      // Protobuf's decimal form of a whole number that JSON cannot express exactly.
      if (params.type === "integer" && typeof value === "string" && LONG_DECIMAL.test(value))
        return `${field} must be a whole number between -${EXACT_UP_TO} and ${EXACT_UP_TO}${found}`;
      return `${field} must ${ownMember(UNION_FORMS, pointer) ?? `be ${TYPE_WORDS[String(params.type)] ?? "of another type"}`}${found}`;
    case "maximum":
      if (params.maximum === Number.MAX_SAFE_INTEGER) return `${field} must be at most ${params.maximum}${found}`;
      return `${field} must be ${range(params.minimum, params.maximum)}${found}`;
    case "minimum":
      return `${field} must be ${range(params.minimum, params.maximum)}${found}`;
    case "minLength":
    case "maxLength":
      return value === ""
        ? `${field} must not be empty.`
        : `${field} may have at most ${String(params.maxLength)} characters; it has ${codePointCount(String(value))}.`;
    case "minItems":
    case "maxItems":
      return `${field} must have ${range(params.minItems, params.maxItems)} entries; it has ${Array.isArray(value) ? value.length : 0}.`;
    case "maxProperties":
      return `${field} may have at most ${String(params.maxProperties ?? params.limit)} members.`;
    case "pattern": {
      const form = `${field} must ${ownMember(UNION_FORMS, pointer) ?? `be ${String(params.description)}`}${found}`;
      const tag = typeof value === "string" && params.description === LANGUAGE_TAG ? hyphenated(value) : undefined;
      return tag === undefined ? form : `${form} Did you mean ${tag}?`;
    }
    case "enum":
      return `${field} must be ${choice(params.enum)}${found}`;
    case "const":
      return `${field} must be ${JSON.stringify(params.const)}${found}`;
    case "uniqueItems":
      return `${field} names the same value twice; leave one out.`;
    case "anyOf":
      return `${field} must have at least one of percent, step, total_steps and description.`;
    default:
      return `${field} is not as ${name} wants it; see the schema of that name.`;
  }
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

function range(least: unknown, most: unknown): string {
  if (least === undefined) return `at most ${String(most)}`;
  if (most === undefined || most === Number.MAX_SAFE_INTEGER) return `at least ${String(least)}`;
  return `between ${String(least)} and ${String(most)}`;
}

function choice(values: unknown): string {
  const names = Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : [];
  const last = names.pop();
  return names.length === 0 ? String(last) : `${names.join(", ")} or ${last}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return value.length <= 60 ? JSON.stringify(value) : `a string of ${codePointCount(value)} characters`;
}

/** `/choices/0/label` in the notation of people: `choices[0].label`. */
function dotted(pointer: string): string {
  if (pointer === "") return "the message";
  return pointer
    .slice(1)
    .split("/")
    .map((step, index) => {
      if (/^\d+$/.test(step)) return `[${step}]`;
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const step of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    value = Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return value;
}
