// Rules of events that a JSON Schema cannot express, and that need no other event: versions, prefixes, and questions that somebody can answer.
import { type Members, membersOf, ownMember } from "../../../base/members.js";
import { AAEPD_VOCABULARY } from "../../../engine/event/vocabulary.js";
import { isDefaultResponse, responseKinds } from "../../../engine/sessions/response-kinds.js";

const VERSION_1 = /^1(\.\d+){0,2}([-+].*)?$/;
const DRAFT = "0.1.0-draft";

/** Whether a version is supported, as 1.0.0: any 1.x, and the draft before it (R21). */
export function isSpokenVersion(version: string): boolean {
  return version === DRAFT || VERSION_1.test(version);
}

/** The URI of the vocabulary of each prefix that is known here. */
export const KNOWN_VOCABULARIES: ReadonlyMap<string, string> = new Map([["aaepd", AAEPD_VOCABULARY]]);

const RESERVED: ReadonlySet<string> = new Set(["aaep", "xsd", "rdf", "rdfs"]);
const FORM = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export function isReservedPrefix(prefix: string): boolean {
  return RESERVED.has(prefix) || prefix.startsWith("@");
}

/** Returns a sentence about the wrong use of `prefix` in an event with that `@context`; undefined if the use is right. */
export function prefixComplaint(prefix: string, context: unknown): string | undefined {
  if (isReservedPrefix(prefix)) return `The prefix \`${prefix}\` is reserved; choose one of your own.`;
  if (!FORM.test(prefix))
    return "A prefix of an extension is a letter and at most 63 letters, digits, underscores or hyphens; rename it.";
  const declared: readonly unknown[] = Array.isArray(context) ? context.slice(1) : [];
  const vocabulary = KNOWN_VOCABULARIES.get(prefix);
  if (vocabulary !== undefined && !declared.includes(vocabulary))
    return `The prefix \`${prefix}\` is not declared; add "${vocabulary}" to \`@context\`.`;
  if (declared.length > 0) return undefined;
  return `The prefix \`${prefix}\` is not declared; make \`@context\` a list and add the URI of its vocabulary.`;
}

/** The reason why nobody can answer the question, or why an answer would be ambiguous. */
export interface ClarificationComplaint {
  readonly pointer: string;
  readonly sentence: string;
}

/** Returns every complaint, at most one for each place; none if a field has the wrong type, which the schema reports. */
export function clarificationComplaints(event: Members): readonly ClarificationComplaint[] {
  const { choices, accepted_response_kinds: given } = event;
  if (given !== undefined && !Array.isArray(given)) return [];
  const kinds = responseKinds(event);
  if (choices === undefined && kinds.length > 0 && kinds.every((kind) => kind === "multiple_choice")) {
    const sentence = "Give `choices`, or accept another kind of response: as it stands nobody can answer the question.";
    return [{ pointer: "/choices", sentence }];
  }
  return [...choiceComplaints(choices), ...defaultComplaints(event, kinds)];
}

function choiceComplaints(choices: unknown): readonly ClarificationComplaint[] {
  if (!Array.isArray(choices)) return [];
  const complaints: ClarificationComplaint[] = [];
  const values = new Set<unknown>();
  for (const [index, choice] of choices.entries()) {
    const { value } = membersOf(choice);
    if (typeof value !== "string") continue;
    if (values.has(value)) {
      const sentence = `Give every choice a \`value\` of its own; choice ${index + 1} has an earlier one's.`;
      complaints.push({ pointer: `/choices/${index}/value`, sentence });
    }
    values.add(value);
  }
  return complaints;
}

/** The form of a default for each kind of response. */
const DEFAULT_FORMS: Readonly<Record<string, string>> = {
  multiple_choice: "the `value` of one of the `choices`",
  numeric: 'a number, written as in "42" or "-0.5"',
  yes_no: '"true" or "false"',
};

/** A default must be an answer that the question accepts. */
function defaultComplaints(event: Members, kinds: readonly string[]): readonly ClarificationComplaint[] {
  const { default_response: fallback } = event;
  if (typeof fallback !== "string" || isDefaultResponse(fallback, event)) return [];
  const forms = kinds.flatMap((kind) => ownMember(DEFAULT_FORMS, kind) ?? []);
  // The schema complains about unknown kinds.
  if (forms.length === 0) return [];
  const sentence = `\`default_response\` must be ${forms.join(", or ")}: the question takes no other answer. Correct it, or leave it out.`;
  return [{ pointer: "/default_response", sentence }];
}
