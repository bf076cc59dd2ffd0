// Which connection the open sessions belong to (R8).
import type { SessionRecord } from "./session-record.js";

export interface SessionOwners {
  /** Files a session under its owner, where it has one. */
  readonly add: (session: SessionRecord) => void;
  readonly remove: (session: SessionRecord) => void;
  /** The connection is gone: its sessions have no owner any more. Answers which they were. */
  readonly release: (connection: object) => readonly SessionRecord[];
}

export function createSessionOwners(): SessionOwners {
  const owned = new Map<object, Set<SessionRecord>>();
  return {
    add: (session) => {
      if (session.owner === undefined) return;
      const theirs = owned.get(session.owner);
      if (theirs === undefined) owned.set(session.owner, new Set([session]));
      else theirs.add(session);
    },
    remove: (session) => {
      if (session.owner === undefined) return;
      const theirs = owned.get(session.owner);
      theirs?.delete(session);
      if (theirs?.size === 0) owned.delete(session.owner);
    },
    release: (connection) => {
      const theirs = [...(owned.get(connection) ?? [])];
      owned.delete(connection);
      for (const session of theirs) session.owner = undefined;
      return theirs;
    },
  };
}
