// The graces of sessions whose agents went away (R8). `end` decides how a session ends after its grace.
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";
import type { Sessions } from "../sessions/sessions.js";
import { createDueOrder } from "../time/due-order.js";
import type { TurnSlices } from "../time/turn-slices.js";
import type { WakeUps } from "../time/wake-ups.js";

export interface SessionGraces {
  readonly begin: (sessionId: string) => void;
  /** Ends a grace without consequence: the agent is back, or the session has ended. */
  readonly forget: (sessionId: string) => void;
  /** The instant at which the session's grace ends; undefined if none runs. */
  readonly until: (sessionId: string) => Millis | undefined;
  /** Applies a new value of `graceMs`, to running graces as well. */
  readonly graceChanged: () => void;
  /** Cancels the timers. */
  readonly close: () => void;
}

export interface SessionGracesOptions {
  readonly clock: Pick<Clock, "now">;
  readonly wakeUps: WakeUps;
  /** Spreads the ends of many sessions over several turns. */
  readonly slices: TurnSlices;
  readonly log: Pick<Log, "error">;
  readonly sessions: Pick<Sessions, "openParts">;
  /** Length of a grace, in ms; 0 ends sessions at once. */
  readonly graceMs: () => Millis;
  /** Ends a session. If it throws, it is called again after a second. */
  readonly end: (sessionId: string) => void;
}

/** Wait before the end of a session that the journal refused is tried again, in ms. */
const RETRY_MS = 1000;

/** A session can be taken over until its end has its turn. */
export function createSessionGraces(options: SessionGracesOptions): SessionGraces {
  const { clock, wakeUps, slices, log, sessions, graceMs, end } = options;

  const inTurn = (sessionId: string, work: () => void): void => {
    const openParts = sessions.openParts(sessionId);
    slices.add(1 + (openParts ?? 0), work);
  };

  const tryEnd = (sessionId: string): void => {
    try {
      end(sessionId);
    } catch (caught) {
      const message = "a session whose agent is gone could not be ended; that is tried again";
      log.error({ err: caught, session: sessionId }, message);
      retries.add(sessionId);
    }
  };

  const common = { now: clock.now, wakeUps, inTurn, act: tryEnd };
  const graces = createDueOrder({ ...common, delayMs: graceMs });
  const retries = createDueOrder({ ...common, delayMs: () => RETRY_MS });

  return {
    begin: (sessionId) => {
      retries.remove(sessionId);
      graces.add(sessionId);
    },
    forget: (sessionId) => {
      graces.remove(sessionId);
      retries.remove(sessionId);
    },
    until: (sessionId) => graces.dueAt(sessionId) ?? retries.dueAt(sessionId),
    graceChanged: graces.delayChanged,
    close: () => {
      graces.close();
      retries.close();
    },
  };
}
