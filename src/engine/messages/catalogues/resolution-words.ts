// How a question ended, put together alike in every language. A default is told as what it is, and where there is none that is told (R31).
import type { Catalogue, DecidedBy, Message, Outcome } from "./catalogue.js";
import { quotedIn, sentences } from "./wording.js";

/** The words of one language; each text is a sentence with its full stop, or empty. */
export interface ResolutionWords {
  readonly decisions: Readonly<Record<Exclude<Outcome["decision"], "unanswered">, string>>;
  /** Whose doing it was, and that the default applies where it does. */
  readonly decidedBy: Readonly<Record<DecidedBy, string>>;
  readonly decidedByTerse: Readonly<Record<DecidedBy, string>>;
  /** Why there is no answer, where there is no default either and `noAnswer` does not say it. */
  readonly withoutDefault: Readonly<Record<"nobody_to_ask" | "nobody_left", string>>;
  readonly noAnswer: string;
  readonly yes: string;
  readonly no: string;
  /** The default that applies, in few words and in more. */
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
