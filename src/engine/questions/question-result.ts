// How a question ended, and how that is said in the field's own names (AAEP ch. 6; pitfall H8).
import { Fault } from "../../base/errors.js";
import { AAEPD } from "../event/vocabulary.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import type { Reply } from "./reply-check.js";

/** "host": the person answered in a dialog of the agent's own (R5a). "cancelled": its agent took it back. */
export type ResolvedBy = "reply" | "timeout" | "no_subscriber" | "subscription_ended" | "host" | "cancelled";

/** Ways in which a default comes to apply. */
export type DefaultedBy = Exclude<ResolvedBy, "reply" | "host" | "cancelled">;

/** What a person decided where the agent runs (R5a). */
export type HostDecision = "accept" | "reject";

/** How a question ended. A default that was applied is never reported as somebody's decision. */
export interface QuestionResult {
  readonly resolvedBy: ResolvedBy;
  /** For a confirmation that was not cancelled. */
  readonly decision: "accept" | "reject" | undefined;
  /** The answer to a clarification, or its default; undefined where there is neither. */
  readonly response: unknown;
  readonly decidedBy: string | undefined;
  readonly rationale: string | undefined;
  readonly modifiedAction: Readonly<Record<string, unknown>> | undefined;
  readonly confidence: number | undefined;
}

/** What is kept of a question that was asked: not its event, which may be 64 KiB. */
export interface AskedQuestion extends Pick<OpenQuestion, "token" | "sessionId" | "agentId" | "kind"> {
  readonly eventId: string;
}

/** A question and how it ended, remembered for an agent that comes back. */
export interface ResolvedQuestion {
  readonly question: AskedQuestion;
  readonly result: QuestionResult;
}

/** What a result says that nobody gave. */
export const NO_RESULT = {
  decision: undefined,
  response: undefined,
  decidedBy: undefined,
  rationale: undefined,
  modifiedAction: undefined,
  confidence: undefined,
} as const;

export const CANCELLED: QuestionResult = { ...NO_RESULT, resolvedBy: "cancelled" };

/**
 * What a person decided in a dialog of the agent's own: it closes the question, and is no consent that the daemon knows of (R5, R5a). Throws
 * "invalid_params" where there is nothing to decide.
 */
export function resultOfHost({ kind }: OpenQuestion, decision: HostDecision): QuestionResult {
  if (kind !== "confirmation") {
    const sentence = "Leave out `decided_by` and `decision`: the question is no confirmation. So it is taken back.";
    throw new Fault("invalid_params", sentence, { pointer: "/decision", rule: "R5a" });
  }
  return { ...NO_RESULT, resolvedBy: "host", decision, decidedBy: "host" };
}

/** The question's default, which is nobody's decision. */
export function resultOfDefault({ event, kind }: OpenQuestion, resolvedBy: DefaultedBy): QuestionResult {
  const decision = kind === "confirmation" ? (event.default_decision === "accept" ? "accept" : "reject") : undefined;
  return { ...NO_RESULT, resolvedBy, decision, response: event.default_response };
}

/** What a reply that counts decides. */
export function resultOfReply(reply: Reply, question: OpenQuestion): QuestionResult {
  if (reply.kind === "clarification") {
    const { response, decidedBy, confidence } = reply;
    return { ...NO_RESULT, resolvedBy: "reply", response, decidedBy, confidence };
  }
  const { decidedBy, rationale, modifiedAction } = reply;
  // A change that the agent did not say it can make is no consent to the unchanged action (AAEP §6.3).
  const isUnsupported = modifiedAction !== undefined && !takesModifications(question);
  const decision = isUnsupported ? "reject" : reply.decision;
  return { ...NO_RESULT, resolvedBy: "reply", decision, decidedBy, rationale, modifiedAction };
}

function takesModifications({ event }: OpenQuestion): boolean {
  return event.extensions?.[AAEPD]?.accepts_modified_action === true;
}

/** What of a question is kept with its outcome. */
export function askedOf({ token, sessionId, agentId, kind, event }: OpenQuestion): AskedQuestion {
  return { token, sessionId, agentId, kind, eventId: event.event_id };
}

/** An outcome in the field's own names, for agents and for the log. What nobody said is left out. */
export function outcomeFields({ question, result }: ResolvedQuestion): Readonly<Record<string, unknown>> {
  const all = {
    decision: result.decision,
    response: result.response,
    resolved_by: result.resolvedBy,
    decided_by: result.decidedBy,
    decision_rationale: result.rationale,
    modified_action: result.modifiedAction,
    confidence: result.confidence,
    event_id: question.eventId,
    reply_token: question.token,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
