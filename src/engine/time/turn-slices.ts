// Work that arrives all at once is done in slices over several turns of the event loop, in order, so that the end of one connection holds up no
// other.
import type { Clock } from "../../contracts/clock.js";

/** Work of one turn: so many questions, or an equal cost. */
export const COST_PER_TURN = 8;

export interface TurnSlices {
  /** Does `work` now if nothing waits and this turn has room, else in a later turn. The `cost` of a question is 1. A task is never divided. */
  readonly add: (cost: number, work: () => void) => void;
  readonly waitingCount: () => number;
  /** Resolves when all work that waits now is done. */
  readonly settled: () => Promise<void>;
}

interface Task {
  readonly cost: number;
  readonly work: () => void;
}

/**
 * Makes the slices of all such work of an engine, which shares the turns of the event loop. `failed` is called with the error of work that throws,
 * because the caller in whose turn it runs has nothing to do with it.
 */
export function createTurnSlices(
  clock: Pick<Clock, "afterTurn">,
  failed: (caught: unknown) => void,
  costPerTurn: number = COST_PER_TURN,
): TurnSlices {
  let tasks: Task[] = [];
  let next = 0;
  let spent = 0;
  let isWorking = false;
  let isArmed = false;

  const work = (): void => {
    if (isWorking) return;
    isWorking = true;
    try {
      for (let task = tasks[next]; task !== undefined && spent < costPerTurn; task = tasks[next]) {
        next += 1;
        spent += task.cost;
        try {
          task.work();
        } catch (caught) {
          failed(caught);
        }
      }
    } finally {
      isWorking = false;
      if (next * 2 > tasks.length) {
        tasks = tasks.slice(next);
        next = 0;
      }
      arm();
    }
  };

  const arm = (): void => {
    if (isArmed || spent === 0) return;
    isArmed = true;
    clock.afterTurn(() => {
      isArmed = false;
      spent = 0;
      work();
    });
  };

  const add = (cost: number, task: () => void): void => {
    tasks.push({ cost: Math.max(1, cost), work: task });
    work();
  };

  return {
    add,
    waitingCount: () => tasks.length - next,
    settled: () => new Promise((resolve) => add(1, resolve)),
  };
}
