// The briefing of one subscription, as units of its own view (R6, R17, R27).
import { type AgentEvent, type Epoch, type JournaledEvent, topicKind } from "../event/event.js";
import type { StreamBriefing } from "../subscriptions/stream.js";
import type { Terms } from "../terms/terms.js";
import { unitOf } from "../views/event-units.js";
import type { LiveEntry } from "../views/live-entry.js";
import type { Unit } from "../views/unit.js";
import type { View } from "../views/view.js";
import { type Briefing, type BriefingKind, createBriefing, type Saying } from "./briefing.js";

export interface MemberBriefing extends StreamBriefing {
  readonly add: Briefing["add"];
  readonly drop: Briefing["drop"];
}

export interface BriefedMember {
  readonly terms: () => Terms;
  readonly view: () => View;
  /** What the daemon says to this subscription alone. */
  readonly localEntry: (event: AgentEvent, kind: JournaledEvent["kind"], epoch: Epoch) => LiveEntry;
  readonly isOpen: (sessionId: string) => boolean;
}

const NOTICES: readonly BriefingKind[] = ["notices"];
const TOLD: readonly BriefingKind[] = ["losses", "sums"];

export function createMemberBriefing(member: BriefedMember): MemberBriefing {
  const briefing = createBriefing();
  let saidCount = 0;

  const unitsOf = (sayings: readonly Saying[]): readonly Unit[] => {
    const view = member.view();
    return sayings.flatMap(({ kind, event, epoch }) => {
      // Held text that follows is not told as if it had come before (R30).
      if (kind === "sums" && member.isOpen(event.session_id)) view.noteTimestamp(event.session_id, event.timestamp);
      const live = member.localEntry(event, topicKind(event.type), epoch);
      return view.terms.wants(live) ? unitOf(live, view, "plain") : [];
    });
  };

  const next = (kinds: readonly BriefingKind[]): readonly Unit[] | undefined => {
    const sayings = briefing.next(kinds, member.terms());
    return sayings && unitsOf(sayings);
  };

  return {
    add: briefing.add,
    drop: briefing.drop,
    nextNotice: () => next(NOTICES),
    noticeCount: () => briefing.count(NOTICES),
    next: () => {
      saidCount += 1;
      return next(TOLD);
    },
    saidCount: () => saidCount,
    count: () => briefing.count(TOLD),
    ofSession: (sessionId) => unitsOf(briefing.ofSession(sessionId, member.terms())),
  };
}
