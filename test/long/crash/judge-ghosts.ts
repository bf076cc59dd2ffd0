// What a listener believes to be open, by the rules that it was given (R17): nothing of it may be over.

import { cursorFacts } from "../../support/oracles/cursor-reading.js";
import { isQuestion } from "../../support/oracles/place-facts.js";
import type { Fault } from "./judge.js";
import { type Heard, isTerminal, type Joined, type Listening, type PlaceTold, type Recording } from "./record.js";

export interface GhostCheck {
  readonly joined: (entry: Joined) => void;
  readonly told: (place: PlaceTold) => void;
  readonly take: (event: Heard) => void;
  readonly end: () => void;
}

export function createGhostCheck({ name }: Listening, { open }: Recording, fault: Fault): GhostCheck {
  const sessions = new Set<string>();
  /** By the questions' events, their sessions. */
  const questions = new Map<string, string>();
  /** Taken to be over, for nobody spoke of them after a place that was not met. */
  const over = new Set<string>();
  /** What comes of these comes late, their start as well: a critical end overtakes (R4). Only a sum says that an end was void. */
  const ended = new Set<string>();
  let unconfirmed = new Set<string>();
  let named: string | undefined;
  let resumed: string | undefined;
  /**
   * All sums have come by the first place beyond the one that was named. A session that ended before may still be told in the backlog, which is over
   * at the last epoch that was known then.
   */
  let backlogEnd: number | undefined;

  const close = (sessionId: string): void => {
    sessions.delete(sessionId);
    for (const [question, of] of questions) if (of === sessionId) questions.delete(question);
  };
  const settle = (): void => {
    for (const sessionId of unconfirmed) {
      over.add(sessionId);
      close(sessionId);
    }
    unconfirmed = new Set();
  };

  return {
    joined: (entry) => {
      ({ named, resumed } = entry);
      backlogEnd = undefined;
      unconfirmed = new Set(resumed === "all" ? [] : sessions);
    },
    told: ({ cursor, head = 0 }) => {
      if (cursor === named) return;
      backlogEnd ??= head;
      if (cursorFacts(cursor).after >= backlogEnd) settle();
    },
    take: (event) => {
      const { sessionId, type } = event;
      // A loss by itself says nothing of the session that it names (R27).
      if (event.gap !== undefined && event.isSummary !== true) return;
      unconfirmed.delete(sessionId);
      if (isTerminal(type)) {
        ended.add(sessionId);
        close(sessionId);
        return;
      }
      if (type === "aaep:agent.session.started" || event.isSummary === true) over.delete(sessionId);
      if (event.isSummary === true) ended.delete(sessionId);
      if (ended.has(sessionId)) return;
      if (over.has(sessionId)) fault("ghosts", `${sessionId} was over by R17, and ${type} ${event.id} came`);
      if (event.question !== undefined && event.resolution !== undefined) questions.delete(event.question);
      sessions.add(sessionId);
      if (isQuestion(type)) questions.set(event.id, sessionId);
    },
    end: () => {
      settle();
      for (const sessionId of sessions)
        if (!open.sessions.has(sessionId)) fault("ghosts", `${name} believes ${sessionId} open, which is over`);
      for (const [question, sessionId] of questions)
        if (!open.questions.has(question))
          fault("ghosts", `${name} believes ${question} of ${sessionId} open, which is over`);
    },
  };
}
