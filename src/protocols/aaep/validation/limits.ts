// The soft limits of AAEP §3.7. No check recurses deeper than the limit it checks, so that hostile nesting costs no stack.

import { codePointCount, encodedBytes } from "../../../base/code-points.js";
import { pointerStep } from "../../../base/json-pointer.js";

/** Bytes of one event as compact JSON in UTF-8. */
export const MAX_EVENT_BYTES = 65_536;
/** Fields of the event itself, and prefixes in its `extensions`. */
export const MAX_FIELD_COUNT = 32;
/** Levels of objects and lists; the event itself is the first. */
const MAX_DEPTH = 8;
/**
 * Code points of any string. AAEP gives the limit in KiB, but it is counted in characters, as the schemas count: in bytes a text in Yoruba or
 * Japanese would get a half or a third of one in English.
 */
const MAX_STRING_LENGTH = 16_384;

interface LimitBreach {
  readonly kind: "fields" | "depth" | "string" | "bytes";
  readonly pointer: string;
  readonly sentence: string;
}

/** Most bytes of JSON for one UTF-16 unit: `\u0000`. */
const WORST_BYTES_PER_UNIT = 6;

/** Most bytes of a number or a literal, with the punctuation beside it. */
const MOST_BYTES_OF_SMALL = 32;

/**
 * Upper bound of the bytes of an object or a list as JSON; Infinity if a value is too deep. Strings and numbers cost no call.
 */
function weightOf(container: object, depth: number): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  let weight = 2;
  for (const key in container) {
    const value = (container as Readonly<Record<string, unknown>>)[key];
    weight += key.length * WORST_BYTES_PER_UNIT + MOST_BYTES_OF_SMALL;
    // A string that is too long makes the whole too heavy.
    if (typeof value === "string") weight += value.length * WORST_BYTES_PER_UNIT;
    else if (typeof value === "object" && value !== null) weight += weightOf(value, depth + 1);
  }
  return weight;
}

function prefixCount(extensions: unknown): number {
  return typeof extensions === "object" && extensions !== null ? Object.keys(extensions).length : 0;
}

/**
 * Whether `event` keeps every limit, also with a further field of `addedBytes` if that is above 0. An estimate without serialization is enough for
 * most events.
 */
export function isWithinLimits(event: object, addedBytes = 0): boolean {
  let fieldCount = addedBytes > 0 ? 1 : 0;
  for (const key in event)
    fieldCount += key === "extensions" ? 1 + prefixCount((event as { extensions?: unknown }).extensions) : 1;
  if (fieldCount > MAX_FIELD_COUNT) return false;
  return weightOf(event, 1) + addedBytes <= MAX_EVENT_BYTES || limitBreaches(event, addedBytes).length === 0;
}

/** Every limit that `event` breaks, with its place; with a further field of `addedBytes` if that is above 0. */
export function limitBreaches(event: object, addedBytes = 0): readonly LimitBreach[] {
  const breaches: LimitBreach[] = [];
  const prefixes = prefixCount((event as { readonly extensions?: unknown }).extensions);
  const fieldCount = Object.keys(event).length + prefixes + (addedBytes > 0 ? 1 : 0);
  if (fieldCount > MAX_FIELD_COUNT) {
    const sentence = `An event may have at most ${MAX_FIELD_COUNT} fields, counted with the prefixes in \`extensions\`; this one has ${fieldCount}. Move some under one prefix.`;
    breaches.push({ kind: "fields", pointer: "", sentence });
  }
  collectBreaches(event, "", 1, breaches);
  // Serializing recurses, so the depth must be checked before.
  if (!breaches.some(({ kind }) => kind === "depth")) {
    const bytes = encodedBytes(JSON.stringify(event), false) + addedBytes;
    if (bytes > MAX_EVENT_BYTES) {
      const sentence = `An event may have at most ${MAX_EVENT_BYTES} bytes of JSON; this one has ${bytes}. Split its text over several events.`;
      breaches.push({ kind: "bytes", pointer: "", sentence });
    }
  }
  return breaches;
}

function collectBreaches(value: unknown, pointer: string, depth: number, breaches: LimitBreach[]): void {
  if (typeof value === "string") {
    const length = codePointCount(value);
    if (length <= MAX_STRING_LENGTH) return;
    const sentence = `A string may have at most ${MAX_STRING_LENGTH} characters; this one has ${length}.`;
    breaches.push({ kind: "string", pointer, sentence });
  } else if (typeof value === "object" && value !== null) {
    if (depth > MAX_DEPTH) {
      const sentence = `An event may be nested at most ${MAX_DEPTH} levels deep; make this part flatter.`;
      breaches.push({ kind: "depth", pointer, sentence });
      return;
    }
    for (const [key, item] of Object.entries(value)) {
      collectBreaches(item, `${pointer}/${pointerStep(key)}`, depth + 1, breaches);
    }
  }
}
