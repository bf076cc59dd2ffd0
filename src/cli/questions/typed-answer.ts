// Reads a typed line as an answer to one question or as one of the commands around it. A line that is not plainly an answer is none, and neither is
// an empty line.
import { isCarried } from "../../base/json-number.js";
import { ownMember } from "../../base/members.js";
import { type Answerable, type Choice, hintLine, numbersChoose } from "./asked-question.js";

/** Words of `aaepd speak` that are about a text, as in src/cli/speak/key-names.ts; `keys` tells them. */
export type TextKey = "hush" | "skip" | "again" | "back" | "where" | "pause" | "resume" | "mute" | "keys";

type Plain = "repeat" | "details" | "spell" | "list" | "later" | "time" | "help" | "leave";

export type Typed =
  | { readonly kind: "decision"; readonly decision: "accept" | "reject" }
  | { readonly kind: "response"; readonly response: string | number | boolean }
  | { readonly kind: Plain | "nothing" }
  /** Asks an open question now. */
  | { readonly kind: "open"; readonly number: number }
  /** Stops an agent, or tells which can be stopped; or a word about what is shown. */
  | { readonly kind: "key"; readonly key: TextKey | "stop"; readonly number: number | undefined }
  /** No answer; `why` names the possible answers. */
  | { readonly kind: "unclear"; readonly why: string };

/** Longest answer by the schema of the reply, UTF-16 units. */
const LONGEST_ANSWER = 16_384;

const LETTERS: Readonly<Record<string, Plain>> = {
  r: "repeat",
  d: "details",
  l: "list",
  s: "later",
  t: "time",
  h: "help",
};

const WORDS: Readonly<Record<string, Plain>> = {
  details: "details",
  spell: "spell",
  questions: "list",
  help: "help",
  leave: "leave",
};

/** Whole words: one letter beside the key of a command must not consent to anything. */
const DECISIONS: Readonly<Record<string, "accept" | "reject">> = {
  accept: "accept",
  yes: "accept",
  reject: "reject",
  no: "reject",
};

const YES_OR_NO: Readonly<Record<string, boolean>> = { yes: true, y: true, no: false, n: false };

const KEY = /^(?:(hush|skip|again|back|where|pause|resume|keys)|(stop|mute)(?:\s+(\d{1,4}))?)$/;

/** A word about what is shown, or "stop". Undefined for any other line. A slash before it is left out. */
export function readKey(line: string): Extract<Typed, { kind: "key" }> | undefined {
  const match = KEY.exec(unmarked(line.trim().toLowerCase()).replace(/^\?$/, "keys"));
  if (match === null) return undefined;
  const [, plain, counted, digits] = match;
  const number = digits === undefined ? undefined : Number(digits);
  return { kind: "key", key: (plain ?? counted) as TextKey | "stop", number };
}

/** A slash marks a command where words of the person's own are asked for. */
function unmarked(text: string): string {
  return text.startsWith("/") ? text.slice(1) : text;
}

function readWord(text: string): Typed | undefined {
  const kind = ownMember(WORDS, text.toLowerCase());
  return kind === undefined ? readKey(text) : { kind };
}

/** Commands for any time: single letters, so that no answer in words is mistaken for one, and numbers of questions. */
function readCommand(line: string): Typed | undefined {
  const text = line.trim().toLowerCase();
  if (text === "") return { kind: "nothing" };
  if (text === "?") return readKey(text);
  const letter = ownMember(LETTERS, text);
  if (letter !== undefined) return { kind: letter };
  const number = /^o\s*(\d{1,9})$/.exec(text)?.[1];
  return number === undefined ? undefined : { kind: "open", number: Number(number) };
}

/** A command while no question is asked. */
export function readAnywhere(line: string): Typed | undefined {
  return readCommand(line) ?? readWord(unmarked(line.trim()));
}

/** `canLeave`: the question is asked in a window of its agent as well. */
export function readAnswer(line: string, answerable: Answerable, canLeave = false): Typed {
  const text = line.trim();
  // A leading = sends a text that looks like a command, and a number or text that looks like the number of a choice.
  if (text.startsWith("=") && answerable.kind === "clarification") {
    const literal = readLiteral(text.slice(1).trim(), answerable);
    if (literal !== undefined) return literal;
  }
  const command = readCommand(line);
  if (command !== undefined) return command;
  const isCommand = text.startsWith("/") || !isAnswer(text, answerable);
  const word = readWord(unmarked(text));
  if (word !== undefined && (isCommand || (word.kind === "leave" && canLeave))) return word;
  const said = /^\/?answer\s+(\S.*)$/i.exec(text)?.[1];
  if (said !== undefined && isCommand) return readAnswer(said, answerable, canLeave);
  return answerable.kind === "confirmation" ? readDecision(text, answerable.allowed) : readResponse(text, answerable);
}

/** Whether the text could be meant for the agent. */
function isAnswer(text: string, answerable: Answerable): boolean {
  if (answerable.kind === "confirmation") return false;
  return answerable.kinds.includes("freetext") || chosen(text, answerable.choices, false) !== undefined;
}

function readDecision(text: string, allowed: readonly ("accept" | "reject")[]): Typed {
  const word = text.toLowerCase();
  const decision = ownMember(DECISIONS, word);
  const hint = hintLine({ kind: "confirmation", allowed });
  if (decision === undefined) {
    const why = word === "y" || word === "n" ? `An agent's question needs the whole word. ${hint}` : hint;
    return { kind: "unclear", why };
  }
  if (!allowed.includes(decision)) return { kind: "unclear", why: `The agent does not offer that. ${hint}` };
  return { kind: "decision", decision };
}

/** The meaning of a comma differs between people, so a number with a comma is asked for again. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)$/;

const TOO_LONG_A_NUMBER = "No agent gets a number of so many digits as it is. Type a smaller one.";

/** The number; undefined if the text is none, or one that would change on its way (R41). */
function numberIn(text: string): number | undefined {
  return NUMBER.test(text) && isCarried(text.replace("+", "")) ? Number(text) : undefined;
}

type Clarification = Extract<Answerable, { kind: "clarification" }>;

/** Undefined if neither numbers nor texts are answers. */
function readLiteral(text: string, { kinds }: Clarification): Typed | undefined {
  const number = kinds.includes("numeric") ? numberIn(text) : undefined;
  if (number !== undefined) return { kind: "response", response: number };
  return kinds.includes("freetext") ? readText(text) : undefined;
}

function readResponse(text: string, answerable: Clarification): Typed {
  const { kinds, choices } = answerable;
  const word = text.toLowerCase();
  if (kinds.includes("multiple_choice")) {
    const choice = chosen(text, choices, numbersChoose(kinds));
    if (choice !== undefined) return { kind: "response", response: choice.value };
    const why = meantAsChoice(text, answerable);
    if (why !== undefined) return { kind: "unclear", why };
  }
  const agreed = kinds.includes("yes_no") ? ownMember(YES_OR_NO, word) : undefined;
  if (agreed !== undefined) return { kind: "response", response: agreed };
  const literal = readLiteral(text, answerable);
  if (literal !== undefined) return literal;
  const isTooLong = kinds.includes("numeric") && NUMBER.test(text);
  return { kind: "unclear", why: isTooLong ? TOO_LONG_A_NUMBER : hintLine(answerable) };
}

/**
 * Finds a choice by its number, or by its whole value or label. If the number of one choice is the name of another, it means neither; c marks the
 * number. A voice may leave out the sign #, which marks it too.
 */
function chosen(text: string, choices: readonly Choice[], byBareNumber: boolean): Choice | undefined {
  const word = text.toLowerCase();
  const named = choices.find(({ value, label }) => value.toLowerCase() === word || label.toLowerCase() === word);
  const place = /^[c#]\s*(\d{1,2})$/.exec(word)?.[1] ?? (byBareNumber ? /^\d{1,2}$/.exec(text)?.[0] : undefined);
  const placed = place === undefined ? undefined : choices[Number(place) - 1];
  if (named !== undefined && placed !== undefined && named !== placed) return undefined;
  return named ?? placed;
}

/** Explains why a text that may mean the number of a choice is not sent as a number or a text, although either is accepted. */
function meantAsChoice(text: string, { kinds, choices }: Clarification): string | undefined {
  const [, sign, digits = ""] = /^([c#]?)\s*(\d+)$/.exec(text.toLowerCase()) ?? [];
  if (numbersChoose(kinds) || choices.length === 0 || sign === undefined) return undefined;
  // A long number is an answer of its own.
  if (sign === "" && digits.length > 2) return undefined;
  const number = Number(digits);
  const choice = choices[number - 1];
  // Where numbers are answers, one that is no choice's can only be an answer.
  if (sign === "" && choice === undefined && kinds.includes("numeric")) return undefined;
  const asChoice = choice === undefined ? noSuchChoice(choices.length) : `For choice ${number} type c${number}.`;
  if (sign !== "" && !kinds.includes("freetext")) return asChoice;
  return `${asChoice} To send ${kinds.includes("freetext") ? "the text itself" : "the number itself"}, put = before it: =${text}`;
}

function noSuchChoice(count: number): string {
  return count === 1 ? "There is only choice 1: type c1." : `The choices are c1 to c${count}.`;
}

function readText(text: string): Typed {
  if (text === "") return { kind: "nothing" };
  if (text.length <= LONGEST_ANSWER) return { kind: "response", response: text };
  return { kind: "unclear", why: `That is too long: an answer may have ${LONGEST_ANSWER} characters.` };
}
