// A briefing tells a subscription of what was before it, and of what it has missed for good: part after part, and of each part one saying at a time,
// made when it leaves (R6, R17, R27, R34).
import type { AgentEvent, Epoch } from "../event/event.js";
import type { NoticeSeries } from "../notices/notice-series.js";
import type { Terms } from "../terms/terms.js";

/** One after the other; of the last two kinds each session's before anything else of it. */
export type BriefingKind = "notices" | "losses" | "sums";

export interface BriefingNotice {
  readonly kind: BriefingKind;
  readonly event: AgentEvent;
  /** Of the last event before it: no journal has it. */
  readonly epoch: Epoch;
}

export interface Briefing {
  readonly add: (kind: BriefingKind, series: NoticeSeries, epoch: Epoch) => void;
  /** The next of some kinds; several of one session. Undefined where there is nothing left. */
  readonly next: (kinds: readonly BriefingKind[], terms: Terms) => readonly BriefingNotice[] | undefined;
  /** All that is left to be told of a session itself, its losses and its sum, out of its order. */
  readonly ofSession: (sessionId: string, terms: Terms) => readonly BriefingNotice[];
  /** How many sessions or questions are left. */
  readonly count: (kinds: readonly BriefingKind[]) => number;
  /** Forgets all of these kinds. */
  readonly drop: (kinds: readonly BriefingKind[]) => void;
}

interface Part {
  readonly kind: BriefingKind;
  readonly series: NoticeSeries;
  readonly epoch: Epoch;
  readonly left: Set<string>;
  /** Before it nothing is left of the keys. */
  nextIndex: number;
}

/** The first key that is left. */
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
