// Work that can stop between two steps and go on in a later turn of the event loop (R34).

/** The steps that are left. Between two of them everything stands as it should, for whoever looks at it. */
export type Steps = Generator<void, void>;

/** Does all that is left at once. */
export function finish(steps: Steps | undefined): void {
  if (steps === undefined) return;
  for (const _ of steps) {
    // Each round is a step.
  }
}

/** The same work with something to do behind its last step; done at once where no step is left. */
export function followedBy(steps: Steps | undefined, last: () => void): Steps | undefined {
  if (steps !== undefined) return joined(steps, last);
  last();
  return undefined;
}

function* joined(steps: Steps, last: () => void): Steps {
  yield* steps;
  last();
}
