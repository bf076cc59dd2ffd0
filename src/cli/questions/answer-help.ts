// The help that `h` prints at the question prompt.
export const ANSWER_HELP: readonly string[] = [
  "For a confirmation, answer yes or no, as a whole word: a single letter never agrees. accept and reject do as well. For a clarification, answer as its last line asks.",
  "r repeats the question. d tells the agent's details. spell tells what is asked letter by letter. t tells the time left. s leaves the question for later. l lists the open questions. o and a number, as in o 1, asks that question.",
  "leave ends the question here, where the agent asks in its own window too: you answer it there. stop tells which agents are heard, and stop and a number asks that agent to stop.",
  "When a question ends without your answer, press Enter before you answer the next one: the first line answers nothing.",
  "An answer in the first second of a question is not sent, because nobody can have heard the question yet. A piped answer is sent.",
  "Where you are asked for your own words, stop and spell are such words: type s first. To answer with a single letter, with leave, or with a number that is also the number of a choice, put = before it: =r, =2.",
];
