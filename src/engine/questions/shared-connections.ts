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
export interface SharedConnections {
  readonly agentOpened: (connection: object) => void;
  readonly sessionLost: (connection: object) => void;
  /**
   * Records that the connection asked in a session, or published in it by its token. It remains a party there, whichever connection owns the session.
   * Returns whether that is new, and subscriptions are on the connection.
   */
  readonly tookPart: (connection: object, sessionId: string) => boolean;
  /** Records that the connection has answered a question of a session. It may then make no irreversible call there (R5). */
  readonly answered: (connection: object | undefined, sessionId: string) => void;
  readonly hasAnswered: (connection: object | undefined, sessionId: string) => boolean;
  /** Records a process of an agent, before the agent asks anything (R5d). */
  readonly agentProcess: (agent: AgentProcess) => void;
  /**
   * The sessions of the agents on the connection and in the lineage, which is the process of a subscription and its parents; undefined if there are
   * no such agents.
   */
  readonly ownSessions: (connection: object | undefined, lineage: readonly number[]) => OwnSessions | undefined;
  /** Registers a subscription for news of its connection and lineage. The returned function ends that. */
  readonly join: (connection: object | undefined, lineage: readonly number[], news: ConnectionNews) => () => void;
}

export function createSharedConnections(sessions: Sessions): SharedConnections {
  const agents = new WeakMap<object, OwnSessions>();
  const parts = new WeakMap<object, Set<string>>();
  const answers = new WeakMap<object, Set<string>>();
  // Whether a process was named by an adapter, by its number.
  const processes = new Map<number, boolean>();
  // By connection, and by process of the lineage.
  const listeners = new Map<object | number, Set<ConnectionNews>>();
  let agentCount = 0;

  return {
    agentOpened: (connection) => {
      if (agents.has(connection)) return;
      agentCount += 1;
      const has = (sessionId: string): boolean =>
        sessions.ownerOf(sessionId) === connection || parts.get(connection)?.has(sessionId) === true;
      agents.set(connection, { key: `agent ${agentCount}`, has });
      for (const one of listeners.get(connection) ?? []) one.agentOpened();
    },
    sessionLost: (connection) => {
      for (const one of listeners.get(connection) ?? []) one.sessionLost();
    },
    tookPart: (connection, sessionId) => {
      if (parts.get(connection)?.has(sessionId) === true) return false;
      remember(parts, connection, sessionId);
      return listeners.has(connection);
    },
    answered: (connection, sessionId) => {
      if (connection !== undefined) remember(answers, connection, sessionId);
    },
    hasAnswered: (connection, sessionId) =>
      connection !== undefined && answers.get(connection)?.has(sessionId) === true,
    agentProcess: ({ pid, isNamed }) => {
      const known = processes.get(pid);
      if (known === true || known === isNamed) return;
      processes.set(pid, isNamed);
      keepNewest(processes, MOST_PROCESSES);
      for (const one of listeners.get(pid) ?? []) one.agentOpened();
    },
    ownSessions: (connection, lineage) => {
      const own = connection === undefined ? undefined : agents.get(connection);
      const above = lineage.filter((pid, step) =>
        step > 0 ? processes.has(pid) || pid === SOME_AGENT : processes.get(pid) === true,
      );
      if (above.length === 0) return own;
      return {
        key: `${own?.key ?? ""} of ${lineage[0]} below ${above.join(" ")}`,
        isBelow: true,
        has: (sessionId) => own?.has(sessionId) === true || isBelow(lineage, sessions.processesOf(sessionId)),
      };
    },
    join: (connection, lineage, news) => {
      const keys = [...(connection === undefined ? [] : [connection]), ...lineage];
      for (const key of keys) listeners.set(key, (listeners.get(key) ?? new Set()).add(news));
      return () => {
        for (const key of keys) {
          const all = listeners.get(key);
          all?.delete(news);
          if (all?.size === 0) listeners.delete(key);
        }
      };
    },
  };
}

function remember(of: WeakMap<object, Set<string>>, connection: object, sessionId: string): void {
  const own = of.get(connection) ?? new Set();
  of.set(connection, own.add(sessionId));
  keepNewest(own, MOST_PARTS);
}
