// The progress of many receivers in one process: the moment when all have reached a goal, and the credit that they give to their sender.
import { createConnection } from "node:net";

const CREDIT_STEP = 128;

/** Counts the events of receivers; `begin` starts again. */
export function createTally() {
  let counts = [];
  let credit;
  let goal = Number.POSITIVE_INFINITY;
  let reached = 0;
  let onGoal = () => {};
  /** Receivers that have passed each step of the credit. */
  let passed = new Map();
  return {
    /** `creditPath`: where to report whenever all have taken CREDIT_STEP more. */
    begin: ({ count, creditPath }) => {
      counts = Array.from({ length: count }, () => 0);
      passed = new Map();
      goal = Number.POSITIVE_INFINITY;
      reached = 0;
      credit?.destroy();
      credit = creditPath === undefined ? undefined : createConnection(creditPath);
    },
    took: (index, events) => {
      const before = counts[index];
      const after = before + events;
      counts[index] = after;
      if (credit !== undefined) {
        for (let step = Math.floor(before / CREDIT_STEP) + 1; step * CREDIT_STEP <= after; step += 1) {
          const count = (passed.get(step) ?? 0) + 1;
          if (count < counts.length) passed.set(step, count);
          else {
            passed.delete(step);
            credit.write("+");
          }
        }
      }
      if (before < goal && after >= goal) {
        reached += 1;
        if (reached === counts.length) onGoal();
      }
    },
    /** The commands that a role offers to its parent. */
    commands: {
      /**
       * Sets the goal: `count` events more at every receiver. Await it before anything is sent, because commands and events take different ways, and
       * either may be read first.
       */
      expect: ({ count }) => {
        const base = Math.max(...counts);
        if (counts.some((one) => one !== base))
          throw new Error(
            `The connections have not received alike: ${JSON.stringify(counts.slice(0, 12))} of ${counts.length}.`,
          );
        goal = base + count;
        reached = 0;
      },
      /** Resolves when every receiver has reached the goal. */
      reached: () =>
        new Promise((resolve) => {
          onGoal = resolve;
          if (reached === counts.length) resolve();
        }),
      counts: () => ({ least: Math.min(...counts), most: Math.max(...counts) }),
    },
  };
}
