// The timers of an open question: its deadline, and the reminders of a long one (AAEP §6.4.3).
import { type Pending, secondsOf } from "./pending-question.js";
import type { QuestionsOptions } from "./questions-spec.js";

/** Questions with a timeout up to this have no reminders (AAEP §6.4.3). */
const SHORT_TIMEOUT_SECONDS = 60;

type TimerOptions = Pick<QuestionsOptions, "wakeUps" | "slices" | "now" | "remind"> & {
  readonly isOpen: (entry: Pending) => boolean;
  /** Called at the deadline. */
  readonly over: (entry: Pending) => void;
};

/** Returns the function that arms the timers of a question, whose list of timers gets all of them. */
export function createQuestionTimers(options: TimerOptions): (entry: Pending) => void {
  const { wakeUps, slices, now, remind, isOpen, over } = options;

  const armReminders = (entry: Pending): void => {
    const { question, cancelTimers } = entry;
    const seconds = secondsOf(question);
    if (seconds <= SHORT_TIMEOUT_SECONDS) return;
    for (const [passed, share] of [["half", 0.5] as const, ["nine_tenths", 0.9] as const]) {
      const remainingSeconds = Math.round(seconds * (1 - share));
      const at = question.at + seconds * share * 1000;
      const due = (): void => {
        if (isOpen(entry)) remind(question, passed, remainingSeconds);
      };
      // A reminder whose time passed while the daemon was down is left out.
      if (at > now()) cancelTimers.push(wakeUps.at(at, () => slices.add(1, due)));
    }
  };

  return (entry) => {
    entry.cancelTimers.push(wakeUps.at(entry.deadline, () => over(entry)));
    armReminders(entry);
  };
}
