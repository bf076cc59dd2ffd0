// The end of all open sessions when the daemon stops (R8a), in slices, so that what it leads to can leave while it goes on (R34).
import type { Sessions } from "./sessions.js";
import type { TurnSlices } from "./turn-slices.js";

export interface EndingSessionsServices {
  readonly sessions: Pick<Sessions, "openIds" | "openParts">;
  readonly slices: TurnSlices;
  /** Ends a session, unless it has ended meanwhile. May not throw. */
  readonly end: (sessionId: string) => void;
}

/** Ends all that are open, the oldest first. Nobody may open another meanwhile. Resolves when they have ended; never rejects. */
export function endAllSessions({ sessions, slices, end }: EndingSessionsServices): Promise<void> {
  return new Promise((resolve) => {
    const ids = sessions.openIds();
    const endFrom = (index: number): void => {
      const sessionId = ids[index];
      if (sessionId === undefined) {
        resolve();
        return;
      }
      slices.add(1 + (sessions.openParts(sessionId) ?? 0), () => {
        end(sessionId);
        endFrom(index + 1);
      });
    };
    endFrom(0);
  });
}
