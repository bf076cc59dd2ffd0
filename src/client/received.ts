// A subscriber's memory of the events that came: it tells duplicates from news (R12), and from where to go on after a reconnect (R17).
// Knows no connection. Memory is bounded: by the window of ids, and by the sessions that are remembered.
import type { Envelope } from "#gen/aaep/types.js";
import { STREAMING, TERMINAL } from "./event-types.js";
import { createTextProgress, type TextProgress } from "./text-progress.js";

export interface Received {
  /**
   * The event as it is to be shown, or undefined where it was shown before. A chunk that repeats text and goes on after it is answered
   * without the repeated part: merged text may be cut elsewhere after a reconnect.
   */
  readonly accept: (event: Envelope) => Envelope | undefined;
  /** The producer has named the place that everything so far leads to: the text so far is kept there. */
  readonly reached: (cursor: string) => void;
  /** The last such place; undefined before any. */
  readonly cursor: () => string | undefined;
  /** Text that was received may never have been kept: what comes from now on is news, wherever it stands (R17). */
  readonly forgetText: () => void;
}

export interface ReceivedOptions {
  /** The cursor of an earlier subscriber. */
  readonly cursor?: string | undefined;
  /** Ids that are remembered to recognise duplicates. Default 10,000; the oldest are forgotten first. */
  readonly rememberedIds?: number;
}

/** So many are remembered after their end, so that what is repeated of them is not new; and so many in all, should no end be seen. */
const REMEMBERED_ENDED_SESSIONS = 256;
const REMEMBERED_SESSIONS = 1024;

export function createReceived(options: ReceivedOptions = {}): Received {
  const { rememberedIds = 10_000 } = options;
  const ids = new Set<string>();
  const outputs = new Map<string, Map<string, TextProgress>>();
  const ended = new Set<string>();
  // Outputs with text since the last place.
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

/** Takes the member that was added first out of a set that has one. */
function dropOldest(set: Set<string>): string {
  for (const oldest of set) {
    set.delete(oldest);
    return oldest;
  }
  return "";
}
