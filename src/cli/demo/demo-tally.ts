// What one listener of the demo got, counted. Pure.
import type { Envelope } from "#gen/aaep/types.js";
import { chunkOf, isCritical } from "../terminal/event-text.js";

export interface Tally {
  /** `now` is monotonic ms, `wallTime` ms since 1970. */
  readonly note: (event: Envelope, now: number, wallTime: number) => void;
  /** From here on events are handed out whatever the pace (R8a): they are counted, and neither timed nor taken for pace. */
  readonly endPace: () => void;
  readonly eventCount: () => number;
  /** Of them, those after `endPace`. */
  readonly lateCount: () => number;
  readonly textCount: () => number;
  readonly charCount: () => number;
  readonly criticalCount: () => number;
  /** The most that arrived within ten seconds, critical ones aside. */
  readonly mostInAWindow: () => number;
  /** From the event that released it to its arrival, ms (R30). */
  readonly longestWaitMs: () => number;
  readonly longestCriticalWaitMs: () => number;
  /** All text of each output, joined, in the order in which the outputs began. */
  readonly texts: () => readonly string[];
}

/** Long enough for the burst of one that R9 allows to make no odds. */
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

/** One logical output of one session. */
export function outputKey({ session_id: sessionId, output_id: outputId }: Readonly<Record<string, unknown>>): string {
  return `${sessionId} ${outputId ?? ""}`;
}
