// A question of an adapter: what will be done, whole. Its action is short and says what it leaves out; its consequence has everything.

import { unhidden } from "../base/unhidden.js";
import { wholeEnd } from "../base/whole-end.js";
import type { Wording } from "../engine/messages/wording.js";
import { shortenedText } from "../engine/text/shortened-text.js";
import { LONGEST_ANNOUNCEMENT, linesIn } from "./words.js";

/** UTF-16 units of a consequence. AAEP takes 16,384. */
const LONGEST_CONSEQUENCE = 16_000;

/** The first line of what will be done, and how much of it and how many lines follow. */
export function shortAction(what: string, words: Wording): string {
  const [line = "", ...others] = linesIn(unhidden(what)).map((one) => one.trim());
  const shown = shortenedText(line, LONGEST_ANNOUNCEMENT / 2);
  // One of its characters is the ellipsis.
  const rest = shown === line ? 0 : line.length - shown.length + 1;
  return [
    shown,
    ...(rest === 0 ? [] : [words.say("moreCharacters", { count: rest })]),
    ...(others.length === 0 ? [] : [words.say("moreLines", { count: others.length })]),
  ].join(" ");
}

export interface WholeText {
  readonly text: string;
  /** The text has not everything, and says so first. */
  readonly isCut: boolean;
}

/** The parts of a consequence, each in a line of its own. */
export function wholeText(parts: readonly string[], words: Wording): WholeText {
  const text = unhidden(parts.join("\n"));
  if (text.length <= LONGEST_CONSEQUENCE)
    return { text: text.trim() === "" ? words.say("noDetails") : text, isCut: false };
  const end = wholeEnd(text, LONGEST_CONSEQUENCE);
  return { text: `${words.say("leftOut", { count: text.length - end })}\n${text.slice(0, end)}`, isCut: true };
}
