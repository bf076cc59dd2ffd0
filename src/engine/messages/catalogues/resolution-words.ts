// The message of a question's outcome, composed in the same way in every language. A default is named as a default; if there is none, the message
// says so (R31).
import type { Catalogue, DecidedBy, Message, Outcome } from "./catalogue.js";
import { quotedIn, sentences } from "./wording.js";

/** The words of one language. Each text is a sentence with its full stop, or empty. */
export interface ResolutionWords {
  readonly decisions: Readonly<Record<Exclude<Outcome["decision"], "unanswered">, string>>;
  /** The decider, and whether the default applies. */
  readonly decidedBy: Readonly<Record<DecidedBy, string>>;
  readonly decidedByTerse: Readonly<Record<DecidedBy, string>>;
  /** The reason for the missing answer, if there is no default and `noAnswer` does not contain the reason. */
  readonly withoutDefault: Readonly<Record<"nobody_to_ask" | "nobody_left", string>>;
  readonly noAnswer: string;
  readonly yes: string;
  readonly no: string;
  /** The default that applies, in the short and in the normal form. */
  readonly takenToBe: (answer: string) => Message;
  readonly question: (asking: string) => string;
}

export function createResolution(language: string, words: ResolutionWords): Catalogue["resolution"] {
  const { decisions, decidedBy, decidedByTerse, withoutDefault, noAnswer, question } = words;
  const message = (terse: readonly string[], normal: readonly string[], asking: string): Message => ({
    terse: sentences(terse),
    normal: sentences([...normal, question(asking)]),
  });
  return (outcome) => {
    const { decision, decidedBy: by, asking, defaultAnswer } = outcome;
    // The question is still open in the agent's own window, so it is not called withdrawn (R5b).
    if (by === "host_window") return message([decidedByTerse[by]], [decidedBy[by]], asking);
    if (decision !== "unanswered")
      return message([decidedByTerse[by], decisions[decision]], [decidedBy[by], decisions[decision]], asking);
    if (defaultAnswer === undefined) {
      const why = by === "nobody_to_ask" || by === "nobody_left" ? withoutDefault[by] : "";
      return message([decidedByTerse[by], noAnswer], [why, noAnswer], asking);
    }
    const said = defaultAnswer.kind === "text" ? defaultAnswer.text : words[defaultAnswer.kind];
    const { terse, normal } = words.takenToBe(quotedIn(language, said));
    return message([decidedByTerse[by], terse], [decidedBy[by], normal], asking);
  };
}
