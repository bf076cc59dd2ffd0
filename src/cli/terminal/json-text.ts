// JSON for standard output, which may be a terminal: texts of agents and subscribers are in it, and are to be shown there and not obeyed.

/** DEL, C1 controls and the marks that override the direction of text: what JSON may have in its strings as it is. C0 it may not. */
const UNESCAPED = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** As `JSON.stringify`, of a value that has a JSON text. */
export function jsonText(value: unknown, indent?: number): string {
  return shownJson(JSON.stringify(value, null, indent));
}

/** The same value as `json`, in characters that a terminal shows. */
export function shownJson(json: string): string {
  return json.replace(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
