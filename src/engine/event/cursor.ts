// A cursor: the place up to which a subscription got everything, as a text that its client stores and names when it resumes (R17).
import type { IdServices } from "./derived-id.js";
import type { Epoch } from "./event.js";

/** How far the text of one output was delivered, if some of it is pending or will never be delivered. */
export interface DeliveredText {
  /** A position in code points; "end" if the output is skipped (R26). */
  readonly to: number | "end";
  /**
   * Epoch of the last chunk that was delivered in part: if that chunk never became durable, some of the delivered text is void. For a skipped output,
   * an epoch by which the output was over; 0 while it may continue.
   */
  readonly epoch: Epoch;
}

export interface CursorPlace {
  /** `Journal.id`. */
  readonly journalId: string;
  /** Everything up to this epoch was handed over. */
  readonly after: Epoch;
  /** Outputs, by `outputDigest`, of which more was handed over. At most 16. */
  readonly outputs: ReadonlyMap<string, DeliveredText>;
}

/** Most outputs that a cursor names. The text of an output that is left out is only repeated. */
export const MOST_CURSOR_OUTPUTS = 16;
/** Most characters of a cursor; a longer one is refused. */
export const MOST_CURSOR_LENGTH = 1024;

const FORM = /^c1\.([0-9a-f]{32})\.(\d{1,16})((?:\.[0-9a-f]{16}-(?:e|\d{1,16})-\d{1,16}){0,16})$/;

/** Most digests remembered. */
const REMEMBERED_DIGESTS = 1024;

/** Returns a function that computes digests of output keys for cursors. Keys can be as long as agents make them. */
export function createOutputDigests(ids: IdServices): (outputKey: string) => string {
  const digests = new Map<string, string>();
  return (outputKey) => {
    const known = digests.get(outputKey);
    if (known !== undefined) return known;
    const digest = ids.sha256Hex(outputKey).slice(0, 16);
    if (digests.size >= REMEMBERED_DIGESTS) digests.clear();
    digests.set(outputKey, digest);
    return digest;
  };
}

/** The outputs of which a place covers more than its epoch says. */
export interface FurtherOutputs {
  /** Outputs with pending text, by key, and how far their text was handed over. */
  readonly owed: Iterable<readonly [output: string, given: DeliveredText]>;
  /** Keys of skipped outputs, the oldest first. */
  readonly skipped: ReadonlySet<string>;
  /** Outputs that earlier places of the subscription covered, by digest. */
  readonly before: Iterable<readonly [digest: string, given: DeliveredText]>;
}

/** The outputs that a cursor names, by digest: skipped ones, then those of earlier places, then those with pending text, in order. */
export function deliveredFurther(
  after: Epoch,
  { owed, skipped, before }: FurtherOutputs,
  digestOf: (output: string) => string,
): ReadonlyMap<string, DeliveredText> {
  const outputs = new Map<string, DeliveredText>();
  const add = (digest: string, given: DeliveredText): void => {
    if (given.to === 0 || isPassed(given, after)) return;
    const said = outputs.get(digest);
    if (said === undefined ? outputs.size < MOST_CURSOR_OUTPUTS : isFurther(given, said)) outputs.set(digest, given);
  };
  const newest = [...skipped].slice(-MOST_CURSOR_OUTPUTS);
  for (const output of newest) add(digestOf(output), SKIPPED);
  for (const [digest, given] of before) add(digest, given);
  for (const [output, given] of owed) add(digestOf(output), given);
  return outputs;
}

/** Whether a place at `after` that names `outputs` covers the text that `before` covered. */
export function coversText(
  after: Epoch,
  outputs: ReadonlyMap<string, DeliveredText>,
  before: ReadonlyMap<string, DeliveredText>,
): boolean {
  for (const [digest, given] of before) {
    const said = outputs.get(digest);
    if (!isPassed(given, after) && (said === undefined || isFurther(given, said))) return false;
  }
  return true;
}

/** Ends the skips of outputs: they are over by this epoch. */
export function overBy(epoch: Epoch, outputs: ReadonlyMap<string, DeliveredText>): ReadonlyMap<string, DeliveredText> {
  const isSkipping = [...outputs.values()].some(mayGoOn);
  if (!isSkipping) return outputs;
  return new Map([...outputs].map(([digest, given]) => [digest, mayGoOn(given) ? { ...given, epoch } : given]));
}

const SKIPPED: DeliveredText = { to: "end", epoch: 0 };

/** Whether an output is skipped and may continue. */
export function mayGoOn({ to, epoch }: DeliveredText): boolean {
  return to === "end" && epoch === 0;
}

/** Whether the epoch of a place covers the delivered text of an output. */
function isPassed(given: DeliveredText, after: Epoch): boolean {
  return given.epoch <= after && !mayGoOn(given);
}

function isFurther(given: DeliveredText, said: DeliveredText): boolean {
  if (said.to === "end") return false;
  return given.to === "end" || said.to < given.to;
}

/** Writes a cursor: less than 1 KiB of text. */
export function cursorText({ journalId, after, outputs }: CursorPlace): string {
  const from = Math.max(0, after);
  let text = `c1.${journalId}.${from}`;
  for (const [digest, { to, epoch }] of outputs)
    text += `.${digest}-${to === "end" ? "e" : to}-${Math.max(0, epoch - from)}`;
  return text;
}

/** Reads a cursor; undefined for a text of another form. */
export function readCursor(text: string): CursorPlace | undefined {
  const [, journalId, afterDigits, outputsText = ""] = FORM.exec(text) ?? [];
  const after = Number(afterDigits);
  if (journalId === undefined || !Number.isSafeInteger(after)) return undefined;
  const outputs = new Map<string, DeliveredText>();
  for (const part of outputsText.split(".").slice(1)) {
    const [digest = "", to = "", distance = ""] = part.split("-");
    const isSkipping = to === "e" && Number(distance) === 0;
    const given = isSkipping
      ? SKIPPED
      : { to: to === "e" ? ("end" as const) : Number(to), epoch: after + Number(distance) };
    if (!Number.isSafeInteger(given.epoch) || (given.to !== "end" && !Number.isSafeInteger(given.to))) return undefined;
    outputs.set(digest, given);
  }
  return { journalId, after, outputs };
}
