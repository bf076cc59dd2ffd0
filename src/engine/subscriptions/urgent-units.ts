// Urgent units leave before everything that waits, at once and at no cost: questions that are open, notices of questions that a subscription cannot
// answer, and what it has asked to hear again (R4, R6, R28). Of questions and notices only so many leave together, each made then (R34).
import type { Epoch, JournaledEvent } from "../event/event.js";
import type { EventUnit, Unit } from "../views/unit.js";
import type { UnitBriefing } from "./unit-briefing.js";

export interface UrgentUnits {
  readonly sendFirst: (units: readonly Unit[]) => void;
  /** Of these questions, the ones that are still open by then are taken next. */
  readonly sendOpenQuestions: (questions: readonly JournaledEvent[]) => void;
  /** The next of it, without what goes ahead by itself. Where there is none though there was some, more may follow. */
  readonly take: (isOvertaking: (epoch: Epoch) => boolean) => readonly Unit[];
  /** Whether anything is left. */
  readonly hasMore: () => boolean;
  /** How many units wait that are made already. */
  readonly count: () => number;
}

/** Most questions and notices that are looked at in one take, and most of what else is urgent. */
const URGENT_LIMIT = 32;
const NO_UNITS: readonly never[] = [];

/** The subscription whose units they are. */
export interface UrgentUnitsOwner {
  /** The unit of one of them; undefined where it was resolved meanwhile, or asked. */
  readonly questionUnit: (entry: JournaledEvent) => EventUnit | undefined;
  readonly briefing: () => UnitBriefing | undefined;
}

export function createUrgentUnits(owner: UrgentUnitsOwner): UrgentUnits {
  let urgent: readonly Unit[] = NO_UNITS;
  let asked: readonly JournaledEvent[] = NO_UNITS;
  let nextAsked = 0;

  /** How a question's session stands is said directly before it, at no cost either (R17). */
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
