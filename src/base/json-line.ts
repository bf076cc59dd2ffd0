// JSON in one line, for readers that take more for the end of a line than a line feed, and for terminals that obey what they are shown.

/**
 * DEL, C1 controls, the line and the paragraph separator, and the marks that override the direction of text: JSON allows them unescaped in strings.
 * It does not allow C0.
 */
const UNESCAPED = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** The same JSON, in characters that end no line and that a terminal shows. */
export function shownJson(json: string): string {
  return json.replace(UNESCAPED, characterEscape);
}

/** A character by its number, as `\u001b`. */
export function characterEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
