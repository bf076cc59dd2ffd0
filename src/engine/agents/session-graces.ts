// How long sessions whose agents went away wait for them (R8). How one is ended then is for publishing to say.
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";
import type { Sessions } from "../sessions/sessions.js";
import { createDueOrder } from "../time/due-order.js";
import type { TurnSlices } from "../time/turn-slices.js";
import type { WakeUps } from "../time/wake-ups.js";

export interface SessionGraces {
  readonly begin: (sessionId: string) => void;
  /** Its agent is back, or it has ended. */
  readonly forget: (sessionId: string) => void;
  /** When the grace of a session ends; undefined where it has none. */
  readonly until: (sessionId: string) => Millis | undefined;
  /** What `graceMs` answers has changed; it has for those that wait too. */
  readonly graceChanged: () => void;
  /** Lets go of the clock. */
  readonly close: () => void;
}

export interface SessionGracesOptions {
  readonly clock: Pick<Clock, "now">;
  readonly wakeUps: WakeUps;
  /** Sessions are ended in slices. */
  readonly slices: TurnSlices;
  readonly log: Pick<Log, "error">;
  readonly sessions: Pick<Sessions, "openParts">;
  /** 0 ends them at once. */
  readonly graceMs: () => Millis;
  /** Ends a session. Where it throws, that is tried again. */
  readonly end: (sessionId: string) => void;
}

/** After this time the end of a session that the journal did not take is tried again, ms. */
const RETRY_MS = 1000;

/** Until its turn has come, a session can be taken over. */
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
