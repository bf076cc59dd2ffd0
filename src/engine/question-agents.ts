// Who is told how a question ended and whether somebody is waited for: whoever awaits that question's answer, else the connection that published it,
// else the one that its session belongs to now (R8, pitfall H10).
import type { ResolvedQuestion } from "./question-result.js";
import type { OpenQuestion } from "./session-record.js";

/** What an agent is told without asking. */
export interface AgentEvents {
  /** A question that it published has its outcome. Not called for those of `ask`. */
  readonly outcome: (resolved: ResolvedQuestion) => void;
  /** Waiting for a person begins or ends, so that it can stop its own clocks. */
  readonly waiting: (question: OpenQuestion, isWaiting: boolean) => void;
}

/** Connections are told apart by identity. */
export interface QuestionAgents {
  /** Without `events` it has no ear for news: the owner of a question's session is told them in its place. */
  readonly connected: (connection: object, events: AgentEvents | undefined) => void;
  /** Nothing is told over it any more: what it asked is the affair of whoever has the session, now or later. */
  readonly disconnected: (connection: object) => void;
  /** The connection publishes a question with this token. */
  readonly asks: (token: string, connection: object) => void;
  readonly isAsker: (token: string, connection: object) => boolean;
  /** Whether the connection asked anything that is open. */
  readonly hasAsked: (connection: object) => boolean;
  /** The question was refused, so nobody asked it. */
  readonly refused: (token: string) => void;
  /** Tells `done` the outcome, once, in place of a notification. Answers the cancellation, which says whether it was still waited for. */
  readonly answer: (
    token: string,
    connection: object,
    done: (resolved: ResolvedQuestion) => void,
  ) => { readonly forget: () => boolean };
  readonly tellOutcome: (resolved: ResolvedQuestion) => void;
  readonly tellWaiting: (question: OpenQuestion, isWaiting: boolean) => void;
  /** Tells a connection of its session's questions for which a person is waited: it has just taken them over. */
  readonly tellHeir: (connection: object, questions: readonly OpenQuestion[]) => void;
}

/** Somebody who waits for an outcome. */
interface Awaiting {
  readonly token: string;
  readonly done: (resolved: ResolvedQuestion) => void;
}

interface Connected {
  readonly events: AgentEvents | undefined;
  readonly awaiting: Set<Awaiting>;
  /** The tokens of its questions that are open. */
  readonly asked: Set<string>;
}

/** `ownerOf` says which connection a session belongs to, `isWaiting` whether a person is waited for. */
export function createQuestionAgents(
  ownerOf: (sessionId: string) => object | undefined,
  isWaiting: (token: string) => boolean,
): QuestionAgents {
  const connections = new Map<object, Connected>();
  const askers = new Map<string, object>();
  // To them the outcome is an answer, and no notification.
  const awaited = new Map<string, Set<Awaiting>>();

  const listenerOf = (token: string, sessionId: string): AgentEvents | undefined => {
    const asker = connections.get(askers.get(token) ?? NOBODY)?.events;
    return asker ?? connections.get(ownerOf(sessionId) ?? NOBODY)?.events;
  };

  const forgetAsker = (token: string): void => {
    connections.get(askers.get(token) ?? NOBODY)?.asked.delete(token);
    askers.delete(token);
  };

  /** Whether it was still waited for. */
  const forget = (one: Awaiting): boolean => {
    const others = awaited.get(one.token);
    const was = others?.delete(one) === true;
    if (others?.size === 0) awaited.delete(one.token);
    return was;
  };

  return {
    connected: (connection, events) =>
      void connections.set(connection, { events, awaiting: new Set(), asked: new Set() }),
    disconnected: (connection) => {
      for (const one of connections.get(connection)?.awaiting ?? []) forget(one);
      connections.delete(connection);
    },
    asks: (token, connection) => {
      askers.set(token, connection);
      connections.get(connection)?.asked.add(token);
    },
    hasAsked: (connection) => (connections.get(connection)?.asked.size ?? 0) > 0,
    isAsker: (token, connection) => askers.get(token) === connection,
    refused: forgetAsker,
    answer: (token, connection, done) => {
      const theirs = connections.get(connection)?.awaiting;
      const one: Awaiting = {
        token,
        done: (resolved) => {
          theirs?.delete(one);
          done(resolved);
        },
      };
      theirs?.add(one);
      const all = awaited.get(token) ?? new Set();
      awaited.set(token, all.add(one));
      return {
        forget: () => {
          theirs?.delete(one);
          return forget(one);
        },
      };
    },
    tellOutcome: (resolved) => {
      const { token, sessionId } = resolved.question;
      const waiting = awaited.get(token);
      const listener = listenerOf(token, sessionId);
      awaited.delete(token);
      forgetAsker(token);
      if (waiting === undefined) listener?.outcome(resolved);
      else for (const { done } of waiting) done(resolved);
    },
    tellWaiting: (question, isNow) => listenerOf(question.token, question.sessionId)?.waiting(question, isNow),
    tellHeir: (connection, questions) => {
      const heir = connections.get(connection)?.events;
      for (const question of questions) {
        const { token, sessionId } = question;
        if (askers.get(token) === connection || listenerOf(token, sessionId) !== heir) continue;
        if (isWaiting(token)) heir?.waiting(question, true);
      }
    },
  };
}

/** In place of a connection where there is none. */
const NOBODY = {};
