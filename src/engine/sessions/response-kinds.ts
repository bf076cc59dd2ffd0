// The kinds of answers that a clarification accepts, and the check of a reply against them (AAEP §4.4.2, §6.5.2).
import type { Members } from "../../base/members.js";

/** The kinds of a question that names none: its choices, or free text if it has no choices. */
export function impliedResponseKinds({ choices }: Members): readonly string[] {
  return Array.isArray(choices) ? ["multiple_choice"] : ["freetext"];
}

/** The kinds that a question accepts. An answer has to match one of them. */
export function responseKinds(question: Members): readonly string[] {
  const { accepted_response_kinds: kinds } = question;
  return Array.isArray(kinds) ? kinds.filter((kind) => typeof kind === "string") : impliedResponseKinds(question);
}

/** Whether a reply answers the question. */
export function isResponse(response: unknown, question: Members): boolean {
  return responseKinds(question).some((kind) => {
    switch (kind) {
      case "freetext":
        return typeof response === "string" && response.length > 0;
      case "yes_no":
        return typeof response === "boolean";
      case "numeric":
        return typeof response === "number" && Number.isFinite(response);
      case "multiple_choice":
        return choiceOf(response, question) !== undefined;
      default:
        return false;
    }
  });
}

const NUMBER = /^-?\d{1,300}(\.\d{1,300})?([eE][+-]?\d{1,3})?$/;

/** Whether a default answers the question. A default is always text: numbers, `true` and `false` are written out (AAEP §4.4.2). */
export function isDefaultResponse(text: string, question: Members): boolean {
  return responseKinds(question).some((kind) => {
    switch (kind) {
      case "freetext":
        return true;
      case "yes_no":
        return text === "true" || text === "false";
      case "numeric":
        return NUMBER.test(text) && Number.isFinite(Number(text));
      default:
        return isResponse(text, { ...question, accepted_response_kinds: [kind] });
    }
  });
}

/** Returns the choice with this value; undefined if there is none. */
export function choiceOf(value: unknown, { choices }: Members): Members | undefined {
  if (!Array.isArray(choices) || value === undefined) return undefined;
  return choices.find((choice: unknown): choice is Members => {
    return typeof choice === "object" && choice !== null && "value" in choice && choice.value === value;
  });
}
