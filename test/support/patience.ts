// How long a test waits for what must come. In the process's own time: one that is stopped, or gets no processor for a while, finds its timers due
// before it has read what has long been there, so that a deadline by the clock would tell of a fault where there is none.

const TICK_MS = 500;
const TICKS = 120;

/** Calls `giveUp` after a minute in which this process could read between every two half seconds. Answers the cancellation. */
export function patiently(giveUp: () => void): () => void {
  let ticks = 0;
  let timer: ReturnType<typeof setTimeout>;
  const tick = (): void => {
    ticks += 1;
    if (ticks < TICKS) timer = setTimeout(tick, TICK_MS);
    else giveUp();
  };
  timer = setTimeout(tick, TICK_MS);
  return () => clearTimeout(timer);
}

const STILL_TICK_MS = 10;
const STILL_TICKS = 40;

/** Whether it has not come although this process could read between many short waits: for what is to come only when somebody else goes on. */
export async function isStill(coming: Promise<unknown>): Promise<boolean> {
  let hasCome = false;
  const come = (): void => {
    hasCome = true;
  };
  void coming.then(come, come);
  for (let tick = 0; tick < STILL_TICKS && !hasCome; tick++) {
    await new Promise((resolve) => setTimeout(resolve, STILL_TICK_MS));
  }
  return !hasCome;
}
