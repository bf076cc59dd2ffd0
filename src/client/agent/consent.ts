// Whether an irreversible tool may be called (R5), and how a question ends that nobody can be asked.
import { Fault } from "../../base/errors.js";
import { type Members, membersOf } from "../../base/members.js";
import type { ClarificationOutcome, ConfirmationOutcome, HostDecision, QuestionOutcome } from "./questions.js";

/** How a question ended. `isUnheard`: nobody was asked, because there was no daemon, or no listener that can answer. */
export interface Asked {
  readonly outcome: QuestionOutcome;
  readonly isUnheard: boolean;
}

/** "accepted": a person accepted. "as-host": nobody was there, and the author chose to go on as without aaepd. */
export type Consent = "accepted" | "as-host" | "declined";

/** Nothing but an accepting reply permits an irreversible call. A default, a silence and the loss of a daemon never do. */
export function consentOf({ outcome, isUnheard }: Asked, unheard: "reject" | "as-host"): Consent {
  if (isUnheard) return unheard === "as-host" ? "as-host" : "declined";
  return outcome.decision === "accept" && outcome.resolved_by === "reply" ? "accepted" : "declined";
}

/** The outcome where nobody can be asked: never an acceptance, whatever the question's default is. */
export function unheardOutcome(kind: "confirm" | "clarify", question: Members): QuestionOutcome {
  const ids = idsOf(question);
  // A host still asks in its own window (R5b).
  if (isHosted(question)) return cancelledOutcome(question);
  if (kind === "confirm")
    return { ...ids, decision: "reject", resolved_by: "no_subscriber" } satisfies ConfirmationOutcome;
  const { default_response: response } = question;
  const answer: ClarificationOutcome = { ...ids, resolved_by: "no_subscriber" };
  return typeof response === "string" ? { ...answer, response } : answer;
}

/** The outcome of a question that was taken back, lost or refused: no decision. */
export function cancelledOutcome(question: Members): QuestionOutcome {
  return { ...idsOf(question), resolved_by: "cancelled" };
}

/** The outcome where a daemon did not tell one in time: never an acceptance. */
export function lateOutcome(kind: "confirm" | "clarify", question: Members): QuestionOutcome {
  return isHosted(question)
    ? cancelledOutcome(question)
    : { ...unheardOutcome(kind, question), resolved_by: "timeout" };
}

/** The person's decision in the host, if a signal was aborted with one; undefined for any other reason (R5a). */
export function hostDecisionIn(reason: unknown): HostDecision | undefined {
  const { decided_by, decision } = membersOf(reason) as Partial<HostDecision>;
  const isDecision = decided_by === "host" && (decision === "accept" || decision === "reject");
  return isDecision ? { decided_by, decision } : undefined;
}

function isHosted({ extensions }: Members): boolean {
  return membersOf(membersOf(extensions).aaepd).host_dialog === true;
}

const WHY_NOT: Readonly<Record<ConfirmationOutcome["resolved_by"], string>> = {
  reply: "a person has declined",
  timeout: "nobody has answered in time",
  no_subscriber:
    "nobody could be asked. Start a listener that can answer, such as aaepd tail --interactive, or give the option declined",
  subscription_ended: "the listener has left before it answered",
  host: "it was decided in the agent's own window, and does not go ahead here",
  cancelled: "the question was taken back or refused, or the daemon did not take the call",
};

/** The fault of a tool that was not called. */
export function declinedFault(tool: string, outcome: ConfirmationOutcome): Fault {
  const sentence = `${tool} is not called: ${WHY_NOT[outcome.resolved_by]}.`;
  return new Fault("confirmation_required", sentence, { origin: "local", cause: outcome });
}

/**
 * The same call. If it rejects with this code and nobody awaits it, that is no unhandled rejection: no program ends because of a "no", or of a
 * question for which it does not wait.
 */
export function excused<Result>(
  call: Promise<Result>,
  code: "confirmation_required" | "usage" = "confirmation_required",
): Promise<Result> {
  const told = call.then((result) => result);
  call.catch((caught) => {
    if (caught instanceof Fault && caught.code === code) told.catch(() => {});
  });
  return told;
}

function idsOf({ event_id: eventId, reply_token: token }: Members) {
  return { event_id: String(eventId), reply_token: String(token) };
}
