// JSON for standard output, which may be a terminal: texts of agents and subscribers must be shown, not obeyed.

/** DEL, C1 controls and the marks that override the direction of text: JSON allows them unescaped in strings. It does not allow C0. */
const UNESCAPED = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** As `JSON.stringify`, for values that have a JSON text. */
export function jsonText(value: unknown, indent?: number): string {
  return shownJson(JSON.stringify(value, null, indent));
}

/** The same JSON, in characters that a terminal shows. */
export function shownJson(json: string): string {
  return json.replace(UNESCAPED, characterEscape);
}

/** A character by its number, as `\u001b`. */
export function characterEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
