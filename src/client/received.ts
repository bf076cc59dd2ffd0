// A subscriber's memory of received events: it recognises duplicates (R12), and holds the place to resume at after a reconnect (R17). Knows no
// connection. Memory is bounded by the number of remembered ids and outputs.
import type { Envelope } from "#gen/aaep/types.js";
import { STREAMING } from "./event-types.js";
import { createRecentMap } from "./recent-map.js";
import { createTextProgress, type TextProgress } from "./text-progress.js";

export interface Received {
  /**
   * Returns the event to show, or undefined if it was shown before. A chunk that begins with known text is returned without that text: after a
   * reconnect merged text may be cut elsewhere.
   */
  readonly accept: (event: Envelope) => Envelope | undefined;
  /** Reports the place that everything received on this connection leads to; the text received on it stays valid at that place. */
  readonly reached: (cursor: string) => void;
  /** The last place; undefined before the first. */
  readonly cursor: () => string | undefined;
  /** Reports a new connection. Text received after the last place may be void: other text may come at its position (R17). */
  readonly reconnected: () => void;
  /** Forgets all text: text from now on is new, wherever it stands (R17). */
  readonly forgetText: () => void;
}

export interface ReceivedOptions {
  /** Cursor of an earlier subscriber. */
  readonly cursor?: string | undefined;
  /** Newest ids that are certainly remembered, to recognise duplicates. Default 10,000. */
  readonly rememberedIds?: number;
}

/** Newest outputs whose length is certainly remembered, so that repeats of their text are recognised. */
const REMEMBERED_OUTPUTS = 4096;
/** Outputs of which the text after the last place is remembered as well: of a producer without places, of those that it wrote to last. */
const REMEMBERED_TEXTS = 64;

export function createReceived(options: ReceivedOptions = {}): Received {
  const { rememberedIds = 10_000 } = options;
  const ids = createRecentMap<true>(rememberedIds);
  let outputs = createRecentMap<TextProgress>(REMEMBERED_OUTPUTS);
  // Outputs with text after the last place, each with the connection that brought the text.
  const unkept = new Map<TextProgress, number>();
  let connection = 0;
  let { cursor } = options;

  function isKnown(eventId: string): boolean {
    if (ids.get(eventId) === true) return true;
    ids.set(eventId, true);
    return false;
  }

  function progressOf({ session_id: sessionId, output_id: outputId }: Envelope): TextProgress {
    const key = `${sessionId}\n${typeof outputId === "string" ? outputId : ""}`;
    const known = outputs.get(key);
    const progress = known ?? createTextProgress();
    if (known === undefined) outputs.set(key, progress);
    // Behind those that are silent for longer.
    unkept.delete(progress);
    unkept.set(progress, connection);
    for (const oldest of unkept.keys()) {
      if (unkept.size <= REMEMBERED_TEXTS) break;
      keep(oldest);
    }
    return progress;
  }

  function keep(progress: TextProgress): void {
    progress.keep();
    unkept.delete(progress);
  }

  function newText(event: Envelope): Envelope | undefined {
    const { chunk, position, complete } = event;
    if (typeof chunk !== "string" || typeof position !== "number") return event;
    const progress = progressOf(event);
    const characters = [...chunk];
    const repeatedCount = progress.take(characters, position);
    const completes = progress.completes(complete === true);
    if (repeatedCount === characters.length && !completes) return undefined;
    if (repeatedCount === 0) return event;
    return { ...event, chunk: characters.slice(repeatedCount).join(""), position: position + repeatedCount };
  }

  return {
    accept: (event) => {
      if (isKnown(event.event_id)) return undefined;
      return STREAMING.test(event.type) ? newText(event) : event;
    },
    reached: (place) => {
      cursor = place;
      for (const [progress, origin] of unkept) if (origin === connection) keep(progress);
    },
    cursor: () => cursor,
    reconnected: () => {
      connection += 1;
    },
    forgetText: () => {
      outputs = createRecentMap(REMEMBERED_OUTPUTS);
      unkept.clear();
    },
  };
}
