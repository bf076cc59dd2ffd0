// JSON for standard output, which may be a terminal: texts of agents and subscribers must be shown, not obeyed.
import { shownJson } from "../../base/json-line.js";

/** As `JSON.stringify`, for values that have a JSON text, in characters that end no line and that a terminal shows. */
export function jsonText(value: unknown, indent?: number): string {
  return shownJson(JSON.stringify(value, null, indent));
}
