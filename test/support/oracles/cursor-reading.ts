// A cursor (R17), read by the oracles' own hand: cursors are opaque to clients, and an oracle that asked the daemon would believe it.
import { createHash } from "node:crypto";

export interface CursorFacts {
  readonly journal: string;
  /** Everything up to this epoch was handed over. */
  readonly after: number;
  /** Of outputs, by their digests: so many code points beyond, all of a text that is skipped, and the epoch of the chunk that goes on there. */
  readonly outputs: ReadonlyMap<string, { readonly to: number; readonly epoch: number }>;
}

const FORM = /^c1\.([0-9a-f]{32})\.(\d+)((?:\.[0-9a-f]{16}-(?:e|\d+)-\d+)*)$/;

export function cursorFacts(cursor: string): CursorFacts {
  const [, journal, digits, rest] = FORM.exec(cursor) ?? [];
  if (journal === undefined || rest === undefined) throw new Error(`${cursor} is no cursor`);
  const after = Number(digits);
  const outputs = new Map<string, { readonly to: number; readonly epoch: number }>();
  for (const part of rest.split(".").slice(1)) {
    const [digest = "", to, distance] = part.split("-");
    outputs.set(digest, { to: to === "e" ? Number.POSITIVE_INFINITY : Number(to), epoch: after + Number(distance) });
  }
  return { journal, after, outputs };
}

/** Stands for an output in a cursor. */
export function digestOf(outputKey: string): string {
  return createHash("sha256").update(outputKey).digest("hex").slice(0, 16);
}

/** Outputs are void where their place is. */
export function withoutOutputs(place: CursorFacts): CursorFacts {
  return { ...place, outputs: new Map() };
}

/** A place, and beside it all that one before it on the same connection covers. */
export function bothOf(before: CursorFacts | undefined, place: CursorFacts): CursorFacts {
  if (before === undefined || before.journal !== place.journal) return place;
  const outputs = new Map(before.outputs);
  for (const [digest, given] of place.outputs)
    if (given.to > (outputs.get(digest)?.to ?? 0)) outputs.set(digest, given);
  return { ...place, after: Math.max(before.after, place.after), outputs };
}
