// Where outputs begin and end in the journal: whoever resumes in the middle of one may have had text of it held back (R17). What is known of the run
// before is read when somebody comes back to it.
import type { Journal, KeptState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch, JournaledEvent } from "../event/event.js";
import { readKept } from "../journal/kept-entry.js";
import { outputKey } from "../views/unit.js";

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

/** Of one session, so that whoever asks of a place looks at what is open, and at what ended after it. */
interface SessionSpans {
  readonly byKey: Map<string, Span>;
  readonly open: Set<Span>;
  /** In the order of their ends. */
  ended: Span[];
}

/** So many outputs are remembered before it is looked at which of them have left the journal. */
const FIRST_SWEEP_COUNT = 4096;

export function createOutputSpans({ journal, kept, log, isBefore }: OutputSpansServices): OutputSpans {
  const outputs = new Map<string, SessionSpans>();
  let count = 0;
  let sweepAt = FIRST_SWEEP_COUNT;
  let isRead = !kept.isKept;

  const spansOf = (sessionId: string): SessionSpans => {
    const known = outputs.get(sessionId);
    if (known !== undefined) return known;
    const made: SessionSpans = { byKey: new Map(), open: new Set(), ended: [] };
    outputs.set(sessionId, made);
    return made;
  };

  /** From the tables by which it is found; whoever forgets many takes them from `ended` at once. */
  const forget = (sessionId: string, { byKey, open }: SessionSpans, key: string, span: Span): void => {
    kept.put(["output", sessionId, key, span.start], () => undefined);
    byKey.delete(key);
    open.delete(span);
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
      const spans = spansOf(sessionId);
      const known = spans.byKey.get(key);
      if (known === undefined) count += 1;
      else if (known.start > start) return;
      else spans.open.delete(known);
      const span: Span = { start, end: end ?? undefined };
      spans.byKey.set(key, span);
      if (span.end === undefined) spans.open.add(span);
    });
    // They came in no order.
    for (const spans of outputs.values())
      spans.ended = [...spans.byKey.values()]
        .filter(({ end }) => end !== undefined)
        .sort((a, b) => (a.end ?? 0) - (b.end ?? 0));
  };

  /** Forgets outputs that ended before anything that can still be read: whoever comes back to such a place is told of a gap. */
  const sweep = (): void => {
    readBefore();
    const oldest = journal.oldest();
    count = 0;
    for (const [sessionId, spans] of outputs) {
      for (const [key, span] of spans.byKey)
        if (span.end !== undefined && span.end < oldest) forget(sessionId, spans, key, span);
      spans.ended = spans.ended.filter(({ end }) => end !== undefined && end >= oldest);
      count += spans.byKey.size;
      if (spans.byKey.size === 0) outputs.delete(sessionId);
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
      if (!isFirst && outputs.get(sessionId)?.byKey.has(key) !== true) readBefore();
      const spans = spansOf(sessionId);
      const known = spans.byKey.get(key);
      // One whose end is forgotten elsewhere begins anew.
      const isNew = known === undefined || known.end !== undefined;
      if (isNew && known !== undefined) {
        forget(sessionId, spans, key, known);
        spans.ended = spans.ended.filter((one) => one !== known);
      }
      const span: Span = isNew ? { start: entry.epoch, end: undefined } : known;
      spans.byKey.set(key, span);
      if (event.complete === true) {
        span.end = entry.epoch;
        spans.open.delete(span);
        spans.ended.push(span);
      } else spans.open.add(span);
      keep(sessionId, key, span);
      if (known !== undefined) return;
      count += 1;
      if (count > sweepAt) sweep();
    },
    beforeOpen: (epoch, sessionId, isPart) => {
      if (isBefore(epoch)) readBefore();
      let after = epoch;
      const look = ({ start }: Span): void => {
        if (start <= epoch) after = Math.min(after, start - 1);
      };
      const lookAt = ({ open, ended }: SessionSpans): void => {
        open.forEach(look);
        for (let index = ended.length - 1; index >= 0; index -= 1) {
          const span = ended[index];
          if (span?.end === undefined || span.end < epoch || (span.end === epoch && !isPart)) return;
          look(span);
        }
      };
      if (sessionId === undefined) outputs.forEach(lookAt);
      else {
        const spans = outputs.get(sessionId);
        if (spans !== undefined) lookAt(spans);
      }
      return after;
    },
    forgetSession: (sessionId) => {
      count -= outputs.get(sessionId)?.byKey.size ?? 0;
      outputs.delete(sessionId);
      kept.removeAll(["output", sessionId]);
    },
    count: () => count,
  };
}
