// A cursor: the place up to which a subscription got everything, as a text that its client stores and names when it resumes (R17).
import type { Epoch } from "./event.js";

export interface CursorPlace {
  /** `Journal.id`. */
  readonly journalId: string;
  /** Everything up to this epoch was handed over. */
  readonly after: Epoch;
}

/** Most characters of a cursor that is read. */
export const MOST_CURSOR_LENGTH = 1024;

const FORM = /^c1\.([0-9a-f]{32})\.(\d{1,16})$/;

export function cursorText({ journalId, after }: CursorPlace): string {
  return `c1.${journalId}.${Math.max(0, after)}`;
}

/** Reads a cursor; undefined for a text of another form. */
export function readCursor(text: string): CursorPlace | undefined {
  const [, journalId, digits] = text.length > MOST_CURSOR_LENGTH ? [] : (FORM.exec(text) ?? []);
  const after = Number(digits);
  return journalId === undefined || !Number.isSafeInteger(after) ? undefined : { journalId, after };
}
