import type { Clock } from "../../contracts/clock.js";
import { createWakeUps } from "../../engine/time/wake-ups.js";

/** Longest time of a timer of Node; a longer one would fire at once. */
const LONGEST_TIMER_MS = 0x7fff_ffff;
/** Most due wake-ups that one turn of the event loop runs; the others follow in order in later turns (R34). */
export const WAKES_PER_TURN = 64;

/**
 * The clock of the platform (R24): monotonic, with one timer behind all wake-ups. A wake-up never comes early, although timers of Node may. A pending
 * wake-up keeps the process running. One turn of the event loop runs at most `WAKES_PER_TURN` due wake-ups.
 */
export function createClock(): Clock {
  const wakeUps = createWakeUps();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let armedFor = Number.POSITIVE_INFINITY;
  // True while due wake-ups are left after a turn: they need no timer.
  let isRingingOn = false;

  function arm(): void {
    if (isRingingOn) return;
    const next = wakeUps.next();
    if (next === armedFor) return;
    clearTimeout(timer);
    timer = undefined;
    armedFor = next ?? Number.POSITIVE_INFINITY;
    if (next === undefined) return;
    const delay = Math.ceil(next - performance.now());
    timer = setTimeout(ring, Math.min(Math.max(0, delay), LONGEST_TIMER_MS));
  }

  function ring(): void {
    armedFor = Number.POSITIVE_INFINITY;
    timer = undefined;
    isRingingOn = false;
    const now = performance.now();
    try {
      wakeUps.advance(now, WAKES_PER_TURN);
    } finally {
      isRingingOn = (wakeUps.next() ?? Number.POSITIVE_INFINITY) <= now;
      if (isRingingOn) setImmediate(ring);
      else arm();
    }
  }

  let turn = 0;
  let isTurnAsked = false;

  function endTurn(): void {
    turn += 1;
    isTurnAsked = false;
  }

  function turnNumber(): number {
    if (!isTurnAsked) setImmediate(endTurn);
    isTurnAsked = true;
    return turn;
  }

  // `waiting`: callbacks for the end of the running call. `ranIn`: the turn that last ran its callbacks.
  let waiting: (() => void)[] = [];
  let ranIn = -1;

  function runInTurn(): void {
    ranIn = turnNumber();
    runWaiting();
  }

  function runWaiting(): void {
    const due = waiting;
    waiting = [];
    let at = 0;
    try {
      for (; at < due.length; at += 1) due[at]?.();
    } finally {
      // The callbacks behind one that threw.
      for (const run of due.slice(at + 1)) afterCall(run);
    }
  }

  function afterCall(run: () => void): void {
    waiting.push(run);
    if (waiting.length > 1) return;
    if (ranIn === turn) setImmediate(runWaiting);
    else process.nextTick(runInTurn);
  }

  return {
    now: () => performance.now(),
    wallTime: () => Date.now(),
    wakeAt: (at, wake) => {
      const cancel = wakeUps.at(at, wake);
      arm();
      return () => {
        cancel();
        arm();
      };
    },
    afterCall,
    turnNumber,
    afterTurn: (run) => {
      setImmediate(run);
    },
  };
}
