// Finds out what a refused value has that its JSON Schema forbids. The generated validators decide; this interpreter only explains a no.

import { codePointCount } from "../code-points.js";
import { pointerStep } from "../json-pointer.js";
import { isObject, ownMember } from "../members.js";

/** A JSON Schema as `gen/` has it: nothing to look up, and nothing that is only for readers. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  /** 1: the generator takes no other. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  /** The pattern in words. */
  readonly form?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Of scalars: other items are not compared. */
  readonly uniqueItems?: boolean;
  readonly prefixItems?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  /** Members by the form of their names; false: no member has such a name. */
  readonly patterns?: readonly (readonly [RegExp, Schema | false])[];
  readonly additionalProperties?: Schema | boolean;
  /** Names that the rest of the message permits, where `additionalProperties` are forbidden. */
  readonly known?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

/** A keyword that a value breaks. Of `additionalProperties` and `patterns`, a name that the object may not have. */
type BrokenKeyword = Exclude<keyof Schema, "form" | "prefixItems" | "items" | "properties" | "known">;

export interface SchemaFault {
  /** JSON pointer (RFC 6901) to the place; of a missing or a forbidden member, to the member. */
  readonly pointer: string;
  readonly keyword: BrokenKeyword;
  /** The schema whose keyword is broken. */
  readonly schema: Schema;
  /** The value at the place; undefined: none. */
  readonly value: unknown;
  /** `dependentRequired` only: the member that needs the missing one. */
  readonly neededBy?: string;
}

/** Most faults of one value that are found. A value with as many is not read to its end. */
export const MOST_FAULTS = 100;

interface Search {
  readonly faults: SchemaFault[];
  readonly most: number;
  /** The steps to the place where the search is. */
  readonly path: (string | number)[];
}

/**
 * Returns the first faults of a value in the order of its schema, at most one for each place and at most `most`; none if it fits. Takes time in
 * proportion to the value. `at`: the steps with which each pointer begins.
 */
export function schemaFaults(
  schema: Schema,
  value: unknown,
  { most = MOST_FAULTS, at = [] }: { readonly most?: number; readonly at?: readonly string[] } = {},
): readonly SchemaFault[] {
  const search: Search = { faults: [], most, path: [...at] };
  visit(search, schema, value);
  return search.faults;
}

function isOver({ faults, most }: Search): boolean {
  return faults.length >= most;
}

function tell(search: Search, keyword: BrokenKeyword, schema: Schema, value: unknown, neededBy?: string): void {
  if (isOver(search)) return;
  const pointer = search.path.map((step) => `/${pointerStep(String(step))}`).join("");
  search.faults.push({ pointer, keyword, schema, value, ...(neededBy === undefined ? {} : { neededBy }) });
}

function visit(search: Search, schema: Schema, value: unknown): void {
  const keyword = brokenKeyword(schema, value);
  if (keyword !== undefined) tell(search, keyword, schema, value);
  if (Array.isArray(value)) visitItems(search, schema, value);
  else if (isObject(value)) visitMembers(search, schema, value);
}

function visitMember(search: Search, step: string | number, schema: Schema, value: unknown): void {
  search.path.push(step);
  visit(search, schema, value);
  search.path.pop();
}

function tellMember(
  search: Search,
  name: string,
  keyword: BrokenKeyword,
  schema: Schema,
  value: unknown,
  neededBy?: string,
): void {
  search.path.push(name);
  tell(search, keyword, schema, value, neededBy);
  search.path.pop();
}

/** Of a list that is too long, only as many items as it may have. */
function visitItems(search: Search, { prefixItems = [], items, maxItems }: Schema, value: readonly unknown[]): void {
  const count = Math.min(value.length, maxItems ?? value.length);
  for (let index = 0; index < count && !isOver(search); index++) {
    const schema = prefixItems[index] ?? items;
    if (schema === undefined) return;
    visitMember(search, index, schema, value[index]);
  }
}

function visitMembers(search: Search, schema: Schema, value: Readonly<Record<string, unknown>>): void {
  const { required = [], dependentRequired = {}, properties = {} } = schema;
  for (const name of required)
    if (ownMember(value, name) === undefined) tellMember(search, name, "required", schema, undefined);
  for (const [neededBy, names] of Object.entries(dependentRequired)) {
    if (ownMember(value, neededBy) === undefined) continue;
    for (const name of names)
      if (ownMember(value, name) === undefined)
        tellMember(search, name, "dependentRequired", schema, undefined, neededBy);
  }
  for (const [name, member] of Object.entries(properties)) {
    const there = ownMember(value, name);
    if (there !== undefined) visitMember(search, name, member, there);
  }
  visitOtherNames(search, schema, value);
}

function visitOtherNames(search: Search, schema: Schema, value: Readonly<Record<string, unknown>>): void {
  const { properties = {}, patterns = [], additionalProperties = true, known = [] } = schema;
  if (patterns.length === 0 && additionalProperties === true) return;
  for (const name in value) {
    if (isOver(search)) return;
    if (Object.hasOwn(properties, name)) continue;
    const matching = patterns.find(([pattern]) => pattern.test(name));
    const member = matching === undefined ? additionalProperties : matching[1];
    if (member === false) {
      const keyword = matching === undefined ? "additionalProperties" : "patterns";
      if (matching !== undefined || !known.includes(name)) tellMember(search, name, keyword, schema, value[name]);
    } else if (member !== true) visitMember(search, name, member, value[name]);
  }
}

/** The first keyword about the value itself that it breaks; its members and items come later. */
function brokenKeyword(schema: Schema, value: unknown): BrokenKeyword | undefined {
  const { type, anyOf } = schema;
  if (type !== undefined && ![type].flat().some((one) => isOfType(one, value))) return "type";
  const bound = brokenBound(schema, value);
  if (bound !== undefined) return bound;
  if (schema.const !== undefined && value !== schema.const) return "const";
  if (schema.enum !== undefined && !schema.enum.includes(value)) return "enum";
  if (anyOf !== undefined && !anyOf.some((one) => schemaFaults(one, value, { most: 1 }).length === 0)) return "anyOf";
  return undefined;
}

function brokenBound(schema: Schema, value: unknown): BrokenKeyword | undefined {
  if (typeof value === "number") return brokenByNumber(schema, value);
  if (typeof value === "string") return brokenByText(schema, value);
  return Array.isArray(value) ? brokenByList(schema, value) : undefined;
}

function brokenByNumber({ minimum, maximum }: Schema, value: number): BrokenKeyword | undefined {
  if (minimum !== undefined && value < minimum) return "minimum";
  return maximum !== undefined && value > maximum ? "maximum" : undefined;
}

function brokenByText({ minLength = 0, maxLength, pattern }: Schema, value: string): BrokenKeyword | undefined {
  if (value.length < minLength) return "minLength";
  if (maxLength !== undefined && isLonger(value, maxLength)) return "maxLength";
  return pattern !== undefined && !pattern.test(value) ? "pattern" : undefined;
}

/** Most texts are judged by their length in UTF-16 units. */
function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || codePointCount(text) > most);
}

function brokenByList({ minItems = 0, maxItems, uniqueItems }: Schema, value: readonly unknown[]) {
  if (value.length < minItems) return "minItems";
  if (maxItems !== undefined && value.length > maxItems) return "maxItems";
  return uniqueItems && new Set(value).size < value.length ? "uniqueItems" : undefined;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}
