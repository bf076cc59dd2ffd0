// What `h` explains at the desk.
export const ANSWER_HELP: readonly string[] = [
  "Answers are words: accept or a or yes or y; reject or no or n. For questions: what their last line says.",
  "r repeats the question. d tells all that the agent says besides. t tells the time left. s leaves it for later. l lists what is open. o and a number asks that one.",
  "When a question has ended without your answer, the first line after it answers nothing: press Enter, then answer the next.",
  "An answer in the first second after a question began is not sent, as nobody can have heard it yet. Where answers are piped in, it is.",
  "Where any words are an answer, = before them sends a single letter as it is: =r.",
];
