// The publications and the log of a client, as the oracle of places reads them: plain data that a test can write by hand.
import { STREAMING } from "./delivery-facts.js";

export interface PublishedEvent {
  readonly id: string;
  readonly type: string;
  readonly sessionId: string;
  /** Undefined where nobody was told that it was kept. */
  readonly epoch: number | undefined;
  /** A kill took it back. */
  readonly isVoid?: boolean;
  readonly text?: PublishedText | undefined;
}

interface PublishedText {
  readonly output: string;
  /** A position in code points. */
  readonly from: number;
  readonly chunk: string;
  /** It is the last of its output. */
  readonly completes: boolean;
}

/** An event as it came to a client. */
export interface ClientEvent {
  readonly kind: "event";
  readonly id: string;
  readonly type: string;
  readonly sessionId: string;
  readonly chunk?: string;
  readonly output?: string;
  readonly position?: number;
  readonly completes?: boolean;
  readonly isSummary?: boolean;
  /** It tells a client that cannot answer of a question (R6). */
  readonly isNotice?: boolean;
  /** How many events it declares lost (R27); 0 where it owes the number. */
  readonly gap?: number;
}

/** The daemon told a place (R17). */
export interface ToldPlace {
  readonly kind: "place";
  readonly cursor: string;
}

export type Arrived = ClientEvent | ToldPlace;

/** A text was skipped, or everything (R26). */
interface Skip {
  /** Of the text; undefined of everything. */
  readonly output: string | undefined;
  /** Events that had come by then. */
  readonly received: number;
}

/** How a connection began, and what is known of it beside what came. */
export interface ConnectionStart {
  /** The cursor that was named; undefined of a newcomer. */
  readonly named: string | undefined;
  /** How that was met. */
  readonly resumed: string | undefined;
  /** The journal's then. */
  readonly head: number;
  /** The journal's when it ended, where text may be said again after that. */
  until?: number;
  readonly skips?: readonly Skip[];
  /** The journal let go of nothing. */
  readonly isJournalWhole?: boolean;
}

export interface ClientConnection extends ConnectionStart {
  /** In the order in which it came. */
  readonly items: Arrived[];
}

export function isQuestion(type: string): boolean {
  return /^aaep:agent\.awaiting\./.test(type);
}

/** One code point that stood at a place of an output. */
interface PublishedCharacter {
  readonly text: string;
  readonly epoch: number;
  readonly isKept: boolean;
}

interface PublishedOutput {
  /** Positions at which it ended. */
  readonly ends: { readonly at: number; readonly epoch: number }[];
  /** By position all that ever stood there: what a kill took back may be followed by something else. */
  readonly characters: PublishedCharacter[][];
}

export interface PublishedRecord {
  /** As far as their epochs are known. */
  readonly events: readonly PublishedEvent[];
  /** By ids the epochs: of what was said again after it was void, the last. */
  readonly epochs: ReadonlyMap<string, number>;
  readonly outputs: ReadonlyMap<string, PublishedOutput>;
}

export function outputKey(sessionId: string, output: string): string {
  return `${sessionId}/${output}`;
}

/** `published`: ascending. */
export function publishedRecord(published: readonly PublishedEvent[]): PublishedRecord {
  const outputs = new Map<string, PublishedOutput>();
  const epochs = new Map<string, number>();
  const events: PublishedEvent[] = [];
  for (const event of published) {
    const { id, sessionId, text, isVoid, epoch = Infinity } = event;
    if (event.epoch !== undefined) {
      events.push(event);
      epochs.set(id, event.epoch);
    }
    if (text === undefined) continue;
    const key = outputKey(sessionId, text.output);
    const output = outputs.get(key) ?? { ends: [], characters: [] };
    outputs.set(key, output);
    const isKept = event.epoch !== undefined && isVoid !== true;
    const characters = [...text.chunk];
    for (const [index, character] of characters.entries()) {
      const at = text.from + index;
      output.characters[at] = [...(output.characters[at] ?? []), { text: character, epoch, isKept }];
    }
    if (text.completes) output.ends.push({ at: text.from + characters.length, epoch });
  }
  return { events, epochs, outputs };
}

/** The part of an event on the wire that the oracle looks at. */
export function clientEvent(event: Readonly<Record<string, unknown>>): ClientEvent {
  const { event_id: id, type, session_id: sessionId, extensions } = event;
  const marks = ((extensions as Fields | undefined)?.aaepd ?? {}) as Fields;
  const gap = marks.gap as Fields | undefined;
  return {
    kind: "event",
    id: String(id),
    type: String(type),
    sessionId: String(sessionId),
    ...(type === STREAMING
      ? {
          chunk: String(event.chunk),
          output: String(event.output_id ?? ""),
          position: Number(event.position),
          completes: event.complete === true,
        }
      : {}),
    ...(marks.summary === true ? { isSummary: true } : {}),
    ...(marks.asks === undefined ? {} : { isNotice: true }),
    // How many nobody can say where the place was unknown.
    ...(gap === undefined ? {} : { gap: Number(gap.events ?? (gap.reason === "unknown_place" ? Infinity : 0)) }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** An entry of a journal. */
export function publishedEvent(epoch: number, event: Fields, isVoid = false): PublishedEvent {
  const { id, type, sessionId, output = "", position: from = 0, chunk, completes = false } = clientEvent(event);
  const text = chunk === undefined ? undefined : { output, from, chunk, completes };
  return { id, type, sessionId, epoch, isVoid, text };
}
