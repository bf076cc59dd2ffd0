// The briefing of one subscription as units of its view (R6, R17, R27).
import { type AgentEvent, type Epoch, type JournaledEvent, topicKind } from "../event/event.js";
import type { Terms } from "../terms/terms.js";
import { unitOf } from "../views/event-units.js";
import type { SharedRendering } from "../views/shared-rendering.js";
import type { Unit } from "../views/unit.js";
import type { View } from "../views/view.js";
import { type Briefing, type BriefingKind, type BriefingNotice, createBriefing } from "./briefing.js";

/** Makes the units of a briefing, each when it is asked for and then leaves (R17, R34). */
export interface UnitBriefing extends Pick<Briefing, "add" | "drop"> {
  /**
   * Notices of questions that the subscription cannot answer; critical, and therefore outside the budget. Empty for a notice that is outdated or not
   * wanted; undefined if none is left.
   */
  readonly nextNotice: () => readonly Unit[] | undefined;
  readonly noticeCount: () => number;
  /** Losses, then summaries of sessions; the same results. */
  readonly next: () => readonly Unit[] | undefined;
  readonly count: () => number;
  /** Number of calls of `next` on this briefing. */
  readonly enqueuedCount: () => number;
  /** The losses and the summary of one session, ahead of their turn: before a critical event of that session. */
  readonly ofSession: (session: string) => readonly Unit[];
}

export interface BriefedListener {
  readonly terms: () => Terms;
  readonly view: () => View;
  /** An event that the daemon makes for this subscription alone. */
  readonly localEntry: (event: AgentEvent, kind: JournaledEvent["kind"], epoch: Epoch) => SharedRendering;
  readonly isOpen: (sessionId: string) => boolean;
}

const NOTICES: readonly BriefingKind[] = ["notices"];
const TOLD: readonly BriefingKind[] = ["losses", "sums"];

export function createUnitBriefing(listener: BriefedListener): UnitBriefing {
  const briefing = createBriefing();
  let enqueuedCount = 0;

  const unitsOf = (series: readonly BriefingNotice[]): readonly Unit[] => {
    const view = listener.view();
    return series.flatMap(({ kind, event, epoch }) => {
      // Text that the view holds gets no earlier timestamp than its session's summary (R30).
      if (kind === "sums" && listener.isOpen(event.session_id)) view.noteTimestamp(event.session_id, event.timestamp);
      const rendering = listener.localEntry(event, topicKind(event.type), epoch);
      return view.terms.wants(rendering) ? unitOf(rendering, view, "plain") : [];
    });
  };

  const next = (kinds: readonly BriefingKind[]): readonly Unit[] | undefined => {
    const series = briefing.next(kinds, listener.terms());
    return series && unitsOf(series);
  };

  return {
    add: briefing.add,
    drop: briefing.drop,
    nextNotice: () => next(NOTICES),
    noticeCount: () => briefing.count(NOTICES),
    next: () => {
      enqueuedCount += 1;
      return next(TOLD);
    },
    enqueuedCount: () => enqueuedCount,
    count: () => briefing.count(TOLD),
    ofSession: (sessionId) => unitsOf(briefing.ofSession(sessionId, listener.terms())),
  };
}
