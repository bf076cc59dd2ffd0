// Lines are read after they have passed, so that nobody waits for the reading, and for what is told of it. An answer often comes within a
// millisecond.

/** How much later, ms. */
const LATER_MS = 1;

export interface LateReading {
  /** Does the work later, behind what was added before. The work must not throw. */
  readonly add: (work: () => void) => void;
  /** Does now what waits: a verdict, and an answer that comes by another way, need everything that was before them. */
  readonly catchUp: () => void;
}

export function createLateReading(): LateReading {
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const catchUp = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const works = waiting;
    waiting = [];
    for (const work of works) work();
  };
  return {
    add: (work) => {
      waiting.push(work);
      timer ??= setTimeout(catchUp, LATER_MS);
    },
    catchUp,
  };
}
