// A cursor: the place up to which a subscription was given everything, as a text that its client keeps and names when it comes back (R17).
import type { IdServices } from "./derived-id.js";
import type { Epoch } from "./event.js";

/** How far the text of one output was given, of which some is still owed or will never be. */
export interface GivenText {
  /** A position in code points; "end" where the output is skipped (R26). */
  readonly to: number | "end";
  /** Of the chunk in which what is owed begins. Where that never became durable, neither did what was given of it. */
  readonly epoch: Epoch;
}

export interface CursorPlace {
  /** `Journal.id`. */
  readonly journalId: string;
  /** Everything up to this epoch was handed over. */
  readonly after: Epoch;
  /** Outputs of which more was handed over than that, by `outputDigest`. At most 16. */
  readonly outputs: ReadonlyMap<string, GivenText>;
}

/** Most outputs that a cursor names. A cursor without an output only repeats more. */
export const MOST_CURSOR_OUTPUTS = 16;
/** Characters; a request with more is refused. */
export const MOST_CURSOR_LENGTH = 1024;

const FORM = /^c1\.([0-9a-f]{32})\.(\d{1,16})((?:\.[0-9a-f]{16}-(?:e|\d{1,16})-\d{1,16}){0,16})$/;

/** Stands for an output's key in a cursor: keys are as long as agents make them. */
export function outputDigest(outputKey: string, ids: IdServices): string {
  return ids.sha256Hex(outputKey).slice(0, 16);
}

/**
 * By digests, what a cursor says of outputs: first those that were named and not met since and those that are skipped, then those of which text is
 * owed, in order.
 */
export function givenFurther(
  owed: Iterable<readonly [output: string, given: GivenText]>,
  skipped: Iterable<string>,
  unmet: ReadonlyMap<string, GivenText>,
  digestOf: (output: string) => string,
): ReadonlyMap<string, GivenText> {
  const outputs = new Map(unmet);
  for (const output of skipped) {
    if (outputs.size >= MOST_CURSOR_OUTPUTS) break;
    outputs.set(digestOf(output), { to: "end", epoch: 0 });
  }
  for (const [output, given] of owed) {
    if (outputs.size >= MOST_CURSOR_OUTPUTS) break;
    // Of an output of which nothing was given, nothing has to be said.
    if (given.to === 0) continue;
    const digest = digestOf(output);
    // A view that reads text anew holds it from before the place that was named.
    if (isFurther(given, outputs.get(digest))) outputs.set(digest, given);
  }
  return outputs;
}

function isFurther(given: GivenText, said: GivenText | undefined): boolean {
  if (said === undefined || given.to === "end") return true;
  return said.to !== "end" && said.to < given.to;
}

/** The text of a cursor: less than 1 KiB. */
export function cursorText({ journalId, after, outputs }: CursorPlace): string {
  const from = Math.max(0, after);
  let text = `c1.${journalId}.${from}`;
  for (const [digest, { to, epoch }] of outputs)
    text += `.${digest}-${to === "end" ? "e" : to}-${Math.max(0, epoch - from)}`;
  return text;
}

/** Undefined for a text that no journal gave out. */
export function readCursor(text: string): CursorPlace | undefined {
  const [, journalId, afterDigits, outputsText = ""] = FORM.exec(text) ?? [];
  const after = Number(afterDigits);
  if (journalId === undefined || !Number.isSafeInteger(after)) return undefined;
  const outputs = new Map<string, GivenText>();
  for (const part of outputsText.split(".").slice(1)) {
    const [digest = "", to = "", distance = ""] = part.split("-");
    const given = { to: to === "e" ? ("end" as const) : Number(to), epoch: after + Number(distance) };
    if (!Number.isSafeInteger(given.epoch) || (given.to !== "end" && !Number.isSafeInteger(given.to))) return undefined;
    outputs.set(digest, given);
  }
  return { journalId, after, outputs };
}
