// Urgent units leave before all others, at once and outside the budget: open questions, notices of questions that the subscription cannot answer, and
// events that it asked to receive again (R4, R6, R28). A limited number leaves in one take, and questions and notices are made for it (R34).
import type { Epoch, JournaledEvent } from "../event/event.js";
import type { EventUnit, Unit } from "../views/unit.js";
import type { UnitBriefing } from "./unit-briefing.js";

export interface UrgentUnits {
  readonly sendFirst: (units: readonly Unit[]) => void;
  /** Takes questions that leave next, unless they are resolved by then. */
  readonly sendOpenQuestions: (questions: readonly JournaledEvent[]) => void;
  /** The next units, without events that go ahead in the same take. May be empty although more follow. */
  readonly take: (isOvertaking: (epoch: Epoch) => boolean) => readonly Unit[];
  /** Whether anything is left. */
  readonly hasMore: () => boolean;
  /** Number of waiting units that are already made. */
  readonly count: () => number;
}

/** Most questions, most notices, and most other urgent units of one take. */
const URGENT_LIMIT = 32;
const NO_UNITS: readonly never[] = [];

/** The subscription that the units belong to. */
export interface UrgentUnitsOwner {
  /** The unit of a question; undefined if it was resolved or asked meanwhile. */
  readonly questionUnit: (entry: JournaledEvent) => EventUnit | undefined;
  readonly briefing: () => UnitBriefing | undefined;
}

export function createUrgentUnits(owner: UrgentUnitsOwner): UrgentUnits {
  let urgent: readonly Unit[] = NO_UNITS;
  let asked: readonly JournaledEvent[] = NO_UNITS;
  let nextAsked = 0;

  /** The losses and the summary of a session leave directly before its question, also outside the budget (R17). */
  const withSummary = (unit: Unit): readonly Unit[] => [...(owner.briefing()?.ofSession(unit.session) ?? []), unit];

  const takeQuestions = (isOvertaking: (epoch: Epoch) => boolean): readonly Unit[] => {
    const looked = asked.slice(nextAsked, nextAsked + URGENT_LIMIT);
    nextAsked += looked.length;
    if (nextAsked >= asked.length) asked = NO_UNITS;
    return looked.flatMap((entry) => {
      const unit = isOvertaking(entry.epoch) ? undefined : owner.questionUnit(entry);
      return unit === undefined ? [] : withSummary(unit);
    });
  };

  const takeNotices = (): readonly Unit[] => {
    const notices: Unit[] = [];
    for (let count = 0; count < URGENT_LIMIT; count += 1) {
      const next = owner.briefing()?.nextNotice();
      if (next === undefined) break;
      for (const notice of next) notices.push(...withSummary(notice));
    }
    return notices;
  };

  const hasQuestions = (): boolean => asked.length > 0;

  return {
    sendFirst: (units) => {
      urgent = [...urgent, ...units];
    },
    sendOpenQuestions: (questions) => {
      asked = questions;
      nextAsked = 0;
    },
    take: (isOvertaking) => {
      const questions = takeQuestions(isOvertaking);
      const first = [...questions, ...(hasQuestions() ? NO_UNITS : takeNotices()), ...urgent.slice(0, URGENT_LIMIT)];
      urgent = urgent.slice(URGENT_LIMIT);
      return first;
    },
    hasMore: () => hasQuestions() || (owner.briefing()?.noticeCount() ?? 0) > 0 || urgent.length > 0,
    count: () => urgent.length,
  };
}
