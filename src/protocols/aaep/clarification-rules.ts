// What a JSON Schema cannot say of a clarification: whether anybody can answer it (AAEP §4.4.2, §6.3).
type Fields = Readonly<Record<string, unknown>>;

/** Something about the question that makes it one that nobody can answer, or not for sure. */
export interface ClarificationComplaint {
  readonly pointer: string;
  readonly sentence: string;
}

/** Every complaint, at most one for each place; none for a question whose fields are not of their types, which its schema says. */
export function clarificationComplaints(event: Fields): readonly ClarificationComplaint[] {
  const { choices, accepted_response_kinds: kinds, default_response: fallback } = event;
  const takesOnlyChoices = Array.isArray(kinds)
    ? kinds.length > 0 && kinds.every((kind) => kind === "multiple_choice")
    : kinds === undefined && choices !== undefined;
  if (choices === undefined) {
    const sentence = "Give `choices`, or accept another kind of response: as it stands nobody can answer the question.";
    return takesOnlyChoices ? [{ pointer: "/choices", sentence }] : [];
  }
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
  if (takesOnlyChoices && typeof fallback === "string" && !values.has(fallback)) {
    const sentence = "`default_response` must be the `value` of one of the `choices`, since nothing else is accepted.";
    complaints.push({ pointer: "/default_response", sentence });
  }
  return complaints;
}
