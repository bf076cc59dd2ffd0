// Connections with both agents and subscriptions. The sessions of a connection decide what its subscriptions may answer (R5).
import { keepNewest } from "../../base/keep-newest.js";
import type { OwnSessions } from "../terms/terms.js";

/** Most sessions remembered per connection that it took part in. */
const MOST_PARTS = 4096;

/** News for a subscription about its own connection. */
export interface ConnectionNews {
  /** An agent has opened on the connection. */
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
   */
  readonly tookPart: (connection: object, sessionId: string) => void;
  /** Records that the connection has answered a question of a session. It may then make no irreversible call there (R5). */
  readonly answered: (connection: object | undefined, sessionId: string) => void;
  readonly hasAnswered: (connection: object | undefined, sessionId: string) => boolean;
  /** The sessions of the connection's agents; undefined if no agent has opened on it. */
  readonly ownSessions: (connection: object | undefined) => OwnSessions | undefined;
  /** Registers a subscription for news of its connection. The returned function ends that. */
  readonly join: (connection: object | undefined, news: ConnectionNews) => () => void;
}

/** `ownerOf` returns the connection that owns a session. */
export function createSharedConnections(ownerOf: (sessionId: string) => object | undefined): SharedConnections {
  const agents = new WeakMap<object, OwnSessions>();
  const parts = new WeakMap<object, Set<string>>();
  const answers = new WeakMap<object, Set<string>>();
  const listeners = new Map<object, Set<ConnectionNews>>();
  let agentCount = 0;

  return {
    agentOpened: (connection) => {
      if (agents.has(connection)) return;
      agentCount += 1;
      const has = (sessionId: string): boolean =>
        ownerOf(sessionId) === connection || parts.get(connection)?.has(sessionId) === true;
      agents.set(connection, { key: `agent ${agentCount}`, has });
      for (const one of listeners.get(connection) ?? []) one.agentOpened();
    },
    sessionLost: (connection) => {
      for (const one of listeners.get(connection) ?? []) one.sessionLost();
    },
    tookPart: (connection, sessionId) => remember(parts, connection, sessionId),
    answered: (connection, sessionId) => {
      if (connection !== undefined) remember(answers, connection, sessionId);
    },
    hasAnswered: (connection, sessionId) =>
      connection !== undefined && answers.get(connection)?.has(sessionId) === true,
    ownSessions: (connection) => (connection === undefined ? undefined : agents.get(connection)),
    join: (connection, news) => {
      if (connection === undefined) return () => undefined;
      const all = listeners.get(connection) ?? new Set();
      listeners.set(connection, all.add(news));
      return () => {
        all.delete(news);
        if (all.size === 0) listeners.delete(connection);
      };
    },
  };
}

function remember(of: WeakMap<object, Set<string>>, connection: object, sessionId: string): void {
  const own = of.get(connection) ?? new Set();
  of.set(connection, own.add(sessionId));
  keepNewest(own, MOST_PARTS);
}
