// Plays a tape at the pace at which it was recorded, for one listener.
import type { Clock, Millis } from "../../contracts/clock.js";
import type { RecordedEvent, Tape } from "./recorded-session.js";

export interface Pace {
  /** So many times as fast as it was recorded. Above 0. */
  readonly speed: number;
  /** No pause between two events is longer, ms as they are played. Default: as they were. */
  readonly longestPauseMs?: Millis | undefined;
}

/** Milliseconds between two events that follow one another, received then, as they are played. */
export function playedPauseMs(receivedAt: number, nextAt: number, { speed, longestPauseMs }: Pace): Millis {
  const pauseMs = Math.max(0, nextAt - receivedAt) / speed;
  return Math.min(pauseMs, longestPauseMs ?? pauseMs);
}

export interface PlayerOptions extends Pace {
  readonly tape: Pick<Tape, "next">;
  readonly clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">;
  /** Told what is due, in order; at most 256 events at a time. */
  readonly play: (events: readonly RecordedEvent[]) => void;
  /** Told once, after the last event. */
  readonly ended: () => void;
}

export interface Player {
  /** Begins, at once, with the next event of the tape. */
  readonly start: () => void;
  /** The listener has taken everything: it may get further ahead of it again. */
  readonly caughtUp: () => void;
  readonly stop: () => void;
}

const TURN_COUNT = 256;
/** Most events by which it gets ahead of a listener that takes its time: much less than a journal can be read back. */
const AHEAD_COUNT = 1024;
/** The same for the length of their texts. */
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
