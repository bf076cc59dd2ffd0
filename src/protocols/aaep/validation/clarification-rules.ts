// A rule for clarifications that a JSON Schema cannot express: somebody must be able to answer (AAEP §4.4.2, §6.3).
import { ownMember } from "../../../base/members.js";
import { isDefaultResponse, responseKinds } from "../../../engine/sessions/response-kinds.js";

type Fields = Readonly<Record<string, unknown>>;

/** The reason why nobody can answer the question, or why an answer would be ambiguous. */
export interface ClarificationComplaint {
  readonly pointer: string;
  readonly sentence: string;
}

/** Returns every complaint, at most one for each place; none if a field has the wrong type, which the schema reports. */
export function clarificationComplaints(event: Fields): readonly ClarificationComplaint[] {
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
    const value = typeof choice === "object" && choice !== null ? (choice as Fields).value : undefined;
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
function defaultComplaints(event: Fields, kinds: readonly string[]): readonly ClarificationComplaint[] {
  const { default_response: fallback } = event;
  if (typeof fallback !== "string" || isDefaultResponse(fallback, event)) return [];
  const forms = kinds.flatMap((kind) => ownMember(DEFAULT_FORMS, kind) ?? []);
  // The schema complains about unknown kinds.
  if (forms.length === 0) return [];
  const sentence = `\`default_response\` must be ${forms.join(", or ")}: the question takes no other answer. Correct it, or leave it out.`;
  return [{ pointer: "/default_response", sentence }];
}
