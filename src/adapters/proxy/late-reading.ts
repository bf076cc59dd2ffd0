// Lines are read after they have passed, so that nobody waits for the reading, and for what is told of it. An answer often comes within a
// millisecond.

/** How much later, ms. */
const LATER_MS = 1;

export type LateReading = ReturnType<typeof createLateReading>;

export function createLateReading() {
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** Does now what waits: a verdict, and an answer that comes by another way, need everything that was before them. */
  const catchUp = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const works = waiting;
    waiting = [];
    for (const work of works) work();
  };
  return {
    /** Does the work later, behind what was added before. The work must not throw. */
    add: (work: () => void): void => {
      waiting.push(work);
      timer ??= setTimeout(catchUp, LATER_MS);
    },
    catchUp,
  };
}
