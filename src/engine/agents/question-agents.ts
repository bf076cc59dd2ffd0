// Who is told how a question ended and whether somebody is waited for: whoever awaits that question's answer, the connection that published it,
// and the one that took its session over since; where there is none of them, the one that its session belongs to now (R8, pitfall H10).
import type { ResolvedQuestion } from "../questions/question-result.js";
import type { OpenQuestion } from "../sessions/session-record.js";

/** What an agent is told without asking. */
export interface AgentEvents {
  /** A question that it published has its outcome. Not called for those of `ask`. */
  readonly outcome: (resolved: ResolvedQuestion) => void;
  /** Waiting for a person begins or ends, so that it can stop its own clocks. */
  readonly waiting: (question: OpenQuestion, isWaiting: boolean) => void;
  /** The daemon stops and takes nothing more. Whether the agent's sessions stay open for the next run, or end (R8b). */
  readonly closing: (areSessionsKept: boolean) => void;
}

/** Connections are told apart by identity. */
export interface QuestionAgents {
  /** Without `events` it has no ear for news: the owner of a question's session is told them in its place. */
  readonly connected: (connection: object, events: AgentEvents | undefined) => void;
  /** Nothing is told over it any more: what it asked is the affair of whoever has the session, now or later. */
  readonly disconnected: (connection: object) => void;
  /** The connection publishes a question with this token. */
  readonly asks: (token: string, connection: object) => void;
  /** Whether the connection asked it, and did not lose its session since, or has inherited it. */
  readonly isAsker: (token: string, connection: object) => boolean;
  /** Whether the connection asked or inherited anything that is open. */
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
  /** Tells every agent that the daemon stops. */
  readonly tellClosing: (areSessionsKept: boolean) => void;
  /**
   * A connection has just taken over a session with these questions: it is told for which of them a person is waited, and all news of them from
   * now on. They are not the affair of `former` any more, which had the session and may be gone without anybody having noticed; what it awaits by
   * `answer` it is told all the same.
   */
  readonly inherit: (connection: object, questions: readonly OpenQuestion[], former: object | undefined) => void;
}

/** Somebody who waits for an outcome. */
interface Awaiting {
  readonly token: string;
  readonly connection: object;
  readonly done: (resolved: ResolvedQuestion) => void;
}

interface Connected {
  readonly events: AgentEvents | undefined;
  readonly awaiting: Set<Awaiting>;
  /** The tokens of the open questions that it asked or inherited. */
  readonly asked: Set<string>;
}

/** `ownerOf` says which connection a session belongs to, `isWaiting` whether a person is waited for. */
export function createQuestionAgents(
  ownerOf: (sessionId: string) => object | undefined,
  isWaiting: (token: string) => boolean,
): QuestionAgents {
  const connections = new Map<object, Connected>();
  // Of each open question. They are few: an heir takes the place of whom it inherits from.
  const askers = new Map<string, Set<object>>();
  // To them the outcome is an answer, and no notification.
  const awaited = new Map<string, Set<Awaiting>>();

  const eventsOf = (connection: object | undefined): AgentEvents | undefined =>
    connection === undefined ? undefined : connections.get(connection)?.events;

  /** The connections that asked it and have an ear for news of it; else the session's owner. */
  const listenersOf = ({ token, sessionId }: Pick<OpenQuestion, "token" | "sessionId">): readonly object[] => {
    const listening = [...(askers.get(token) ?? [])].filter((asker) => eventsOf(asker) !== undefined);
    const owner = ownerOf(sessionId);
    return listening.length > 0 || owner === undefined ? listening : [owner];
  };

  const asks = (token: string, connection: object): void => {
    askers.set(token, (askers.get(token) ?? new Set()).add(connection));
    connections.get(connection)?.asked.add(token);
  };

  const leave = (token: string, connection: object): void => {
    askers.get(token)?.delete(connection);
    connections.get(connection)?.asked.delete(token);
  };

  const forgetAskers = (token: string): void => {
    for (const asker of askers.get(token) ?? []) connections.get(asker)?.asked.delete(token);
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
      const gone = connections.get(connection);
      for (const one of gone?.awaiting ?? []) forget(one);
      for (const token of gone?.asked ?? []) askers.get(token)?.delete(connection);
      connections.delete(connection);
    },
    asks,
    hasAsked: (connection) => (connections.get(connection)?.asked.size ?? 0) > 0,
    isAsker: (token, connection) => askers.get(token)?.has(connection) === true,
    refused: forgetAskers,
    answer: (token, connection, done) => {
      const theirs = connections.get(connection)?.awaiting;
      const one: Awaiting = {
        token,
        connection,
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
    tellClosing: (areSessionsKept) => {
      for (const { events } of connections.values()) events?.closing(areSessionsKept);
    },
    tellOutcome: (resolved) => {
      const { question } = resolved;
      const answers = [...(awaited.get(question.token) ?? [])];
      const isAnswered = (listener: object): boolean => answers.some(({ connection }) => connection === listener);
      const asked = askers.get(question.token);
      // An owner that has not asked stands in where nobody else is told.
      const told = listenersOf(question).filter((one) => answers.length === 0 || asked?.has(one) === true);
      awaited.delete(question.token);
      forgetAskers(question.token);
      for (const { done } of answers) done(resolved);
      for (const one of told) if (!isAnswered(one)) eventsOf(one)?.outcome(resolved);
    },
    tellWaiting: (question, isNow) => {
      for (const one of listenersOf(question)) eventsOf(one)?.waiting(question, isNow);
    },
    inherit: (connection, questions, former) => {
      for (const question of questions) {
        const { token } = question;
        const isNews = askers.get(token)?.has(connection) !== true;
        if (former !== undefined) leave(token, former);
        asks(token, connection);
        if (isNews && isWaiting(token)) eventsOf(connection)?.waiting(question, true);
      }
    },
  };
}
