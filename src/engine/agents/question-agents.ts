// The agents that receive the news of a question: each caller that awaits its answer, the connection that published it, and the one that took over
// its session since. If none of them is there, the owner of its session receives the news (R8).
import type { ResolvedQuestion } from "../questions/question-result.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import type { Sessions } from "../sessions/sessions.js";

/** News that an agent receives without a call. */
export interface AgentEvents {
  /** A question that the agent published has its outcome. Not called for a question of `ask`. */
  readonly outcome: (resolved: ResolvedQuestion) => void;
  /** A question begins or stops to wait for a person, so that the agent can stop its own clocks. */
  readonly waiting: (question: OpenQuestion, isWaiting: boolean) => void;
  /** A person asks the agent to stop. The agent ends the session itself (R39). */
  readonly stopRequested: (sessionId: string) => void;
  /** A person says something to the agent, unasked, over an address that may. */
  readonly userInput: (text: string) => void;
  /** The daemon stops and refuses further publishes. The sessions stay open for the next boot, or end (R8b). */
  readonly closing: (areSessionsKept: boolean) => void;
}

/** A caller that awaits an outcome. */
export interface Awaiting {
  readonly token: string;
  readonly connection: object;
  readonly done: (resolved: ResolvedQuestion) => void;
}

/** The wishes of a person that an agent obeys, as its manifest says. */
export interface AgentAbilities {
  /** Whether it ends a session when it is asked to (R39). */
  readonly canStop: boolean;
  /** Whether it takes what a person says unasked. */
  readonly takesUserInput: boolean;
}

interface Connected {
  readonly events: AgentEvents | undefined;
  abilities: AgentAbilities;
}

/** Connections are compared by identity. */
export class QuestionAgents {
  private readonly sessions: Sessions;
  private readonly connections = new Map<object, Connected>();
  // The askers of each open question. They are few, because a new owner replaces the former one.
  private readonly askers = new Map<string, Set<object>>();
  // Callers that receive the outcome as an answer, and not as news.
  private readonly awaited = new Map<string, Set<Awaiting>>();

  constructor(sessions: Sessions) {
    this.sessions = sessions;
  }

  /** Registers a connection. Without `events`, the owner of a question's session receives the news in its place. */
  connected(connection: object, events: AgentEvents | undefined): void {
    const abilities: AgentAbilities = { canStop: false, takesUserInput: false };
    this.connections.set(connection, { events, abilities });
  }

  /**
   * Removes a connection. News of its questions goes to the session's present or later owner. Outcomes that it awaits it still receives: its input
   * may have ended before its output.
   */
  disconnected(connection: object): void {
    this.connections.delete(connection);
  }

  find(connection: object): Connected | undefined {
    return this.connections.get(connection);
  }

  /** Records that the connection publishes a question with this token. */
  asks(token: string, connection: object): void {
    this.askers.set(token, (this.askers.get(token) ?? new Set()).add(connection));
  }

  /** Whether the connection asked the question and still has its session, or has inherited it. */
  isAsker(token: string, connection: object): boolean {
    return this.askers.get(token)?.has(connection) === true;
  }

  /** Whether the connection asked or inherited an open question. */
  hasAsked(connection: object): boolean {
    for (const asking of this.askers.values()) if (asking.has(connection)) return true;
    return false;
  }

  /** Calls `done` once with the outcome, in place of `AgentEvents.outcome`. */
  await(one: Awaiting): void {
    this.awaited.set(one.token, (this.awaited.get(one.token) ?? new Set()).add(one));
  }

  /** Returns whether the outcome was still awaited. */
  forget(one: Awaiting): boolean {
    const others = this.awaited.get(one.token);
    const was = others?.delete(one) === true;
    if (others?.size === 0) this.awaited.delete(one.token);
    return was;
  }

  tellOutcome(resolved: ResolvedQuestion): void {
    const { question } = resolved;
    const { token } = question;
    const answers = [...(this.awaited.get(token) ?? [])];
    const asked = this.askers.get(token) ?? new Set();
    // An owner that did not ask receives the outcome only if no caller awaits it.
    const told = this.listenersOf(question).filter((one) => answers.length === 0 || asked.has(one));
    this.awaited.delete(token);
    this.askers.delete(token);
    for (const { done } of answers) done(resolved);
    for (const one of told)
      if (!answers.some(({ connection }) => connection === one)) this.find(one)?.events?.outcome(resolved);
  }

  tellWaiting(question: OpenQuestion, isWaiting: boolean): void {
    for (const one of this.listenersOf(question)) this.find(one)?.events?.waiting(question, isWaiting);
  }

  /** Hands what a person says to the agent that has been connected longest of those that take it. Returns whether there was one. */
  tellUserInput(text: string): boolean {
    for (const { events, abilities } of this.connections.values()) {
      if (!abilities.takesUserInput || events === undefined) continue;
      events.userInput(text);
      return true;
    }
    return false;
  }

  /** Reports to every agent that the daemon stops. */
  tellClosing(areSessionsKept: boolean): void {
    for (const { events } of this.connections.values()) events?.closing(areSessionsKept);
  }

  /**
   * Gives a session's open questions to the connection that took it over. The connection is informed which of them wait for a person, and receives
   * their news from now on. `former`, the owner before, receives none, since it may be gone unnoticed; outcomes that it awaits it still receives.
   */
  inherit(
    connection: object,
    questions: readonly OpenQuestion[],
    former: object | undefined,
    isWaiting: (token: string) => boolean,
  ): void {
    for (const question of questions) {
      const { token } = question;
      const isNews = !this.isAsker(token, connection);
      if (former !== undefined) this.askers.get(token)?.delete(former);
      this.asks(token, connection);
      if (isNews && isWaiting(token)) this.find(connection)?.events?.waiting(question, true);
    }
  }

  /** The question's askers that take news; without any, the session's owner. */
  private listenersOf({ token, sessionId }: Pick<OpenQuestion, "token" | "sessionId">): readonly object[] {
    const listening = [...(this.askers.get(token) ?? [])].filter((asker) => this.find(asker)?.events !== undefined);
    const owner = this.sessions.ownerOf(sessionId);
    return listening.length > 0 || owner === undefined ? listening : [owner];
  }
}
