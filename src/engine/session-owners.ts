// Which connection the open sessions belong to (R8).
import type { SessionRecord } from "./session-record.js";

export interface SessionOwners {
  /** Files a session under its owner, where it has one. */
  readonly add: (session: SessionRecord) => void;
  readonly remove: (session: SessionRecord) => void;
  /** The connection is gone: its sessions have no owner any more. Answers which they were. */
  readonly release: (connection: object) => readonly SessionRecord[];
  /** The connection that has the open session whose token this is. */
  readonly holderOf: (resumeToken: string) => object | undefined;
  /** Whether any open session is this connection's. */
  readonly isHolder: (connection: object) => boolean;
}

export function createSessionOwners(): SessionOwners {
  const owned = new Map<object, Set<SessionRecord>>();
  const byToken = new Map<string, SessionRecord>();
  return {
    add: (session) => {
      if (session.owner === undefined) return;
      byToken.set(session.resumeToken, session);
      const theirs = owned.get(session.owner);
      if (theirs === undefined) owned.set(session.owner, new Set([session]));
      else theirs.add(session);
    },
    remove: (session) => {
      if (session.owner === undefined) return;
      byToken.delete(session.resumeToken);
      const theirs = owned.get(session.owner);
      theirs?.delete(session);
      if (theirs?.size === 0) owned.delete(session.owner);
    },
    release: (connection) => {
      const theirs = [...(owned.get(connection) ?? [])];
      owned.delete(connection);
      for (const session of theirs) {
        session.owner = undefined;
        byToken.delete(session.resumeToken);
      }
      return theirs;
    },
    holderOf: (resumeToken) => byToken.get(resumeToken)?.owner,
    isHolder: (connection) => owned.has(connection),
  };
}
