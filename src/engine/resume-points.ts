// From where a subscription that comes back must be read (R17): repeats are possible, gaps are not.
import type { Journal } from "../contracts/journal.js";
import { epochOfDerivedId } from "./derived-id.js";
import type { Epoch, JournaledEvent } from "./event.js";
import { outputKey } from "./unit.js";

/** The last event delivered, and the lowest epoch that was still owed when it went out. */
interface Point {
  readonly eventId: string;
  readonly low: Epoch;
}

export interface ResumePoints {
  /** Notes the beginning and the end of outputs, as they are published. */
  readonly published: (entry: JournaledEvent) => void;
  readonly delivered: (subscriberId: string, sessionId: string, eventId: string, low: Epoch) => void;
  /** The epoch after which to read for a subscriber that names `eventId` as its last; undefined where nothing is known of it. */
  readonly after: (subscriberId: string, eventId: string, sessionId: string | undefined) => Epoch | undefined;
  /** Whether that is known of the id itself, and not only of where the subscriber was last. */
  readonly knows: (subscriberId: string, eventId: string) => boolean;
  readonly forgetSession: (sessionId: string) => void;
  /** Outputs of which it is remembered where they began: those that are open or ended within the journal's window, and at most as many again. */
  readonly outputCount: () => number;
}

interface SessionPoints {
  last: Point;
  readonly earlier: Point[];
}

interface OutputSpan {
  readonly start: Epoch;
  end: Epoch | undefined;
}

/** Points kept beside the last one of a session: the last events handed over may not have arrived. */
const EARLIER_KEPT = 16;
/** Subscribers whose points are remembered; the one that was silent longest goes first. */
const SUBSCRIBERS_KEPT = 1000;

/** So many outputs are remembered before it is looked at which of them have left the journal. */
const FIRST_SWEEP_COUNT = 4096;

export function createResumePoints(journal: Pick<Journal, "find" | "head" | "oldest">): ResumePoints {
  const points = new Map<string, Map<string, SessionPoints>>();
  const outputs = new Map<string, Map<string, OutputSpan>>();
  let outputCount = 0;
  let sweepAt = FIRST_SWEEP_COUNT;

  /** Forgets outputs that ended before anything that can still be read: whoever comes back to such a place is told of a gap. */
  const sweep = (): void => {
    const oldest = journal.oldest();
    outputCount = 0;
    for (const [sessionId, spans] of outputs) {
      for (const [key, { end }] of spans) if (end !== undefined && end < oldest) spans.delete(key);
      outputCount += spans.size;
      if (spans.size === 0) outputs.delete(sessionId);
    }
    sweepAt = Math.max(FIRST_SWEEP_COUNT, 2 * outputCount);
  };

  /** The lowest point of a subscriber's that `pick` chooses. */
  const stored = (
    subscriberId: string,
    pick: (points: SessionPoints, sessionId: string) => Point | undefined,
  ): Epoch | undefined => {
    let lowest: Epoch | undefined;
    for (const [sessionId, known] of points.get(subscriberId) ?? []) {
      const point = pick(known, sessionId);
      if (point !== undefined && (lowest === undefined || point.low < lowest)) lowest = point.low;
    }
    return lowest === undefined ? undefined : lowest - 1;
  };

  /**
   * Before the oldest output that was open at `epoch`: text of it may have been held back then. `isPart` says that the id is of a part of the
   * text: the rest of the chunk it ended in may have followed.
   */
  const beforeOpenOutputs = (epoch: Epoch, sessionId: string | undefined, isPart: boolean): Epoch => {
    let after = epoch;
    for (const [session, spans] of outputs) {
      if (sessionId !== undefined && session !== sessionId) continue;
      for (const span of spans.values()) {
        if (span.start <= epoch && (span.end === undefined || span.end > epoch || (isPart && span.end === epoch)))
          after = Math.min(after, span.start - 1);
      }
    }
    return after;
  };

  /** Known of the id itself: as it went to this subscriber, or as it stands in the journal. */
  const afterId = (subscriberId: string, eventId: string, sessionId: string | undefined): Epoch | undefined => {
    const exact = stored(subscriberId, ({ last, earlier }) =>
      last.eventId === eventId ? last : earlier.find((point) => point.eventId === eventId),
    );
    if (exact !== undefined) return exact;
    const whole = journal.find(eventId)?.epoch;
    const epoch = whole ?? epochOfDerivedId(eventId);
    if (epoch === undefined || epoch > journal.head()) return undefined;
    return beforeOpenOutputs(epoch, sessionId, whole === undefined);
  };

  return {
    published: (entry) => {
      if (entry.kind !== "output.streaming") return;
      const { event } = entry;
      const isFirst = event.position === 0;
      if (!isFirst && event.complete !== true) return;
      const session = outputs.get(event.session_id) ?? new Map<string, OutputSpan>();
      outputs.set(event.session_id, session);
      const key = outputKey(event);
      const known = session.get(key);
      // One whose end is forgotten elsewhere begins anew.
      const span = known === undefined || known.end !== undefined ? { start: entry.epoch, end: undefined } : known;
      if (event.complete === true) span.end = entry.epoch;
      session.set(key, span);
      if (known !== undefined) return;
      outputCount += 1;
      if (outputCount > sweepAt) sweep();
    },
    delivered: (subscriberId, sessionId, eventId, low) => {
      const known = points.get(subscriberId) ?? new Map<string, SessionPoints>();
      // Moved to the end, so that the order is that of the last delivery.
      points.delete(subscriberId);
      points.set(subscriberId, known);
      const session = known.get(sessionId);
      if (session === undefined) known.set(sessionId, { last: { eventId, low }, earlier: [] });
      else {
        session.earlier.push(session.last);
        if (session.earlier.length > EARLIER_KEPT) session.earlier.shift();
        session.last = { eventId, low };
      }
      if (points.size > SUBSCRIBERS_KEPT) for (const oldest of points.keys()) return void points.delete(oldest);
    },
    after: (subscriberId, eventId, sessionId) =>
      afterId(subscriberId, eventId, sessionId) ??
      stored(subscriberId, ({ last }, session) =>
        sessionId === undefined || session === sessionId ? last : undefined,
      ),
    knows: (subscriberId, eventId) => afterId(subscriberId, eventId, undefined) !== undefined,
    outputCount: () => outputCount,
    forgetSession: (sessionId) => {
      outputCount -= outputs.get(sessionId)?.size ?? 0;
      outputs.delete(sessionId);
      for (const known of points.values()) known.delete(sessionId);
    },
  };
}
