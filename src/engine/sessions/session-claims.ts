// Who may take a session over, and as whom it goes on then (R2, R8).
import { Fault } from "../../base/errors.js";
import type { CompletionFacts } from "./complete-event.js";
import type { PublishContext } from "./session-plan.js";
import type { SessionRecord } from "./session-record.js";

/** Throws "session_not_started", "session_ended", or "session_not_yours" where the token that is shown has another hash. */
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

/** An agent that took a session over goes on as the agent that started it, whatever else its connection is called. */
export function factsIn(session: SessionRecord | undefined, context: PublishContext): CompletionFacts {
  if (session === undefined || session.phase !== "open") return context;
  const isTaken = session.owner === undefined || (session.isResumed && session.owner === context.connection);
  return isTaken ? { ...context, agent: session.starter } : context;
}
