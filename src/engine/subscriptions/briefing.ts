// A briefing reports to a subscription the time before it, and the events that it lost for good. It consists of parts, and each part makes one notice
// at a time, when that notice leaves (R6, R17, R27, R34).
import type { AgentEvent, Epoch } from "../event/event.js";
import type { NoticeSeries } from "../notices/notice-series.js";
import type { Terms } from "../terms/terms.js";

/** The kinds of parts. The losses and the summary of a session come before its other events. */
export type BriefingKind = "notices" | "losses" | "sums";

export interface BriefingNotice {
  readonly kind: BriefingKind;
  readonly event: AgentEvent;
  /** Epoch of the last event before the notice, which is in no journal. */
  readonly epoch: Epoch;
}

export interface Briefing {
  readonly add: (kind: BriefingKind, series: NoticeSeries, epoch: Epoch) => void;
  /** The next notices of these kinds: all for one session or one question. Undefined if none is left. */
  readonly next: (kinds: readonly BriefingKind[], terms: Terms) => readonly BriefingNotice[] | undefined;
  /** The remaining losses and summary of one session, ahead of their turn. */
  readonly ofSession: (sessionId: string, terms: Terms) => readonly BriefingNotice[];
  /** Number of sessions or questions left. */
  readonly count: (kinds: readonly BriefingKind[]) => number;
  /** Drops all parts of these kinds. */
  readonly drop: (kinds: readonly BriefingKind[]) => void;
}

interface Part {
  readonly kind: BriefingKind;
  readonly series: NoticeSeries;
  readonly epoch: Epoch;
  readonly left: Set<string>;
  /** All keys before this index are done. */
  nextIndex: number;
}

/** The first key that is not done. */
function firstLeft(part: Part): string | undefined {
  const { keys } = part.series;
  for (; part.nextIndex < keys.length; part.nextIndex += 1) {
    const key = keys[part.nextIndex];
    if (key !== undefined && part.left.has(key)) return key;
  }
  return undefined;
}

export function createBriefing(): Briefing {
  let parts: Part[] = [];

  const leave = (part: Part): void => {
    parts = parts.filter((one) => one !== part);
    part.series.release();
  };

  const say = (part: Part, key: string, terms: Terms): readonly BriefingNotice[] => {
    const { kind, series, epoch, left } = part;
    left.delete(key);
    const events = series.eventsOf(key, terms);
    if (left.size === 0) leave(part);
    return events.map((event) => ({ kind, event, epoch }));
  };

  return {
    add: (kind, series, epoch) => {
      const part = { kind, series, epoch, left: new Set(series.keys), nextIndex: 0 };
      if (part.left.size > 0) parts = [...parts, part];
      else series.release();
    },
    next: (kinds, terms) => {
      const part = parts.find(({ kind }) => kinds.includes(kind));
      const key = part && firstLeft(part);
      return part === undefined || key === undefined ? undefined : say(part, key, terms);
    },
    ofSession: (sessionId, terms) =>
      parts
        .filter(({ kind, left }) => kind !== "notices" && left.has(sessionId))
        .flatMap((part) => say(part, sessionId, terms)),
    count: (kinds) => parts.reduce((sum, { kind, left }) => (kinds.includes(kind) ? sum + left.size : sum), 0),
    drop: (kinds) => {
      for (const part of parts) if (kinds.includes(part.kind)) leave(part);
    },
  };
}
