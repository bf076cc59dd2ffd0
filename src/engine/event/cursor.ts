// A cursor: the place up to which a subscription was given everything, as a text that its client keeps and names when it comes back (R17).
import type { IdServices } from "./derived-id.js";
import type { Epoch } from "./event.js";

/** How far the text of one output was given where some of it is still owed: a position in code points, or to its end where it is skipped (R26). */
export type GivenTo = number | "end";

export interface CursorPlace {
  /** `Journal.id`. */
  readonly journalId: string;
  /** Everything up to this epoch was handed over. */
  readonly after: Epoch;
  /** Outputs of which more was handed over than that, by `outputDigest`. At most 16. */
  readonly outputs: ReadonlyMap<string, GivenTo>;
}

/** Most outputs that a cursor names. A cursor without an output only repeats more. */
export const MOST_CURSOR_OUTPUTS = 16;
/** Characters; a request with more is refused. */
export const MOST_CURSOR_LENGTH = 1024;

const FORM = /^c1\.([0-9a-f]{32})\.(\d{1,16})((?:\.[0-9a-f]{16}-(?:e|\d{1,16})){0,16})$/;

/** Stands for an output's key in a cursor: keys are as long as agents make them. */
export function outputDigest(outputKey: string, ids: IdServices): string {
  return ids.sha256Hex(outputKey).slice(0, 16);
}

/** By digests, what a cursor says of outputs: first those that are skipped and those that were named and not met since, then `positions`, in order. */
export function givenFurther(
  positions: ReadonlyMap<string, number>,
  skipped: Iterable<string>,
  unmet: ReadonlyMap<string, GivenTo>,
  digestOf: (output: string) => string,
): ReadonlyMap<string, GivenTo> {
  const outputs = new Map<string, GivenTo>();
  const name = (digest: string, to: GivenTo): void => {
    if (outputs.size < MOST_CURSOR_OUTPUTS || outputs.has(digest)) outputs.set(digest, to);
  };
  for (const [digest, to] of unmet) name(digest, to);
  for (const output of skipped) {
    if (outputs.size >= MOST_CURSOR_OUTPUTS) break;
    name(digestOf(output), "end");
  }
  for (const [output, position] of positions) {
    if (outputs.size >= MOST_CURSOR_OUTPUTS) break;
    // Of an output of which nothing was given, nothing has to be said.
    if (position > 0) name(digestOf(output), position);
  }
  return outputs;
}

/** At most 650 characters. */
export function cursorText({ journalId, after, outputs }: CursorPlace): string {
  let text = `c1.${journalId}.${Math.max(0, after)}`;
  for (const [digest, to] of outputs) text += `.${digest}-${to === "end" ? "e" : to}`;
  return text;
}

/** Undefined for a text that no journal gave out. */
export function readCursor(text: string): CursorPlace | undefined {
  const [, journalId, afterDigits, outputsText = ""] = FORM.exec(text) ?? [];
  const after = Number(afterDigits);
  if (journalId === undefined || !Number.isSafeInteger(after)) return undefined;
  const outputs = new Map<string, GivenTo>();
  for (const part of outputsText.split(".").slice(1)) {
    const to = part.slice(17);
    if (to !== "e" && !Number.isSafeInteger(Number(to))) return undefined;
    outputs.set(part.slice(0, 16), to === "e" ? "end" : Number(to));
  }
  return { journalId, after, outputs };
}
