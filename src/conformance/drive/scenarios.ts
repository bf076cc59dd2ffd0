// The scenarios that cases need, each in a sentence for the vendor's hook.

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
