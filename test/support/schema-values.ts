// Valid values of JSON Schemas, as far as the schemas of AAEP go.
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { catalogue, readSchemas } from "../../scripts/generate/flatten.mjs";
import { anyCharacter } from "./any-character.js";
import { objectOf } from "./canonical-json.js";

export type Schema = Readonly<Record<string, unknown>> & {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema | false>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
};

/** Every message's schema with nothing left to look up, by its title. */
export function flatSchemas(protocol: "aaep" | "a2e" | "akashik" = "aaep"): ReadonlyMap<string, Schema> {
  const folder = fileURLToPath(new URL(`../../schemas/${protocol}`, import.meta.url));
  return catalogue(readSchemas(folder)).flat as ReadonlyMap<string, Schema>;
}

/** Texts are kept short: what they hold matters here, not how much. */
const LONGEST_TEXT = 40;
const MOST_ITEMS = 4;
const anything = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** Values that the schema allows, every optional member there or not. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as readonly unknown[]));
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  if (types === undefined) return anything;
  return fc.oneof(...types.map((type) => valuesOfType(schema, type)));
}

function valuesOfType(schema: Schema, type: string): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return texts(schema);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.maxSafeInteger().map((number) => bounded(schema, number));
    case "number":
      return fc.double({ min: schema.minimum ?? -1e300, max: schema.maximum ?? 1e300, noNaN: true });
    case "array":
      return lists(schema);
    case "null":
      return fc.constant(null);
    default:
      return objects(schema);
  }
}

function bounded(
  { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Schema,
  number: number,
): number {
  if (number >= minimum && number <= maximum) return number;
  return minimum + (Math.abs(number) % (maximum - minimum + 1));
}

const SAMPLE_COUNT = 50;
const known = new Map<string, readonly string[]>();

/** Some texts of that pattern: making each anew would take most of a test's time. */
function samples(pattern: string): readonly string[] {
  const found =
    known.get(pattern) ?? fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: SAMPLE_COUNT, seed: 1 });
  known.set(pattern, found);
  return found;
}

function texts({ pattern, minLength = 0, maxLength = LONGEST_TEXT }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.constantFrom(...samples(pattern).filter((text) => text.length <= maxLength));
  return fc.string({ unit: anyCharacter, minLength, maxLength: Math.min(maxLength, LONGEST_TEXT) });
}

function lists({
  items = {},
  prefixItems,
  minItems = 0,
  maxItems = MOST_ITEMS,
  uniqueItems,
}: Schema): fc.Arbitrary<unknown> {
  const first = (prefixItems ?? []) as readonly Schema[];
  const rest = {
    minLength: Math.max(0, minItems - first.length),
    maxLength: Math.max(minItems, Math.min(maxItems, MOST_ITEMS)),
  };
  const others = uniqueItems === true ? fc.uniqueArray(valuesOf(items), rest) : fc.array(valuesOf(items), rest);
  return fc.tuple(fc.tuple(...first.map(valuesOf)), others).map(([before, after]) => [...before, ...after]);
}

function objects(schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, patternProperties = {}, additionalProperties = true, required = [] } = schema;
  const named = Object.entries(properties).map(([name, member]) =>
    fc.option(
      valuesOf(member).map((value) => [name, value] as const),
      { freq: required.includes(name) ? 1e9 : 2 },
    ),
  );
  const variants = Object.entries(patternProperties).flatMap(([pattern, member]) =>
    member === false ? [] : [fc.tuple(fc.constantFrom(...samples(pattern)), valuesOf(member))],
  );
  const free =
    additionalProperties === false
      ? []
      : [fc.tuple(fc.string(), additionalProperties === true ? anything : valuesOf(additionalProperties))];
  const extra = [...variants, ...free];
  const extras = extra.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...extra), { maxLength: 3 });
  return fc.tuple(fc.tuple(...named), extras).map(([members, more]) => {
    const there = members.filter((member) => member !== null);
    const names = new Set(Object.keys(properties));
    return objectOf([...there, ...more.filter(([name]) => !names.has(name))]);
  });
}
