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
  readonly forgetSession: (sessionId: string) => void;
}

interface OutputSpan {
  readonly start: Epoch;
  end: Epoch | undefined;
}

/** Subscribers whose points are remembered; the one that was silent longest goes first. */
const SUBSCRIBERS_KEPT = 1000;

export function createResumePoints(journal: Pick<Journal, "find" | "head">): ResumePoints {
  const points = new Map<string, Map<string, Point>>();
  const outputs = new Map<string, Map<string, OutputSpan>>();

  const stored = (subscriberId: string, matches: (point: Point, sessionId: string) => boolean): Epoch | undefined => {
    let lowest: Epoch | undefined;
    for (const [sessionId, point] of points.get(subscriberId) ?? []) {
      if (matches(point, sessionId) && (lowest === undefined || point.low < lowest)) lowest = point.low;
    }
    return lowest === undefined ? undefined : lowest - 1;
  };

  /** Before the oldest output that was open at `epoch`: text of it may have been held back then. */
  const beforeOpenOutputs = (epoch: Epoch, sessionId: string | undefined): Epoch => {
    let after = epoch;
    for (const [session, spans] of outputs) {
      if (sessionId !== undefined && session !== sessionId) continue;
      for (const span of spans.values()) {
        if (span.start <= epoch && (span.end === undefined || span.end > epoch))
          after = Math.min(after, span.start - 1);
      }
    }
    return after;
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
      const span = session.get(key) ?? { start: entry.epoch, end: undefined };
      if (event.complete === true) span.end = entry.epoch;
      session.set(key, span);
    },
    delivered: (subscriberId, sessionId, eventId, low) => {
      const known = points.get(subscriberId) ?? new Map<string, Point>();
      // Moved to the end, so that the order is that of the last delivery.
      points.delete(subscriberId);
      points.set(subscriberId, known);
      known.set(sessionId, { eventId, low });
      if (points.size > SUBSCRIBERS_KEPT) for (const oldest of points.keys()) return void points.delete(oldest);
    },
    after: (subscriberId, eventId, sessionId) => {
      const exact = stored(subscriberId, (point) => point.eventId === eventId);
      if (exact !== undefined) return exact;
      const epoch = journal.find(eventId)?.epoch ?? epochOfDerivedId(eventId);
      if (epoch !== undefined && epoch <= journal.head()) return beforeOpenOutputs(epoch, sessionId);
      return stored(subscriberId, (_, session) => sessionId === undefined || session === sessionId);
    },
    forgetSession: (sessionId) => {
      outputs.delete(sessionId);
      for (const known of points.values()) known.delete(sessionId);
    },
  };
}
