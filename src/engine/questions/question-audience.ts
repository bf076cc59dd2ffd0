// The audience of open questions. A question that no subscription can answer gets its default when its grace is over (R6, R7, R8b).
import type { Millis } from "../../contracts/clock.js";
import type { AbleSubscriptions } from "../terms/answering.js";
import { isAnswerable, type Pending } from "./pending-question.js";
import type { DefaultedBy } from "./question-result.js";
import type { QuestionsOptions } from "./questions-spec.js";

type AudienceOptions = Pick<QuestionsOptions, "countAble" | "limits" | "isAgentAway" | "returnUntil" | "wakeUps"> & {
  readonly now: () => Millis;
  readonly pending: ReadonlyMap<string, Pending>;
  readonly setWaiting: (entry: Pending, isWaiting: boolean) => void;
  readonly comeDue: (entry: Pending, resolvedBy: DefaultedBy) => void;
};

export interface QuestionAudience {
  /** Checks one question, which was just asked or is open again. */
  readonly check: (entry: Pending) => void;
  /** See `Questions.audienceChanged`. */
  readonly changed: (takenSession?: string) => void;
}

export function createQuestionAudience(options: AudienceOptions): QuestionAudience {
  const { pending, limits, setWaiting, comeDue } = options;
  // The count of the last check of all open questions.
  let able: AbleSubscriptions | undefined;

  const checkFor = (entry: Pending, now: AbleSubscriptions): void => {
    if (!isAnswerable(entry)) return;
    if (now.countFor(entry.question) > 0) {
      entry.hadAudience = true;
      entry.cancelGrace?.();
      entry.cancelGrace = undefined;
      setWaiting(entry, true);
      return;
    }
    if (entry.cancelGrace !== undefined || mayReturn(entry)) return;
    const resolvedBy = entry.hadAudience ? "subscription_ended" : "no_subscriber";
    const returnMs = options.returnUntil(entry.question.sessionId) - options.now();
    const graceMs = entry.hadAudience ? limits.reconnectGraceMs : Math.max(limits.confirmationGraceMs, returnMs);
    if (graceMs === 0) {
      comeDue(entry, resolvedBy);
      return;
    }
    setWaiting(entry, false);
    entry.cancelGrace = options.wakeUps.at(options.now() + graceMs, () => comeDue(entry, resolvedBy));
  };

  /** After a restart, the agent and the subscriptions that can answer may be on the way back (R8b). */
  const mayReturn = ({ isRestored, hadAudience, question }: Pending): boolean =>
    isRestored && (!hadAudience || options.isAgentAway(question.sessionId));

  return {
    check: (entry) => checkFor(entry, options.countAble()),
    changed: (takenSession) => {
      if (pending.size === 0) {
        able = undefined;
        return;
      }
      const now = options.countAble();
      // Hundreds of subscriptions may end beside thousands of questions. A check that cannot change anything is left out (R34).
      const isTheSame = takenSession === undefined && able?.differsFrom(now) === false;
      able = now;
      if (isTheSame) return;
      for (const entry of [...pending.values()]) {
        // Subscriptions of the session's new connection never counted as audience, because no agent answers itself (R5).
        const isTaken = entry.question.sessionId === takenSession && entry.cancelGrace === undefined;
        if (isTaken && !entry.isRestored) entry.hadAudience = false;
        checkFor(entry, now);
      }
    },
  };
}
