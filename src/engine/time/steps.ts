// Work that can stop between two steps and continue in a later turn of the event loop (R34).

/** The remaining steps. Between two steps, all data are consistent for every reader. */
export type Steps = Generator<void, void>;

/** Does all remaining steps at once. */
export function finish(steps: Steps | undefined): void {
  if (steps === undefined) return;
  for (const _ of steps) {
    // Each round is a step.
  }
}

/** Adds `last` behind the last step; calls it at once if no step is left. */
export function followedBy(steps: Steps | undefined, last: () => void): Steps | undefined {
  if (steps !== undefined) return joined(steps, last);
  last();
  return undefined;
}

function* joined(steps: Steps, last: () => void): Steps {
  yield* steps;
  last();
}
