// The engine's orderly stop. Its sessions are ended (R8a), or left open for the next boot (R8b).
import type { Clock } from "../contracts/clock.js";
import type { Publishing } from "./agents/publishing.js";
import type { Questions } from "./questions/questions.js";
import type { Sessions } from "./sessions/sessions.js";

export interface StopServices {
  readonly sessions: Pick<Sessions, "openIds">;
  readonly publishing: Pick<Publishing, "stop" | "abandon">;
  readonly questions: Pick<Questions, "leaveOpen">;
  readonly afterTurn: Clock["afterTurn"];
  /** See `Engine.settled`. */
  readonly settled: () => Promise<void>;
  /**
   * Returns a promise that resolves when all that was journaled is safe; undefined if it is safe already. Throws or rejects while the journal fails
   * (R29).
   */
  readonly whenDurable: () => Promise<void> | undefined;
}

export interface EngineStop {
  /**
   * Ends all open sessions as if their agents had vanished (R8a), the oldest first. Later publishes are refused ("shutting_down"). `isAgentGone` is
   * true if the agents have indeed gone and the daemon stops because of it. Resolves when subscriptions can take the ends, and agents know the
   * outcomes of their questions. Never rejects.
   */
  readonly endSessions: (isAgentGone?: boolean) => Promise<void>;
  /**
   * Leaves sessions and questions open instead, for a journal with durable state. Later publishes are refused ("shutting_down"), and nothing is
   * pending for subscriptions in this boot (R8b). Resolves when the consequences of the accepted events are done. Never rejects.
   */
  readonly leaveSessionsOpen: () => Promise<void>;
  /** Whether sessions are left open. */
  readonly isLeaving: () => boolean;
}

/** Most sessions that a stop ends in one turn. */
const ENDED_IN_A_TURN = 64;

export function createEngineStop(services: StopServices): EngineStop {
  const { sessions, publishing, questions, settled, whenDurable } = services;
  let isLeaving = false;

  /** Waits until all outcomes are safe and so can be reported. If the journal takes nothing, they are no decisions yet. */
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
      for (const [index, sessionId] of sessions.openIds().entries()) {
        // Listeners take the ends meanwhile (R34).
        if (index % ENDED_IN_A_TURN === ENDED_IN_A_TURN - 1) await new Promise<void>(services.afterTurn);
        publishing.abandon(sessionId, !isAgentGone);
      }
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
