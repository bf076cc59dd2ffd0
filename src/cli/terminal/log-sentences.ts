// Lines of the daemon's log as sentences for people: the time, what happened, and what to do. The log itself makes lines of JSON.

import { type Members, ownMember } from "../../base/members.js";
import { shownBytes, timeOfDay } from "./amounts.js";
import { sentences, shownText } from "./shown-text.js";

/** The end of a line about an error in the daemon itself. */
const AN_ACCIDENT =
  "If this happens again, report it with the lines of --log-format json, which have the place in the program.";

/** Sentences of their own for the lines that nearly everybody reads. The keys are messages of the log. */
export const SENTENCES: Readonly<Record<string, (fields: Members) => string>> = {
  stopping: ({ reason, signal, err }) =>
    err === undefined
      ? `The daemon stops, because ${causeOf(reason, signal)}.`
      : sentences(sentence(`The daemon stops, because of an error in it: ${causeIn(err)}`), AN_ACCIDENT),
  stopped: ({ reason }) =>
    reason === "nothing_left" ? "The daemon has stopped by itself." : "The daemon has stopped.",
  "the configuration was read again": ({ applied, new_token_in: token }) =>
    sentences(
      "The configuration was read again.",
      listed(applied) === "" ? "No option changes now." : `These options apply now: ${listed(applied)}.`,
      token === undefined ? "" : `The new token is in ${textOf(token)}.`,
    ),
  "takes effect at the next start": ({ options }) => `These options wait for the next start: ${listed(options)}.`,
  "log lines were lost": ({ dropped }) => `${textOf(dropped)} lines of the log were lost before this one.`,
  "the journal was compacted": ({ bytesBefore, bytesAfter }) =>
    `The journal was compacted. It had ${shownBytes(Number(bytesBefore))}, and has ${shownBytes(Number(bytesAfter))} now.`,
};

/** Members that say nothing to a person, or that the sentence says in its own way. */
const UNSAID: ReadonlySet<string> = new Set([
  "level",
  "time",
  "pid",
  "msg",
  "reason",
  "err",
  "remedy",
  "epoch",
  "view",
]);

const GRADES: Readonly<Record<string, string>> = { debug: "Detail:", warn: "Warning:", error: "Error:" };

/** Turns a line of JSON of the log into one line of sentences. */
export function logSentence(line: string): string {
  const fields = JSON.parse(line) as Members;
  const { level, time, msg } = fields;
  const told = ownMember(SENTENCES, textOf(msg))?.(fields) ?? generalSentences(fields);
  const parts = [timeOfDay(new Date(textOf(time))), ownMember(GRADES, textOf(level)) ?? "", told];
  return `${shownText(sentences(...parts))}\n`;
}

function generalSentences(fields: Members): string {
  const { msg, reason, err, remedy, level } = fields;
  const others = Object.entries(fields).filter(([name]) => !UNSAID.has(name));
  return sentences(
    sentence(textOf(msg)),
    reason === undefined ? "" : sentence(textOf(reason)),
    err === undefined ? "" : sentence(`The cause: ${causeIn(err)}`),
    ...others.map(([name, value]) => sentence(`${inWords(name)}: ${textOf(value)}`)),
    remedy !== undefined ? sentence(textOf(remedy)) : level === "error" && err !== undefined ? AN_ACCIDENT : "",
  );
}

const CAUSES: Readonly<Record<string, string>> = {
  stdin_ended: "its standard input has ended",
  parent_gone: "the process that started it has ended",
};

function causeOf(reason: unknown, signal: unknown): string {
  if (reason === "signal") return `of ${signal === "SIGINT" ? "Ctrl-C (SIGINT)" : textOf(signal)}`;
  return ownMember(CAUSES, textOf(reason)) ?? `of ${textOf(reason)}`;
}

/** The message of an error. A code in front of it is for programs. */
function causeIn(err: unknown): string {
  const message = typeof err === "object" && err !== null && "message" in err ? err.message : err;
  return textOf(message).replace(/^\[\w+\] /, "");
}

/** `maxHoldMs` and `new_token_in` as "Max hold ms" and "New token in". */
function inWords(name: string): string {
  const words = name
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .replaceAll("_", " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A first word such as "max_hold_ms" stays as it is. */
function sentence(text: string): string {
  const begun = /^\w*_/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]["')\]]?$/.test(begun) || begun === "" ? begun : `${begun}.`;
}

function listed(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value);
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? listed(value) : (JSON.stringify(value) ?? "");
}
