// How long sessions whose agents went away wait for them (R8). How one is ended then is for publishing to say.
import type { Clock, Millis } from "../contracts/clock.js";
import type { Log } from "../contracts/log.js";
import type { Sessions } from "./sessions.js";
import type { TurnSlices } from "./turn-slices.js";
import type { WakeUps } from "./wake-ups.js";

export interface SessionGraces {
  readonly begin: (sessionId: string) => void;
  /** Its agent is back, or it has ended. */
  readonly forget: (sessionId: string) => void;
  /** When the grace of a session ends; undefined where it has none. */
  readonly until: (sessionId: string) => Millis | undefined;
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
  readonly graceMs: Millis;
  /** Ends a session. Where it throws, that is tried again. */
  readonly end: (sessionId: string) => void;
}

/** After this time the end of a session that the journal did not take is tried again, ms. */
const RETRY_MS = 1000;

export function createSessionGraces(options: SessionGracesOptions): SessionGraces {
  const { clock, wakeUps, slices, log, sessions, graceMs, end } = options;
  const graces = new Map<string, () => void>();
  const ends = new Map<string, Millis>();

  const forget = (sessionId: string): void => {
    graces.get(sessionId)?.();
    graces.delete(sessionId);
    ends.delete(sessionId);
  };

  /** It can still be taken over until its turn comes. */
  const comeToEnd = (sessionId: string): void => {
    const grace = graces.get(sessionId);
    // Many come to their end in the same moment: what is asked of each here costs next to nothing.
    const openParts = sessions.openParts(sessionId);
    if (grace === undefined || openParts === undefined) return;
    slices.add(1 + openParts, () => {
      if (graces.get(sessionId) !== grace) return;
      try {
        end(sessionId);
      } catch (caught) {
        const message = "a session whose agent is gone could not be ended; that is tried again";
        log.error({ err: caught, session: sessionId }, message);
        graces.set(
          sessionId,
          wakeUps.at(clock.now() + RETRY_MS, () => comeToEnd(sessionId)),
        );
      }
    });
  };

  return {
    begin: (sessionId) => {
      const at = clock.now() + graceMs;
      const over = () => comeToEnd(sessionId);
      ends.set(sessionId, at);
      graces.set(sessionId, graceMs === 0 ? () => {} : wakeUps.at(at, over));
      if (graceMs === 0) over();
    },
    forget,
    until: (sessionId) => ends.get(sessionId),
    close: () => {
      for (const sessionId of [...graces.keys()]) forget(sessionId);
    },
  };
}
