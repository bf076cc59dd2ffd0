// Makes text of agents safe for a terminal. Every character of a text stays: those that could move the cursor, change colours or reorder lines are
// shown by their numbers.
import { characterEscape } from "../../base/json-line.js";
import { jsonText } from "./json-text.js";

/** C0 and C1 controls, DEL, and the marks that override the direction of what follows them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSHOWN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const COLOURS = /\u001b\[[0-9;:]*m/g;

/** One line: white space becomes one space, and the ends are trimmed. A control character is shown as `\u001b`; nothing is left out. */
export function shownText(text: string): string {
  return text
    .replace(/\p{White_Space}+/gu, " ")
    .replace(/^ | $/g, "")
    .replace(UNSHOWN, characterEscape);
}

/** The text without the sequences that choose colours (ECMA-48, SGR). They have no words. Not for what a person consents to. */
export function withoutColours(text: string): string {
  return text.replace(COLOURS, "");
}

/** One line that shows every character of the text, for readers of text in pieces. */
export function quotedText(text: string): string {
  return jsonText(text);
}
