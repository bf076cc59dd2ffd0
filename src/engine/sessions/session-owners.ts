// The connection that owns each open session, and the rights that it has there (R8).
import { Fault, type FaultCode } from "../../base/errors.js";
import type { SessionPhase, SessionRecord } from "./session-record.js";

export class SessionOwners {
  private readonly owned = new Map<object, Set<SessionRecord>>();
  private readonly byHash = new Map<string, Set<SessionRecord>>();

  /** Files a session under its owner; does nothing for a session without owner. */
  add(session: SessionRecord): void {
    const { owner, tokenHash } = session;
    if (owner === undefined) return;
    session.isLeftOver = false;
    this.byHash.set(tokenHash, (this.byHash.get(tokenHash) ?? new Set()).add(session));
    this.owned.set(owner, (this.owned.get(owner) ?? new Set()).add(session));
  }

  remove(session: SessionRecord): void {
    if (session.owner === undefined) return;
    drop(this.byHash, session.tokenHash, session);
    drop(this.owned, session.owner, session);
  }

  /** Takes the sessions from a connection that has ended, and returns them. */
  release(connection: object): readonly SessionRecord[] {
    const theirs = [...(this.owned.get(connection) ?? [])];
    for (const session of theirs) {
      this.remove(session);
      session.owner = undefined;
    }
    return theirs;
  }

  /** The connection that has an open session with this token hash; of several with one token, the session that was filed first decides. */
  holderOf(tokenHash: string): object | undefined {
    const [first] = this.byHash.get(tokenHash) ?? [];
    return first?.owner;
  }

  /** Number of open sessions that the connection owns. */
  countOf(connection: object | undefined): number {
    return connection === undefined ? 0 : (this.owned.get(connection)?.size ?? 0);
  }
}

function drop<Key>(sets: Map<Key, Set<SessionRecord>>, key: Key, session: SessionRecord): void {
  const among = sets.get(key);
  among?.delete(session);
  if (among?.size === 0) sets.delete(key);
}

/** Only the connection that started a session, or one that shows its resume token, publishes into it (R8). */
export function assertToken(session: SessionRecord, shownHash: string | undefined, pointer: string): void {
  if (shownHash === session.tokenHash) return;
  const sentence = "Show the resume_token that session.started was answered with.";
  throw new Fault("session_not_yours", sentence, { pointer, rule: "R8" });
}

/** The refusal of what a session's phase does not permit. */
export const OUT_OF_PLACE: Readonly<Record<SessionPhase, { readonly code: FaultCode; readonly sentence: string }>> = {
  absent: { code: "session_not_started", sentence: "Publish session.started first; no session with this id is open." },
  open: { code: "session_already_started", sentence: "Leave out session.started; a session starts once." },
  ended: { code: "session_ended", sentence: "Start a session with a new id; this one has ended." },
};

/** Throws "session_not_started", "session_ended", or "session_not_yours" if the shown token has another hash. */
export function assertClaim(session: SessionRecord, shownHash: string): void {
  if (session.phase !== "open") {
    const { code, sentence } = OUT_OF_PLACE[session.phase];
    throw new Fault(code, sentence, { pointer: "/session_id", rule: "R8" });
  }
  assertToken(session, shownHash, "/resume_token");
}
