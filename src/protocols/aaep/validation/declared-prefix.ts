// Prefixes of extensions: the reserved ones, and their declaration in an event's `@context` (AAEP §3.9, §7).
import { AAEPD_VOCABULARY } from "../../../engine/event/vocabulary.js";

/** Vocabulary URI by prefix, for the vocabularies known here. */
export type Vocabularies = ReadonlyMap<string, string>;

export const KNOWN_VOCABULARIES: Vocabularies = new Map([["aaepd", AAEPD_VOCABULARY]]);

const RESERVED: ReadonlySet<string> = new Set(["aaep", "xsd", "rdf", "rdfs"]);
const FORM = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export function isReservedPrefix(prefix: string): boolean {
  return RESERVED.has(prefix) || prefix.startsWith("@");
}

/** Returns a sentence about the wrong use of `prefix` in an event with that `@context`; undefined if the use is right. */
export function prefixComplaint(prefix: string, context: unknown, vocabularies: Vocabularies): string | undefined {
  if (isReservedPrefix(prefix)) {
    return `The prefix \`${prefix}\` is reserved; choose one of your own.`;
  }
  if (!FORM.test(prefix)) {
    return "A prefix of an extension is a letter and at most 63 letters, digits, underscores or hyphens; rename it.";
  }
  const declared: readonly unknown[] = Array.isArray(context) ? context.slice(1) : [];
  const vocabulary = vocabularies.get(prefix);
  if (vocabulary !== undefined && !declared.includes(vocabulary)) {
    return `The prefix \`${prefix}\` is not declared; add "${vocabulary}" to \`@context\`.`;
  }
  if (declared.length === 0) {
    return `The prefix \`${prefix}\` is not declared; make \`@context\` a list and add the URI of its vocabulary.`;
  }
  return undefined;
}
