// One connection: its beginning, what came on it, and what it owed up to a place (R17, R27).
import { type CursorFacts, cursorFacts, withoutOutputs } from "./cursor-reading.js";
import {
  type ConnectionStart,
  outputKey,
  type PublishedEvent,
  type PublishedRecord,
  type PublishedText,
} from "./place-facts.js";

interface TextCome {
  readonly characters: Map<number, string>;
  /** The lowest position that came. */
  first: number;
  isComplete: boolean;
}

export interface Connection extends ConnectionStart {
  /** The place from which it goes on; undefined of a newcomer. */
  readonly had: CursorFacts | undefined;
  readonly ids: Set<string>;
  readonly texts: Map<string, TextCome>;
  readonly declared: Map<string, number>;
  /** Nothing up to here may come any more. */
  covered: CursorFacts | undefined;
  told: CursorFacts | undefined;
}

/** The place where nothing is missing. */
export const EVERYTHING: CursorFacts = { journal: "", after: Number.POSITIVE_INFINITY, outputs: new Map() };

export function beginConnection(start: ConnectionStart): Connection {
  const { named, resumed } = start;
  const place = named === undefined || resumed === "unknown" ? undefined : cursorFacts(named);
  const isRolledBack = resumed === "rolled_back";
  const had = isRolledBack && place !== undefined ? withoutOutputs(place) : place;
  return {
    ...start,
    had,
    ids: new Set(),
    texts: new Map(),
    declared: new Map(),
    // After a gap a text may come from where it is held, as newcomers get it.
    covered: resumed === "gap" ? undefined : had,
    told: undefined,
  };
}

export interface Owed {
  readonly event: PublishedEvent;
  /** As far as the place says so. */
  readonly hasCome: boolean;
}

/**
 * All that is owed on a connection up to a place: events after its beginning, and text that goes further. `hasEver`: whether a position of an output
 * came on any connection.
 */
export function owedOn(
  connection: Connection,
  to: CursorFacts,
  { events, outputs, outputsByDigest }: PublishedRecord,
  hasEver: (output: string, position: number) => boolean,
): readonly Owed[] {
  const { had, head, until = Infinity, texts } = connection;
  const owed = new Set(events.slice(lowestAbove(events, had?.after ?? head), lowestAbove(events, to.after)));
  const further = [...to.outputs.keys()].map((digest) => outputsByDigest.get(digest));
  // Text that was held for a newcomer has no hole.
  const held = had === undefined ? [...texts.keys()].map((key) => outputs.get(key)) : [];
  for (const output of [...further, ...held]) for (const event of output?.events ?? []) owed.add(event);
  return [...owed]
    .filter(({ epoch = Infinity, isVoid }) => epoch <= until && epoch < Infinity && (isVoid !== true || epoch > head))
    .map((event) => {
      const { id, sessionId, text } = event;
      if (text === undefined) return { event, hasCome: connection.ids.has(id) };
      const key = outputKey(sessionId, text.output);
      const digest = outputs.get(key)?.digest ?? "";
      return { event, hasCome: hasTextCome(connection, to, event, text, { key, digest, hasEver }) };
    });
}

function hasTextCome(
  { had, head, texts }: Connection,
  to: CursorFacts,
  { epoch = 0 }: PublishedEvent,
  text: PublishedText,
  { key, digest, hasEver }: { key: string; digest: string; hasEver: (output: string, position: number) => boolean },
): boolean {
  const come = texts.get(key);
  const isAfter = epoch > (had?.after ?? head);
  const isWithin = epoch <= to.after;
  const heldFrom = had === undefined ? (come?.first ?? Infinity) : Infinity;
  const begin = isAfter ? (had?.outputs.get(digest)?.to ?? 0) : heldFrom;
  const { to: goesTo = 0 } = to.outputs.get(digest) ?? {};
  // A text that is skipped is not owed (R26).
  const end = isWithin ? Infinity : Number.isFinite(goesTo) ? goesTo : 0;
  for (const [index, character] of [...text.chunk].entries()) {
    const at = text.from + index;
    if (at < begin || at >= end) continue;
    // Beyond the epoch of a place it may be other text, and on a connection before, of which a kill took back the record.
    if (isWithin ? come?.characters.get(at) !== character : !hasEver(key, at)) return false;
  }
  return !text.completes || !isAfter || !isWithin || come?.isComplete === true;
}

/** The index of the first event above an epoch. */
function lowestAbove(events: readonly PublishedEvent[], epoch: number): number {
  let low = 0;
  for (let high = events.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.epoch ?? 0) <= epoch) low = middle + 1;
    else high = middle;
  }
  return low;
}
