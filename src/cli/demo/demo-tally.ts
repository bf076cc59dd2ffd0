// Counts the events received by one listener of the demo. Pure.
import type { Envelope } from "#gen/aaep/types.js";
import { textOf } from "../../base/members.js";
import { chunkOf, isCritical } from "../terminal/event-text.js";

export interface Tally {
  /** Counts an event. `now` is monotonic ms, `wallTime` ms since 1970. */
  readonly note: (event: Envelope, now: number, wallTime: number) => void;
  /** Ends the paced part: later events come as fast as they are handed out (R8a). They are counted, but affect neither times nor pace. */
  readonly endPace: () => void;
  readonly eventCount: () => number;
  /** Number of events after `endPace`. */
  readonly lateCount: () => number;
  readonly textCount: () => number;
  readonly charCount: () => number;
  readonly criticalCount: () => number;
  /** The most events that arrived within ten seconds, critical ones excluded. */
  readonly mostInAWindow: () => number;
  /** Longest time from the event that released a delivery to its arrival, ms (R30). */
  readonly longestWaitMs: () => number;
  readonly longestCriticalWaitMs: () => number;
  /** Joined text of each output, in the order in which the outputs began. */
  readonly texts: () => readonly string[];
}

/** Long enough that the burst of one event, which R9 allows, does not matter. */
const WINDOW_MS = 10_000;

export function createTally(): Tally {
  const texts = new Map<string, string>();
  const arrivals: number[] = [];
  const waits = { all: 0, critical: 0 };
  const counts = { events: 0, texts: 0, chars: 0, critical: 0, mostInAWindow: 0, late: 0 };
  let isPaced = true;

  function noteTime(event: Envelope, now: number, wallTime: number): void {
    const waitMs = Math.max(0, wallTime - Date.parse(event.timestamp));
    waits.all = Math.max(waits.all, waitMs);
    if (isCritical(event)) {
      waits.critical = Math.max(waits.critical, waitMs);
      return;
    }
    arrivals.push(now);
    while (now - (arrivals[0] ?? now) >= WINDOW_MS) arrivals.shift();
    counts.mostInAWindow = Math.max(counts.mostInAWindow, arrivals.length);
  }

  return {
    note: (event, now, wallTime) => {
      counts.events += 1;
      if (isCritical(event)) counts.critical += 1;
      if (isPaced) noteTime(event, now, wallTime);
      else counts.late += 1;
      const chunk = chunkOf(event);
      if (chunk === undefined) return;
      counts.texts += 1;
      counts.chars += [...chunk].length;
      const key = outputKey(event);
      texts.set(key, (texts.get(key) ?? "") + chunk);
    },
    endPace: () => {
      isPaced = false;
    },
    lateCount: () => counts.late,
    eventCount: () => counts.events,
    textCount: () => counts.texts,
    charCount: () => counts.chars,
    criticalCount: () => counts.critical,
    mostInAWindow: () => counts.mostInAWindow,
    longestWaitMs: () => waits.all,
    longestCriticalWaitMs: () => waits.critical,
    texts: () => [...texts.values()],
  };
}

/** Key of one output of one session. */
export function outputKey({ session_id: sessionId, output_id: outputId }: Readonly<Record<string, unknown>>): string {
  return `${textOf(sessionId)} ${textOf(outputId)}`;
}
