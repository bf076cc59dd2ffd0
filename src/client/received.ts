// What a subscriber has received: to tell duplicates from news (R12), and to say where to go on after a reconnect (R17).
// Knows no connection. Memory is bounded: by the window of ids, and by the sessions that are open.
import type { Envelope } from "#gen/aaep/types.js";
import { STREAMING, TERMINAL } from "./event-types.js";

/** An event id, or the last event id of each session (R17). */
export type ResumePoint = string | Readonly<Record<string, string>>;

/**
 * `event`: all that follows the last event received, sessions that began meanwhile included. `session`: what follows in each known session;
 * others are summed up.
 */
export type ResumeForm = "event" | "session";

export interface Received {
  /**
   * The event as it is to be shown, or undefined where it was shown before. A chunk that repeats text and goes on after it is answered
   * without the repeated part: merged text may be cut elsewhere after a reconnect.
   */
  readonly accept: (event: Envelope) => Envelope | undefined;
  /** Where to resume, in this form where both are known; undefined where nothing has been received. */
  readonly resumePoint: (form: ResumeForm) => ResumePoint | undefined;
}

export interface ReceivedOptions {
  /** Where an earlier subscriber stopped. */
  readonly resumeAfter?: ResumePoint | undefined;
  /** Ids that are remembered to recognise duplicates. Default 10,000; the oldest are forgotten first. */
  readonly rememberedIds?: number;
}

interface OutputProgress {
  endPosition: number;
  isComplete: boolean;
}

/**
 * So many are remembered after their end, so that what is repeated of them is not new; and so many in all, should no end be seen: a producer
 * takes no more of them in a request (R17).
 */
const REMEMBERED_ENDED_SESSIONS = 256;
const REMEMBERED_SESSIONS = 1024;

export function createReceived(options: ReceivedOptions = {}): Received {
  const { rememberedIds = 10_000, resumeAfter } = options;
  const ids = new Set<string>();
  const outputs = new Map<string, Map<string, OutputProgress>>();
  const ended = new Set<string>();
  const lastIds = new Map(typeof resumeAfter === "object" ? Object.entries(resumeAfter) : []);
  let lastId = typeof resumeAfter === "string" ? resumeAfter : undefined;

  function isKnown(eventId: string): boolean {
    if (ids.has(eventId)) return true;
    ids.add(eventId);
    if (ids.size > rememberedIds) dropOldest(ids);
    return false;
  }

  /** Repeats are not noted: what came after them has been received. */
  function note(event: Envelope): void {
    const { event_id: eventId, session_id: sessionId } = event;
    lastId = eventId;
    lastIds.delete(sessionId);
    lastIds.set(sessionId, eventId);
    if (lastIds.size > REMEMBERED_SESSIONS) forget(lastIds.keys().next().value ?? "");
    if (!TERMINAL.test(event.type)) return;
    ended.add(sessionId);
    if (ended.size > REMEMBERED_ENDED_SESSIONS) forget(dropOldest(ended));
  }

  function forget(sessionId: string): void {
    outputs.delete(sessionId);
    lastIds.delete(sessionId);
    ended.delete(sessionId);
  }

  function progressOf(sessionId: string, outputId: string): OutputProgress {
    const session = outputs.get(sessionId) ?? new Map<string, OutputProgress>();
    outputs.set(sessionId, session);
    const progress = session.get(outputId) ?? { endPosition: 0, isComplete: false };
    session.set(outputId, progress);
    return progress;
  }

  function newText(event: Envelope): Envelope | undefined {
    const { chunk, position, complete, output_id: outputId } = event;
    if (typeof chunk !== "string" || typeof position !== "number") return event;
    const progress = progressOf(event.session_id, typeof outputId === "string" ? outputId : "");
    const characters = [...chunk];
    const repeatedCount = Math.max(0, Math.min(progress.endPosition - position, characters.length));
    const hasNewText = repeatedCount < characters.length;
    const completes = complete === true && !progress.isComplete;
    if (!hasNewText && !completes) return undefined;
    progress.endPosition = Math.max(progress.endPosition, position + characters.length);
    progress.isComplete ||= complete === true;
    if (repeatedCount === 0) return event;
    return { ...event, chunk: characters.slice(repeatedCount).join(""), position: position + repeatedCount };
  }

  return {
    accept: (event) => {
      if (isKnown(event.event_id)) return undefined;
      const news = STREAMING.test(event.type) ? newText(event) : event;
      if (news !== undefined) note(event);
      return news;
    },
    resumePoint: (form) => {
      if (form === "event" && lastId !== undefined) return lastId;
      return lastIds.size > 0 ? Object.fromEntries(lastIds) : lastId;
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
