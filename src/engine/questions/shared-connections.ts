// Connections with both agents and subscriptions, and subscriptions of processes below an agent's. The sessions of these agents decide what the
// subscriptions may not answer (R5, R5d).
import { keepNewest } from "../../base/keep-newest.js";
import { type AgentProcess, isBelow, SOME_AGENT } from "../event/agent-process.js";
import type { Sessions } from "../sessions/sessions.js";
import type { OwnSessions } from "../terms/terms.js";

/** Most processes of agents that are remembered. */
const MOST_PROCESSES = 65_536;
/** Most sessions remembered per connection that it took part in. */
const MOST_PARTS = 4096;

/** News for a subscription about its own connection. */
export interface ConnectionNews {
  /** An agent has opened on the connection, or in a process of the lineage. */
  readonly agentOpened: () => void;
  /** The connection has lost a session to another connection. This subscription may now be able to answer the session's questions. */
  readonly sessionLost: () => void;
}

/** Connections are compared by identity, and held weakly except while subscriptions listen. */
export class SharedConnections {
  private readonly sessions: Sessions;
  private readonly agents = new WeakMap<object, OwnSessions>();
  private readonly parts = new WeakMap<object, Set<string>>();
  private readonly answers = new WeakMap<object, Set<string>>();
  // Whether a process was named by an adapter, by its number.
  private readonly processes = new Map<number, boolean>();
  // By connection, and by process of the lineage.
  private readonly listeners = new Map<object | number, Set<ConnectionNews>>();
  private agentCount = 0;

  constructor(sessions: Sessions) {
    this.sessions = sessions;
  }

  agentOpened(connection: object): void {
    if (this.agents.has(connection)) return;
    this.agentCount += 1;
    const has = (sessionId: string): boolean =>
      this.sessions.ownerOf(sessionId) === connection || this.parts.get(connection)?.has(sessionId) === true;
    this.agents.set(connection, { key: `agent ${this.agentCount}`, has });
    for (const one of this.listeners.get(connection) ?? []) one.agentOpened();
  }

  sessionLost(connection: object): void {
    for (const one of this.listeners.get(connection) ?? []) one.sessionLost();
  }

  /**
   * Records that the connection asked in a session, or published in it by its token. It remains a party there, whichever connection owns the session.
   * Returns whether that is new, and subscriptions are on the connection.
   */
  tookPart(connection: object, sessionId: string): boolean {
    if (this.parts.get(connection)?.has(sessionId) === true) return false;
    remember(this.parts, connection, sessionId);
    return this.listeners.has(connection);
  }

  /** Records that the connection has answered a question of a session. It may then make no irreversible call there (R5). */
  answered(connection: object | undefined, sessionId: string): void {
    if (connection !== undefined) remember(this.answers, connection, sessionId);
  }

  hasAnswered(connection: object | undefined, sessionId: string): boolean {
    return connection !== undefined && this.answers.get(connection)?.has(sessionId) === true;
  }

  /** Records a process of an agent, before the agent asks anything (R5d). */
  agentProcess({ pid, isNamed }: AgentProcess): void {
    const known = this.processes.get(pid);
    if (known === true || known === isNamed) return;
    this.processes.set(pid, isNamed);
    keepNewest(this.processes, MOST_PROCESSES);
    for (const one of this.listeners.get(pid) ?? []) one.agentOpened();
  }

  /**
   * The sessions of the agents on the connection and in the lineage, which is the process of a subscription and its parents; undefined if there are
   * no such agents.
   */
  ownSessions(connection: object | undefined, lineage: readonly number[]): OwnSessions | undefined {
    const own = connection === undefined ? undefined : this.agents.get(connection);
    const above = lineage.filter((pid, step) =>
      step > 0 ? this.processes.has(pid) || pid === SOME_AGENT : this.processes.get(pid) === true,
    );
    if (above.length === 0) return own;
    return {
      key: `${own?.key ?? ""} of ${lineage[0]} below ${above.join(" ")}`,
      isBelow: true,
      has: (sessionId) => own?.has(sessionId) === true || isBelow(lineage, this.sessions.processesOf(sessionId)),
    };
  }

  /** Registers a subscription for news of its connection and lineage. The returned function ends that. */
  join(connection: object | undefined, lineage: readonly number[], news: ConnectionNews): () => void {
    const keys = [...(connection === undefined ? [] : [connection]), ...lineage];
    for (const key of keys) this.listeners.set(key, (this.listeners.get(key) ?? new Set()).add(news));
    return () => {
      for (const key of keys) {
        const all = this.listeners.get(key);
        all?.delete(news);
        if (all?.size === 0) this.listeners.delete(key);
      }
    };
  }
}

function remember(of: WeakMap<object, Set<string>>, connection: object, sessionId: string): void {
  const own = of.get(connection) ?? new Set();
  of.set(connection, own.add(sessionId));
  keepNewest(own, MOST_PARTS);
}
