// Documents with values in them that harm a program which looks a name up in a plain object, or makes a text of whatever it was sent.
import fc from "fast-check";
import { isWhole } from "./extent.js";
import { type Schema, valuesOf } from "./schema-values.js";

/** Names that every plain object has, or that JavaScript calls. */
const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "toJSON", "then"];

/** As texts of JSON: a literal of JavaScript with `__proto__` in it would be another object. */
const HOSTILE_VALUES: readonly string[] = [
  ...NAMES.map((name) => JSON.stringify(name)),
  ...NAMES.map((name) => `{"${name}":"x"}`),
  '{"toString":null,"valueOf":null}',
  '{"__proto__":{"toString":1}}',
  '[{"toString":"x"}]',
  '[["constructor"]]',
  '{"length":-1}',
  '{"constructor":{"prototype":null}}',
  "null",
  "[]",
  "{}",
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"%E0%A4%A"',
  '"/~2/-/__proto__"',
  "-1",
  "0.5",
  "1e300",
  "true",
];

type Step = string | number;

/** One document of that schema, with as many of its members as chance brings in some tries. The same one each time. */
export function fullDocument(schema: Schema): Readonly<Record<string, unknown>> {
  const tries = fc.sample(valuesOf(schema), { seed: 3, numRuns: 20 }) as Readonly<Record<string, unknown>>[];
  const [fullest = {}] = tries.sort((a, b) => Object.keys(b).length - Object.keys(a).length);
  return fullest;
}

/** Levels of a document that have places. */
const DEEPEST = 3;
/** Values that are tried at each place, without and with hostile names. They take turns from place to place. */
const VALUES_A_PLACE = isWhole ? 7 : 1;

/**
 * The texts of `document` with one hostile value each, at every place; then the same with hostile names in all of its objects besides. Members of
 * `absent` are places too, without being there otherwise.
 */
export function* hostileTexts(document: unknown, absent: readonly string[] = []): Generator<string> {
  const places = [...placesIn(document), ...absent.map((name) => [name])];
  for (const extra of ["", NAMES.map((name) => `"${name}":"x"`).join()]) {
    yield written(document, undefined, "", extra);
    for (const [row, place] of places.entries())
      for (const [column, value] of HOSTILE_VALUES.entries())
        if ((row + column) % HOSTILE_VALUES.length < VALUES_A_PLACE) yield written(document, place, value, extra);
  }
}

function placesIn(value: unknown, at: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== "object" || value === null || at.length === DEEPEST) return [at];
  const inner = Object.entries(value).flatMap(([name, one]) => placesIn(one, [...at, name]));
  return [at, ...inner];
}

function written(value: unknown, place: readonly Step[] | undefined, hostile: string, extra: string): string {
  if (place?.length === 0) return hostile;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const [step, ...rest] = place ?? [];
  const inner = (name: string, one: unknown): string =>
    written(one, name === String(step) ? rest : undefined, hostile, extra);
  if (Array.isArray(value)) return `[${value.map((one, index) => inner(String(index), one)).join()}]`;
  const names = [...new Set([...Object.keys(value), ...(typeof step === "string" ? [step] : [])])];
  const members = names.map(
    (name) => `${JSON.stringify(name)}:${inner(name, (value as Readonly<Record<string, unknown>>)[name] ?? null)}`,
  );
  return `{${[...members, ...(extra === "" ? [] : [extra])].join()}}`;
}
