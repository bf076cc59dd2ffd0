// Connections over which both agents and subscriptions speak. What a subscription may answer depends on which sessions its connection has (R5).
import { keepNewest } from "../../base/keep-newest.js";
import type { OwnSessions } from "../terms/terms.js";

/** Sessions of which one connection is remembered to have been a party. */
const MOST_PARTS = 4096;

/** What is told to a subscription of its connection. */
export interface ConnectionNews {
  /** An agent speaks over the connection too, from now on. */
  readonly agentOpened: () => void;
  /** The connection has lost a session to another: what is open in it may be this subscription's to answer. */
  readonly sessionLost: () => void;
}

/** Connections are told apart by identity, and not kept by it. */
export interface SharedConnections {
  readonly agentOpened: (connection: object) => void;
  readonly sessionLost: (connection: object) => void;
  /** The connection asked in a session, or published in it by its token: it stays a party to what is asked there, whoever has the session. */
  readonly tookPart: (connection: object, sessionId: string) => void;
  /** The connection has answered a question of a session. It is not the one, then, that does there what cannot be undone. */
  readonly answered: (connection: object | undefined, sessionId: string) => void;
  readonly hasAnswered: (connection: object | undefined, sessionId: string) => boolean;
  /** What the connection has as an agent; undefined where no agent has spoken over it. */
  readonly ownSessions: (connection: object | undefined) => OwnSessions | undefined;
  /** A subscription over the connection hears its news, until it calls what is answered. */
  readonly join: (connection: object | undefined, news: ConnectionNews) => () => void;
}

/** `ownerOf` says which connection has a session. */
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
