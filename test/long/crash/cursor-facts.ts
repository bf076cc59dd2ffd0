// What a cursor says it covers (R17), read by the judge's own hand: cursors are opaque to listeners, and a judge that asked the daemon would believe it.
import { createHash } from "node:crypto";
import type { LogEntry } from "./record.js";

export interface Covered {
  readonly journal: string;
  /** Everything up to this epoch was handed over. */
  readonly after: number;
  /** Of outputs, by their digests, so many code points beyond. */
  readonly outputs: ReadonlyMap<string, number>;
}

const FORM = /^c1\.([0-9a-f]{32})\.(\d+)((?:\.[0-9a-f]{16}-[0-9a-z-]+)*)$/;

export function coveredBy(cursor: string): Covered {
  const [, journal, after, rest] = FORM.exec(cursor) ?? [];
  if (journal === undefined || rest === undefined) throw new Error(`${cursor} is no cursor`);
  const outputs = new Map<string, number>();
  for (const part of rest.split(".").slice(1)) {
    const [digest = "", to] = part.split("-");
    outputs.set(digest, to === "e" ? Number.POSITIVE_INFINITY : Number(to));
  }
  return { journal, after: Number(after), outputs };
}

/** Outputs are void where their place is. */
export function withoutOutputs({ journal, after }: Covered): Covered {
  return { journal, after, outputs: new Map() };
}

/** Stands for an output in a cursor. */
export function digestOf(sessionId: string, output: string): string {
  return createHash("sha256").update(`${sessionId}/${output}`).digest("hex").slice(0, 16);
}

/** What a listener was promised not to hear again at the beginning of a connection; undefined where it was promised nothing. */
export function coveredAtJoin({ named, resumed }: Extract<LogEntry, { kind: "joined" }>): Covered | undefined {
  if (named === undefined || resumed === "unknown") return undefined;
  const place = coveredBy(named);
  return resumed === "all" ? place : withoutOutputs(place);
}

/** What is covered by a place and by one that was told before it on the same connection. */
export function bothOf(before: Covered | undefined, place: Covered): Covered {
  if (before === undefined) return place;
  const outputs = new Map(before.outputs);
  for (const [digest, to] of place.outputs) outputs.set(digest, Math.max(to, outputs.get(digest) ?? 0));
  return { journal: place.journal, after: Math.max(before.after, place.after), outputs };
}
