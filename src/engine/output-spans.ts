// Where outputs begin and end in the journal: whoever resumes in the middle of one may have had text of it held back (R17). What is known of the run
// before is read when somebody comes back to it.
import type { Journal, KeptState } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import type { Epoch, JournaledEvent } from "./event.js";
import { readKept } from "./kept-entry.js";
import { outputKey } from "./unit.js";

export interface OutputSpans {
  /** Notes the beginning and the end of an output, as they are published. */
  readonly published: (entry: JournaledEvent) => void;
  /**
   * The epoch before the oldest output that was open at `epoch`, or `epoch` where there was none. `isPart` says that this is the place of a part of a
   * text: the rest of the chunk it ended in may have followed.
   */
  readonly beforeOpen: (epoch: Epoch, sessionId: string | undefined, isPart: boolean) => Epoch;
  readonly forgetSession: (sessionId: string) => void;
  /** Outputs that are open or ended within the journal's window, and at most as many again. */
  readonly count: () => number;
}

export interface OutputSpansServices {
  readonly journal: Pick<Journal, "oldest">;
  readonly kept: KeptState;
  readonly log: Pick<Log, "error">;
  /** Whether an epoch is of a run before this one. */
  readonly isBefore: (epoch: Epoch) => boolean;
}

interface Span {
  readonly start: Epoch;
  end: Epoch | undefined;
}

/** So many outputs are remembered before it is looked at which of them have left the journal. */
const FIRST_SWEEP_COUNT = 4096;

export function createOutputSpans({ journal, kept, log, isBefore }: OutputSpansServices): OutputSpans {
  const outputs = new Map<string, Map<string, Span>>();
  let count = 0;
  let sweepAt = FIRST_SWEEP_COUNT;
  let isRead = !kept.isKept;

  const forget = (sessionId: string, spans: Map<string, Span>, key: string): void => {
    const span = spans.get(key);
    if (span !== undefined) kept.put(["output", sessionId, key, span.start], () => undefined);
    spans.delete(key);
  };

  const keep = (sessionId: string, key: string, span: Span): void => {
    if (kept.isKept) kept.put(["output", sessionId, key, span.start], () => [sessionId, key, span.end ?? null]);
  };

  const readBefore = (): void => {
    if (isRead) return;
    isRead = true;
    readKept(kept, ["output"], log, (value, [, , , start]) => {
      const [sessionId, key, end] = value as readonly [string, string, Epoch | null];
      if (typeof start !== "number") return;
      // What began in this run is known.
      if (!isBefore(start)) return;
      const spans = outputs.get(sessionId) ?? new Map<string, Span>();
      outputs.set(sessionId, spans);
      const known = spans.get(key);
      if (known === undefined) count += 1;
      else if (known.start > start) return;
      spans.set(key, { start, end: end ?? undefined });
    });
  };

  /** Forgets outputs that ended before anything that can still be read: whoever comes back to such a place is told of a gap. */
  const sweep = (): void => {
    readBefore();
    const oldest = journal.oldest();
    count = 0;
    for (const [sessionId, spans] of outputs) {
      for (const [key, { end }] of spans) if (end !== undefined && end < oldest) forget(sessionId, spans, key);
      count += spans.size;
      if (spans.size === 0) outputs.delete(sessionId);
    }
    sweepAt = Math.max(FIRST_SWEEP_COUNT, 2 * count);
  };

  return {
    published: (entry) => {
      if (entry.kind !== "output.streaming") return;
      const { event } = entry;
      const isFirst = event.position === 0;
      if (!isFirst && event.complete !== true) return;
      const { session_id: sessionId } = event;
      const key = outputKey(event);
      // One that began in the run before ends in this one.
      if (!isFirst && outputs.get(sessionId)?.has(key) !== true) readBefore();
      const spans = outputs.get(sessionId) ?? new Map<string, Span>();
      outputs.set(sessionId, spans);
      const known = spans.get(key);
      // One whose end is forgotten elsewhere begins anew.
      const isNew = known === undefined || known.end !== undefined;
      if (isNew && known !== undefined) forget(sessionId, spans, key);
      const span: Span = isNew ? { start: entry.epoch, end: undefined } : known;
      if (event.complete === true) span.end = entry.epoch;
      spans.set(key, span);
      keep(sessionId, key, span);
      if (known !== undefined) return;
      count += 1;
      if (count > sweepAt) sweep();
    },
    beforeOpen: (epoch, sessionId, isPart) => {
      if (isBefore(epoch)) readBefore();
      let after = epoch;
      for (const [session, spans] of outputs) {
        if (sessionId !== undefined && session !== sessionId) continue;
        for (const span of spans.values()) {
          if (span.start <= epoch && (span.end === undefined || span.end > epoch || (isPart && span.end === epoch)))
            after = Math.min(after, span.start - 1);
        }
      }
      return after;
    },
    forgetSession: (sessionId) => {
      count -= outputs.get(sessionId)?.size ?? 0;
      outputs.delete(sessionId);
      kept.removeAll(["output", sessionId]);
    },
    count: () => count,
  };
}
