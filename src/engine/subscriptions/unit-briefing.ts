// The briefing of one subscription, as units of its own view (R6, R17, R27).
import { type AgentEvent, type Epoch, type JournaledEvent, topicKind } from "../event/event.js";
import type { Terms } from "../terms/terms.js";
import { unitOf } from "../views/event-units.js";
import type { SharedRendering } from "../views/shared-rendering.js";
import type { Unit } from "../views/unit.js";
import type { View } from "../views/view.js";
import { type Briefing, type BriefingKind, type BriefingNotice, createBriefing } from "./briefing.js";

/** Tells of the time before a subscription: each unit is made when it is asked for, and is to be given then (R17, R34). */
export interface UnitBriefing extends Pick<Briefing, "add" | "drop"> {
  /** Notices of questions that it cannot answer: critical, and so at no cost. Empty where one has nothing to say any more; undefined: none left. */
  readonly nextNotice: () => readonly Unit[] | undefined;
  readonly noticeCount: () => number;
  /** The same of losses, then of how sessions stand. */
  readonly next: () => readonly Unit[] | undefined;
  readonly count: () => number;
  /** How many times `next` has been asked, of all that this briefing tells. */
  readonly enqueuedCount: () => number;
  /** The same of one session, out of its order: before something critical of that session. */
  readonly ofSession: (session: string) => readonly Unit[];
}

export interface BriefedListener {
  readonly terms: () => Terms;
  readonly view: () => View;
  /** What the daemon says to this subscription alone. */
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
      // Held text that follows is not told as if it had come before (R30).
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
