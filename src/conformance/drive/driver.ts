// The scenarios that cases need, and what makes the tested producer show them.

export const SCENARIOS = {
  session: "Begin a session, think, call a tool without risk, write two sentences, and complete the session.",
  text: "Begin a session, write a text of at least six sentences, in two paragraphs and in pieces shorter than a word. Write further texts likewise, each an output of its own: in Arabic, in Japanese, in Thai and in Hindi. Complete the session.",
  flood:
    "Begin a session. For 12 seconds report progress and write text, at least 20 events a second together. Complete the session.",
  "error-after-tools":
    "As many-tools, but end the session by an error after the tools. Wait for nothing between the events.",
  confirmation:
    "Begin a session. Ask for confirmation of an irreversible action of high risk, with a timeout of 30 seconds. After an accept, call the tool. After anything else, go on thinking. Complete the session.",
  "confirmation-short": "As confirmation, with a timeout of 2 seconds.",
  "two-confirmations-short": "As two-confirmations, with a timeout of 2 seconds for the first question.",
  "two-confirmations":
    "As confirmation, and ask for confirmation of an irreversible action of medium risk after the first has ended, in the same session.",
  clarification:
    "Begin a session. Ask a question that is answered by a free text, with a timeout of 30 seconds. Go on thinking after the answer. Complete the session.",
  "cancel-question":
    "Begin a session, ask for confirmation as in confirmation, and cancel the session after one second.",
  "withdraw-question":
    "Begin a session and ask for confirmation as in confirmation. After half a second, without an answer, go back to thinking because the action is not needed any more. Complete the session a second later.",
  "number-and-yes-no":
    "Begin a session. Ask a question that is answered by a number, and after its answer one that is answered by yes or no, each with a timeout of 30 seconds. Go on thinking after each. Complete the session.",
  error: "Begin a session, call a tool, and end the session by an error because the tool fails.",
  cancel: "Begin a session, think, and cancel the session.",
  handoff: "Begin a session, hand it over to a person, and complete the session.",
  "tool-failure": "Begin a session, call a tool that fails and a tool that times out, and complete the session.",
  choice:
    "Begin a session. Ask a question that is answered by a choice of at least two values, with a timeout of 30 seconds. Go on thinking after the answer. Complete the session.",
  "many-tools": "Begin a session, call twelve tools without risk, one after the other, and complete the session.",
  verbosity:
    "Begin a session with a terse, a normal and a detailed summary, think, call a tool, and complete the session.",
  languages: "Begin a session whose summaries are in English and in French, and complete it.",
  "irreversible-unasked":
    "Begin a session, try to call an irreversible tool without a question, and complete the session. For the set aaepd alone.",
} as const;

export type ScenarioName = keyof typeof SCENARIOS;

/**
 * So many times the patience is the longest that the session of a scenario is waited for before another scenario is asked for: it would be taken for
 * that one's.
 */
export const LATEST_BEGINNING = 3;

/** A scenario that is being performed. */
export interface Performance {
  /** The session, if the driver chose its id. */
  readonly sessionId: string | undefined;
  /** Resolves when nothing more of the scenario comes. Rejects with an error whose message says what went wrong. */
  readonly done: Promise<void>;
  /** Called when no session has begun for so long that none is expected. Ends what performs the scenario. The driver lacks it from then on. */
  readonly giveUp: () => void;
}

/** Makes the tested producer show a scenario. */
export interface Driver {
  /** Makes the driver ready for its first scenario. Throws a Fault "usage" if it was set up wrongly. Undefined: it is ready. */
  readonly prepare?: () => Promise<void>;
  /** Undefined: the producer can be made to show it, as far as the driver knows. Otherwise the reason, in a sentence. */
  readonly lacks: (scenario: ScenarioName) => string | undefined;
  /** The sentence for a driver that has turned out to be set up wrongly; undefined: it has not. */
  readonly fault?: () => string | undefined;
  /** A sentence for each scenario that went wrong in the middle. */
  readonly failures?: () => readonly string[];
  readonly perform: (scenario: ScenarioName) => Promise<Performance>;
  readonly stop: () => Promise<void>;
}

/** The driver of a producer that nothing is known of. */
export const NO_DRIVER: Driver = {
  lacks: () => "Nothing makes the producer show a scenario. Give --agent, --control or --user-input.",
  perform: () => Promise.reject(new Error("There is no driver.")),
  stop: async () => {},
};
