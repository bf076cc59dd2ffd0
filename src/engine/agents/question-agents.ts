// The agents that receive the news of a question: each caller that awaits its answer, the connection that published it, and the one that took over
// its session since. If none of them is there, the owner of its session receives the news (R8).
import type { ResolvedQuestion } from "../questions/question-result.js";
import type { OpenQuestion } from "../sessions/session-record.js";

/** News that an agent receives without a call. */
export interface AgentEvents {
  /** A question that the agent published has its outcome. Not called for a question of `ask`. */
  readonly outcome: (resolved: ResolvedQuestion) => void;
  /** A question begins or stops to wait for a person, so that the agent can stop its own clocks. */
  readonly waiting: (question: OpenQuestion, isWaiting: boolean) => void;
  /** A person asks the agent to stop. The agent ends the session itself (R39). */
  readonly stopRequested: (sessionId: string) => void;
  /** The daemon stops and refuses further publishes. The sessions stay open for the next boot, or end (R8b). */
  readonly closing: (areSessionsKept: boolean) => void;
}

/** Connections are compared by identity. */
export interface QuestionAgents {
  /** Registers a connection. Without `events`, the owner of a question's session receives the news in its place. */
  readonly connected: (connection: object, events: AgentEvents | undefined) => void;
  /**
   * Removes a connection. News of its questions goes to the session's present or later owner. Outcomes that it awaits by `answer` it still receives:
   * its input may have ended before its output.
   */
  readonly disconnected: (connection: object) => void;
  /** Records that the connection publishes a question with this token. */
  readonly asks: (token: string, connection: object) => void;
  /** Whether the connection asked the question and still has its session, or has inherited it. */
  readonly isAsker: (token: string, connection: object) => boolean;
  /** Whether the connection asked or inherited an open question. */
  readonly hasAsked: (connection: object) => boolean;
  /** Removes the record of a question that was refused. */
  readonly refused: (token: string) => void;
  /**
   * Calls `done` once with the outcome, in place of `AgentEvents.outcome`. `forget` cancels that, and returns whether the outcome was still awaited.
   */
  readonly answer: (
    token: string,
    connection: object,
    done: (resolved: ResolvedQuestion) => void,
  ) => { readonly forget: () => boolean };
  readonly tellOutcome: (resolved: ResolvedQuestion) => void;
  readonly tellWaiting: (question: OpenQuestion, isWaiting: boolean) => void;
  /** Asks a connection to end a session. Returns false if it takes no news (R39). */
  readonly tellStop: (connection: object, sessionId: string) => boolean;
  /** Reports to every agent that the daemon stops. */
  readonly tellClosing: (areSessionsKept: boolean) => void;
  /**
   * Gives a session's open questions to the connection that took it over. The connection is informed which of them wait for a person, and receives
   * their news from now on. `former`, the owner before, receives none, since it may be gone unnoticed; outcomes that it awaits by `answer` it still
   * receives.
   */
  readonly inherit: (connection: object, questions: readonly OpenQuestion[], former: object | undefined) => void;
}

/** A caller that awaits an outcome. */
interface Awaiting {
  readonly token: string;
  readonly connection: object;
  readonly done: (resolved: ResolvedQuestion) => void;
}

interface Connected {
  readonly events: AgentEvents | undefined;
  /** Tokens of the open questions that the connection asked or inherited. */
  readonly asked: Set<string>;
}

/** `ownerOf` returns the connection that owns a session. `isWaiting` returns whether a question waits for a person. */
export function createQuestionAgents(
  ownerOf: (sessionId: string) => object | undefined,
  isWaiting: (token: string) => boolean,
): QuestionAgents {
  const connections = new Map<object, Connected>();
  // The askers of each open question. They are few, because a new owner replaces the former one.
  const askers = new Map<string, Set<object>>();
  // Callers that receive the outcome as an answer, and not as news.
  const awaited = new Map<string, Set<Awaiting>>();

  const eventsOf = (connection: object | undefined): AgentEvents | undefined =>
    connection === undefined ? undefined : connections.get(connection)?.events;

  /** The question's askers that take news; without any, the session's owner. */
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

  /** Returns whether the outcome was still awaited. */
  const forget = (one: Awaiting): boolean => {
    const others = awaited.get(one.token);
    const was = others?.delete(one) === true;
    if (others?.size === 0) awaited.delete(one.token);
    return was;
  };

  return {
    connected: (connection, events) => void connections.set(connection, { events, asked: new Set() }),
    disconnected: (connection) => {
      for (const token of connections.get(connection)?.asked ?? []) askers.get(token)?.delete(connection);
      connections.delete(connection);
    },
    asks,
    hasAsked: (connection) => (connections.get(connection)?.asked.size ?? 0) > 0,
    isAsker: (token, connection) => askers.get(token)?.has(connection) === true,
    refused: forgetAskers,
    answer: (token, connection, done) => {
      const one: Awaiting = { token, connection, done };
      const all = awaited.get(token) ?? new Set();
      awaited.set(token, all.add(one));
      return { forget: () => forget(one) };
    },
    tellStop: (connection, sessionId) => {
      const events = eventsOf(connection);
      events?.stopRequested(sessionId);
      return events !== undefined;
    },
    tellClosing: (areSessionsKept) => {
      for (const { events } of connections.values()) events?.closing(areSessionsKept);
    },
    tellOutcome: (resolved) => {
      const { question } = resolved;
      const answers = [...(awaited.get(question.token) ?? [])];
      const isAnswered = (listener: object): boolean => answers.some(({ connection }) => connection === listener);
      const asked = askers.get(question.token);
      // An owner that did not ask receives the outcome only if no caller awaits it.
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
