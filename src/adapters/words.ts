// Every announcement that an adapter makes passes here: one line, without code marks, with names of files in place of paths.

import { INVISIBLE } from "../base/unhidden.js";
import type { Wording } from "../engine/messages/wording.js";
import { shortenedText } from "../engine/text/shortened-text.js";

/** UTF-16 units of an announcement. */
export const LONGEST_ANNOUNCEMENT = 200;
/** UTF-16 units of a line that are looked at for its announcement: more than a path may have. */
const LONGEST_LINE = 8192;

const BLANKS = /[\s\p{Cc}]+/gu;
const CODE_MARKS = /[`{}]/g;
const LINE_ENDS = /\r\n|[\n\r\u2028\u2029]/;

/** The words of a host in one announcement: its first line, and how many lines are left out. */
export function announced(text: string, words: Wording): string {
  const lines = linesIn(text);
  const rest = lines.length > 1 ? ` ${words.say("moreLines", { count: lines.length - 1 })}` : "";
  return `${shortenedText(shownNames(oneLine((lines[0] ?? "").slice(0, LONGEST_LINE))), LONGEST_ANNOUNCEMENT - rest.length)}${rest}`;
}

/** Words with the name of the subagent in front of them. `title`: "" where the host tells none. */
export function ofSubagent(title: string, said: string, words: Wording): string {
  return title === "" ? words.say("untitledSubagent", { words: said }) : words.say("subagent", { title, words: said });
}

/** The lines that have more than blanks. */
export function linesIn(text: string): readonly string[] {
  return text.split(LINE_ENDS).filter((line) => line.trim() !== "");
}

/** A text without code marks, controls and what is invisible, as one line. */
export function oneLine(text: string): string {
  return text.replace(CODE_MARKS, "").replace(INVISIBLE, "").replace(BLANKS, " ").trim();
}

/** The last part of a path; the path itself if it has none. */
export function fileName(path: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== "");
  return parts.at(-1) ?? path;
}

/** The host of an address; undefined if it is none. */
export function hostOf(address: string): string | undefined {
  try {
    const { host } = new URL(address);
    return host === "" ? undefined : host;
  } catch {
    return undefined;
  }
}

/** Puts the names of files in place of their paths, and the hosts of addresses in place of them. */
function shownNames(line: string): string {
  return line.split(" ").map(shownName).join(" ");
}

const OPENING = "\"'(<[";
const CLOSING = "\"')>],;:";

function shownName(word: string): string {
  let from = 0;
  let to = word.length;
  while (from < to && OPENING.includes(word.charAt(from))) from += 1;
  while (to > from && CLOSING.includes(word.charAt(to - 1))) to -= 1;
  const inner = word.slice(from, to);
  const name = inner.includes("://") ? (hostOf(inner) ?? inner) : isPath(inner) ? fileName(inner) : inner;
  return `${word.slice(0, from)}${name}${word.slice(to)}`;
}

const PATH_BEGINNING = /^(?:[/~.]|[A-Za-z]:[/\\])/;

/** "and/or" is none, "src/config.ts" is one. */
function isPath(word: string): boolean {
  return /[/\\]/.test(word) && (PATH_BEGINNING.test(word) || fileName(word).includes("."));
}
