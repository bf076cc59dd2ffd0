// Makes text of agents safe for a terminal: shown, not obeyed. Every character of a text stays: those that could move the cursor, change colours or
// reorder lines are shown by their numbers.
import { characterEscape, shownJson } from "../../base/json-line.js";

/** C0 and C1 controls, DEL, and the marks that override the direction of what follows them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSHOWN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** One line: white space becomes one space, and the ends are trimmed. A control character is shown as `\u001b`; nothing is left out. */
export function shownText(text: string): string {
  return text
    .replace(/\p{White_Space}+/gu, " ")
    .replace(/^ | $/g, "")
    .replace(UNSHOWN, characterEscape);
}

/** As `JSON.stringify`, for values that have a JSON text, in characters that end no line and that a terminal shows. */
export function jsonText(value: unknown, indent?: number): string {
  return shownJson(JSON.stringify(value, null, indent));
}

/** The texts one behind the other; those that are empty are left out. */
export function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
