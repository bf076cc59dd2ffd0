// The engine's orderly stop: its sessions are ended (R8a), in slices, so that what that leads to can leave while it goes on (R34), or left open for
// the next run (R8b).
import type { Publishing } from "./agents/publishing.js";
import type { Hub } from "./hub/hub.js";
import type { Questions } from "./questions/questions-spec.js";
import type { Sessions } from "./sessions/sessions.js";
import type { TurnSlices } from "./time/turn-slices.js";

export interface StopServices {
  readonly sessions: Pick<Sessions, "openIds" | "openParts">;
  readonly slices: TurnSlices;
  readonly hub: Pick<Hub, "settled">;
  readonly publishing: Pick<Publishing, "stop" | "abandon">;
  readonly questions: Pick<Questions, "leaveOpen">;
  /** As `Engine.settled`. */
  readonly settled: () => Promise<void>;
  /** Answers when all that was journaled is safe, undefined where it is; throws or rejects while it cannot be (R29). */
  readonly whenDurable: () => Promise<void> | undefined;
}

export interface EngineStop {
  /**
   * Ends all open sessions, as if their agents had vanished (R8a), in slices over turns of the event loop. From here on nothing is published
   * ("shutting_down"). `isAgentGone`: they have, and the daemon stops because of it. Resolves when all have ended, their subscriptions have it within
   * reach, and their agents are told how their questions ended; never rejects.
   */
  readonly endSessions: (isAgentGone?: boolean) => Promise<void>;
  /**
   * In place of that, where the journal is kept for the next run: sessions and questions stay open, and nothing is published from here on
   * ("shutting_down"). Subscriptions are owed nothing more in this run (R8b). Resolves when what was accepted is done; never rejects.
   */
  readonly leaveSessionsOpen: () => Promise<void>;
  /** Whether sessions are being left open. */
  readonly isLeaving: () => boolean;
}

export function createEngineStop(services: StopServices): EngineStop {
  const { sessions, slices, hub, publishing, questions, settled, whenDurable } = services;
  let isLeaving = false;

  /** All that are open, the oldest first. Nobody may open another meanwhile. */
  const endAll = (isAgentGone: boolean): Promise<void> =>
    new Promise((resolve) => {
      const ids = sessions.openIds();
      const endFrom = (index: number): void => {
        const sessionId = ids[index];
        if (sessionId === undefined) {
          resolve();
          return;
        }
        slices.add(1 + (sessions.openParts(sessionId) ?? 0), () => {
          publishing.abandon(sessionId, !isAgentGone);
          endFrom(index + 1);
        });
      };
      endFrom(0);
    });

  /** An outcome is told when it is safe. Where the journal takes nothing, it is nobody's decision yet. */
  const outcomesTold = async (): Promise<void> => {
    try {
      await whenDurable();
    } catch {
      // The journal reports its own failures.
    }
  };

  return {
    endSessions: async (isAgentGone = false) => {
      publishing.stop(false);
      // What was said before a session's end is heard before it.
      const behind = hub.settled();
      if (behind !== undefined) await behind;
      await endAll(isAgentGone);
      await outcomesTold();
      await settled();
    },
    leaveSessionsOpen: async () => {
      isLeaving = true;
      publishing.stop(true);
      questions.leaveOpen();
      await settled();
    },
    isLeaving: () => isLeaving,
  };
}
