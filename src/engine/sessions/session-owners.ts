// The connection that owns each open session (R8).
import type { SessionRecord } from "./session-record.js";

export interface SessionOwners {
  /** Files a session under its owner; does nothing for a session without owner. */
  readonly add: (session: SessionRecord) => void;
  readonly remove: (session: SessionRecord) => void;
  /** Takes the sessions from a connection that has ended, and returns them. */
  readonly release: (connection: object) => readonly SessionRecord[];
  /**
   * The connection that has an open session with this token hash. If an agent chose one token for several sessions, the session that was filed first
   * decides.
   */
  readonly holderOf: (tokenHash: string) => object | undefined;
  /** Whether the connection owns an open session. */
  readonly isHolder: (connection: object) => boolean;
}

export function createSessionOwners(): SessionOwners {
  const owned = new Map<object, Set<SessionRecord>>();
  const byHash = new Map<string, Set<SessionRecord>>();
  return {
    add: (session) => {
      if (session.owner === undefined) return;
      put(byHash, session.tokenHash, session);
      session.isLeftOver = false;
      put(owned, session.owner, session);
    },
    remove: (session) => {
      if (session.owner === undefined) return;
      drop(byHash, session.tokenHash, session);
      drop(owned, session.owner, session);
    },
    release: (connection) => {
      const theirs = [...(owned.get(connection) ?? [])];
      owned.delete(connection);
      for (const session of theirs) {
        session.owner = undefined;
        drop(byHash, session.tokenHash, session);
      }
      return theirs;
    },
    holderOf: (tokenHash) => {
      const [first] = byHash.get(tokenHash) ?? [];
      return first?.owner;
    },
    isHolder: (connection) => owned.has(connection),
  };
}

function put<Key>(sets: Map<Key, Set<SessionRecord>>, key: Key, session: SessionRecord): void {
  const among = sets.get(key);
  if (among === undefined) sets.set(key, new Set([session]));
  else among.add(session);
}

function drop<Key>(sets: Map<Key, Set<SessionRecord>>, key: Key, session: SessionRecord): void {
  const among = sets.get(key);
  among?.delete(session);
  if (among?.size === 0) sets.delete(key);
}
