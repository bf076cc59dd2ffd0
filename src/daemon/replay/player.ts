// Plays a tape at its recorded pace, for one listener.
import type { Clock, Millis } from "../../contracts/clock.js";
import type { RecordedEvent, Tape } from "./recorded-session.js";

export interface Pace {
  /** Factor of the recorded pace. Above 0. */
  readonly speed: number;
  /** Longest pause between two played events, ms. Default: no limit. */
  readonly longestPauseMs?: Millis | undefined;
}

/** Returns the pause between two consecutive events as played, ms; `receivedAt` and `nextAt` are their recorded times. */
export function playedPauseMs(receivedAt: number, nextAt: number, { speed, longestPauseMs }: Pace): Millis {
  const pauseMs = Math.max(0, nextAt - receivedAt) / speed;
  return Math.min(pauseMs, longestPauseMs ?? pauseMs);
}

export interface PlayerOptions extends Pace {
  readonly tape: Pick<Tape, "next">;
  readonly clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">;
  /** Receives the due events in order, at most 256 at a time. */
  readonly play: (events: readonly RecordedEvent[]) => void;
  /** Called once, after the last event. */
  readonly ended: () => void;
}

export interface Player {
  /** Begins at once, with the next event of the tape. */
  readonly start: () => void;
  /** Reports that the listener has taken everything, so that the player may get ahead again. */
  readonly caughtUp: () => void;
  readonly stop: () => void;
}

const TURN_COUNT = 256;
/** Most events by which the player gets ahead of a slow listener: far fewer than its journal can read back. */
const AHEAD_COUNT = 1024;
/** The same limit for the length of their texts. */
const AHEAD_UNITS = 512 * 1024;

export function createPlayer({ tape, clock, play, ended, ...pace }: PlayerOptions): Player {
  let next: RecordedEvent | undefined;
  let dueAt: Millis = 0;
  let aheadCount = 0;
  let aheadUnits = 0;
  let isHeldUp = false;
  let isOver = false;
  let cancel: () => void = () => {};

  const advance = (): void => {
    const last = next;
    next = tape.next();
    if (last === undefined || next === undefined) return;
    dueAt += playedPauseMs(last.receivedAt, next.receivedAt, pace);
  };

  const isFarAhead = (): boolean => aheadCount >= AHEAD_COUNT || aheadUnits >= AHEAD_UNITS;

  const step = (): void => {
    if (isOver) return;
    const due: RecordedEvent[] = [];
    const now = clock.now();
    for (; next !== undefined && dueAt <= now && due.length < TURN_COUNT && !isFarAhead(); advance()) {
      due.push(next);
      aheadCount += 1;
      aheadUnits += next.source?.length ?? 0;
    }
    if (due.length > 0) play(due);
    if (next === undefined) {
      isOver = true;
      ended();
      return;
    }
    isHeldUp = isFarAhead();
    if (isHeldUp) return;
    if (dueAt > clock.now()) cancel = clock.wakeAt(dueAt, step);
    else clock.afterTurn(step);
  };

  return {
    start: () => {
      dueAt = clock.now();
      advance();
      clock.afterTurn(step);
    },
    caughtUp: () => {
      aheadCount = 0;
      aheadUnits = 0;
      if (!isHeldUp) return;
      isHeldUp = false;
      clock.afterTurn(step);
    },
    stop: () => {
      isOver = true;
      cancel();
    },
  };
}
