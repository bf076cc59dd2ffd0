// Checks of a connection that takes a session over, and the identity that it then publishes under (R2, R8).
import { Fault } from "../../base/errors.js";
import type { CompletionFacts } from "./complete-event.js";
import type { PublishContext } from "./session-plan.js";
import type { SessionRecord } from "./session-record.js";

/** Throws "session_not_started", "session_ended", or "session_not_yours" if the shown token has another hash. */
export function assertClaim(session: SessionRecord, shownHash: string): void {
  if (session.phase !== "open") {
    const [code, sentence] =
      session.phase === "ended"
        ? (["session_ended", "Start a session with a new id; this one has ended."] as const)
        : (["session_not_started", "Publish session.started; no session with this id is open."] as const);
    throw new Fault(code, sentence, { pointer: "/session_id", rule: "R8" });
  }
  if (session.tokenHash === shownHash) return;
  const sentence = "Show the resume_token that session.started was answered with.";
  throw new Fault("session_not_yours", sentence, { pointer: "/resume_token", rule: "R8" });
}

/**
 * The facts that complete an event in this session. A connection that took the session over publishes as the agent that started it, whatever the
 * connection declared.
 */
export function factsIn(session: SessionRecord | undefined, context: PublishContext): CompletionFacts {
  if (session === undefined || session.phase !== "open") return context;
  const isTaken = session.owner === undefined || (session.isResumed && session.owner === context.connection);
  return isTaken ? { ...context, agent: session.starter } : context;
}
