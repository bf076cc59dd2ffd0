// The help that `h` and `?` print.
export const ANSWER_HELP: readonly string[] = [
  "For a confirmation, answer yes or no, as a whole word: a single letter never agrees. accept and reject do as well. For a clarification, answer as its last line asks.",
  "r repeats the question. d tells the agent's details. spell tells all texts of the question letter by letter. t tells the time left. s leaves the question for later. l lists the open questions. o and a number, as in o 1, asks that question.",
  "? tells the words about what is shown. leave ends the question here, where the agent asks in its own window too: you answer it there. stop tells which agents are heard, and stop and a number asks that agent to stop.",
  "When a question ends without your answer, press Enter before you answer the next one: the first line answers nothing.",
  "An answer in the first second of a question is not sent, because nobody can have heard the question yet. A piped answer is sent.",
  "Where you are asked for your own words, put / before the word of a command: /stop. To answer with a single letter, with leave, or with a number that is also the number of a choice, put = before it: =r, =2.",
];

/** The words of `aaepd speak`, as far as they mean something in a text. */
export const KEY_HELP: readonly string[] = [
  "hush shows no more of the text that came last. skip does too, and lets the next text come at once.",
  "again tells the last text once more, in full. back tells the text before.",
  "where tells the latest words of each agent, and what waits.",
  "pause holds text back, and lets questions and errors through. mute holds them back too, mute 30 for 30 minutes. resume goes on.",
  "questions lists the open questions. details tells details. answer and an answer, as in answer yes, is the answer alone.",
  "stop tells which agents can be stopped, and stop 1 stops the first.",
  "Where you are asked for your own words, put / before a word: /hush.",
];
