// JSON in one line, for readers that take more for the end of a line than a line feed, and for terminals that obey what they are shown.

/**
 * DEL, C1 controls, the line and the paragraph separator, the marks that override the direction of text, and characters without a width: JSON allows
 * them unescaped in strings. It does not allow C0.
 */
const UNESCAPED =
  /[\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** The same JSON, in characters that end no line and that a terminal shows. */
export function shownJson(json: string): string {
  return json.replace(UNESCAPED, characterEscape);
}

/** A character by the numbers of its UTF-16 units, as `\u001b`. */
export function characterEscape(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
