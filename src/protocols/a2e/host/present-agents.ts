// The agents that have a session now.

export interface PresentAgents {
  readonly add: (session: object) => void;
  readonly delete: (session: object) => void;
  readonly count: () => number;
  /** Resolves when no agent has a session. */
  readonly allLeft: () => Promise<void>;
}

export function createPresentAgents(): PresentAgents {
  const sessions = new Set<object>();
  let waiting: (() => void)[] = [];
  return {
    add: (session) => void sessions.add(session),
    delete: (session) => {
      sessions.delete(session);
      if (sessions.size > 0) return;
      const told = waiting;
      waiting = [];
      for (const tell of told) tell();
    },
    count: () => sessions.size,
    allLeft: () => (sessions.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
  };
}
