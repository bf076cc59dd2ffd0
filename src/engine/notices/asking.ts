// The words of a question, and the language in which a notice quotes them (AAEP ch. 11, R31).
import { textOf } from "../../base/members.js";
import type { AgentEvent, QuestionKind } from "../event/event.js";
import type { DefaultAnswer } from "../messages/messages.js";
import { WORDINGS } from "../messages/wording.js";
import { choiceOf, responseKinds } from "../sessions/response-kinds.js";
import { CATALOGUE_LANGUAGES, type CatalogueLanguage } from "../terms/language.js";
import { hasVariants } from "../terms/readable-fields.js";
import { applyShape } from "../terms/shape.js";
import { shortenedText } from "../text/shortened-text.js";

const TERSE_ASKING_LENGTH = 400;
const NORMAL_ASKING_LENGTH = 4000;

/** A question as a notice quotes it. */
interface Asking {
  readonly kind: QuestionKind;
  /** The action, or the question; at most 400 characters. */
  readonly terse: string;
  /** The action or question with its consequence; at most 4,000 characters. */
  readonly normal: string;
  /** The default answer of a clarification, at most 400 characters; undefined if it has none. */
  readonly defaultAnswer: DefaultAnswer | undefined;
}

/**
 * The words of a question in a language of the catalogues: the question's own variant if it has one. Its notice, its reminders and its resolution
 * quote the same words.
 */
export type AskingIn = (question: AgentEvent, language: CatalogueLanguage) => Asking;

export function createAskingIn(defaultLanguage: string): AskingIn {
  const known = new WeakMap<AgentEvent, ReadonlyMap<CatalogueLanguage, Asking>>();
  return (question, language) => {
    let askings = known.get(question);
    if (askings === undefined) {
      const isOnlyOne = !hasVariants(question);
      const inLanguage = (one: CatalogueLanguage): AgentEvent =>
        isOnlyOne ? question : applyShape(question, { verbosity: "normal", languages: [one] }, defaultLanguage);
      askings = new Map(CATALOGUE_LANGUAGES.map((one) => [one, quoted(inLanguage(one), one)]));
      known.set(question, askings);
    }
    return askings.get(language) ?? quoted(question, language);
  };
}

/** The parts end as sentences of the language in which they are quoted. */
function quoted(question: AgentEvent, language: CatalogueLanguage): Asking {
  const isConfirmation = question.action !== undefined;
  // Each part is shortened before it is quoted: the beginning of a quoted text would keep the whole of it in memory.
  const quoteOf = (longest: number, fields: readonly string[]): string =>
    shortenedText(
      WORDINGS[language].quoted(...fields.map((field) => shortenedText(textOf(question[field]), longest))),
      longest,
    );
  const [first, ...more] = isConfirmation ? (["action", "consequence"] as const) : (["question"] as const);
  return {
    kind: isConfirmation ? "confirmation" : "clarification",
    terse: quoteOf(TERSE_ASKING_LENGTH, [first]),
    normal: quoteOf(NORMAL_ASKING_LENGTH, [first, ...more]),
    defaultAnswer: isConfirmation ? undefined : defaultAnswerOf(question),
  };
}

/** A default that is a choice is named by its label, which the person has heard. */
function defaultAnswerOf(question: AgentEvent): DefaultAnswer | undefined {
  const { default_response: response } = question;
  if (typeof response !== "string" || response === "") return undefined;
  const label = choiceOf(response, question)?.label;
  const kinds = responseKinds(question);
  if (label === undefined && kinds.includes("yes_no") && !kinds.includes("freetext")) {
    if (response === "true") return { kind: "yes" };
    if (response === "false") return { kind: "no" };
  }
  return { kind: "text", text: shortenedText(typeof label === "string" ? label : response, TERSE_ASKING_LENGTH) };
}
