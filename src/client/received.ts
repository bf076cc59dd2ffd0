// A subscriber's memory of received events: it recognises duplicates (R12), and holds the place to resume at after a reconnect (R17). Knows no
// connection. Memory is bounded by the window of ids and by the number of remembered sessions.
import type { Envelope } from "#gen/aaep/types.js";
import { STREAMING, TERMINAL } from "./event-types.js";
import { createTextProgress, type TextProgress } from "./text-progress.js";

export interface Received {
  /**
   * Returns the event to show, or undefined if it was shown before. A chunk that begins with known text is returned without that text: after a
   * reconnect merged text may be cut elsewhere.
   */
  readonly accept: (event: Envelope) => Envelope | undefined;
  /** Reports the place that everything received so far leads to; the text received so far stays valid at that place. */
  readonly reached: (cursor: string) => void;
  /** The last place; undefined before the first. */
  readonly cursor: () => string | undefined;
  /** Forgets the text received after the last place, which may never have become durable: text from now on is new, wherever it stands (R17). */
  readonly forgetText: () => void;
}

export interface ReceivedOptions {
  /** Cursor of an earlier subscriber. */
  readonly cursor?: string | undefined;
  /** Ids remembered to recognise duplicates. Default 10,000; the oldest are forgotten first. */
  readonly rememberedIds?: number;
}

/** Sessions remembered after their end, so that repeats of their events are recognised; and sessions remembered in all, in case no end is seen. */
const REMEMBERED_ENDED_SESSIONS = 256;
const REMEMBERED_SESSIONS = 1024;

export function createReceived(options: ReceivedOptions = {}): Received {
  const { rememberedIds = 10_000 } = options;
  const ids = new Set<string>();
  const outputs = new Map<string, Map<string, TextProgress>>();
  const ended = new Set<string>();
  // Outputs with text after the last place.
  const unkept = new Set<TextProgress>();
  let { cursor } = options;

  function isKnown(eventId: string): boolean {
    if (ids.has(eventId)) return true;
    ids.add(eventId);
    if (ids.size > rememberedIds) dropOldest(ids);
    return false;
  }

  function forgetSession(sessionId: string): void {
    for (const progress of outputs.get(sessionId)?.values() ?? []) unkept.delete(progress);
    outputs.delete(sessionId);
  }

  function noteEnd({ session_id: sessionId, type }: Envelope): void {
    if (!TERMINAL.test(type)) return;
    ended.add(sessionId);
    if (ended.size > REMEMBERED_ENDED_SESSIONS) forgetSession(dropOldest(ended));
  }

  function progressOf(sessionId: string, outputId: string): TextProgress {
    const session = outputs.get(sessionId) ?? new Map<string, TextProgress>();
    outputs.set(sessionId, session);
    if (outputs.size > REMEMBERED_SESSIONS) forgetSession(outputs.keys().next().value ?? "");
    const progress = session.get(outputId) ?? createTextProgress();
    session.set(outputId, progress);
    unkept.add(progress);
    return progress;
  }

  function newText(event: Envelope): Envelope | undefined {
    const { chunk, position, complete, output_id: outputId } = event;
    if (typeof chunk !== "string" || typeof position !== "number") return event;
    const progress = progressOf(event.session_id, typeof outputId === "string" ? outputId : "");
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
      const news = STREAMING.test(event.type) ? newText(event) : event;
      noteEnd(event);
      return news;
    },
    reached: (place) => {
      cursor = place;
      for (const progress of unkept) progress.keep();
      unkept.clear();
    },
    cursor: () => cursor,
    forgetText: () => {
      outputs.clear();
      unkept.clear();
    },
  };
}

/** Removes and returns the oldest member of a set; "" if the set is empty. */
function dropOldest(set: Set<string>): string {
  for (const oldest of set) {
    set.delete(oldest);
    return oldest;
  }
  return "";
}
