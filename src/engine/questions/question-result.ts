// The reply to a question, whether it counts (AAEP §6.3.4, R19), and the result of a question, with its form in AAEP's own names (AAEP ch. 6).
import { Fault } from "../../base/errors.js";
import { isHostDialog } from "../event/own-members.js";
import { parseInstant } from "../event/timestamps.js";
import { AAEPD } from "../event/vocabulary.js";
import { isResponse } from "../sessions/response-kinds.js";
import type { OpenQuestion } from "../sessions/session-record.js";

/** A reply that is valid by its schema. */
export type Reply =
  | {
      readonly kind: "confirmation";
      readonly token: string;
      readonly timestamp: string;
      readonly decision: "accept" | "reject";
      readonly decidedBy: string | undefined;
      readonly rationale: string | undefined;
      readonly modifiedAction: Readonly<Record<string, unknown>> | undefined;
    }
  | {
      readonly kind: "clarification";
      readonly token: string;
      readonly timestamp: string;
      readonly response: unknown;
      readonly decidedBy: string | undefined;
      readonly confidence: number | undefined;
    };

/**
 * Returns the fault of a reply; undefined if it answers the question. `deadline` is the question's, as the clock on the wall shows it at the reply's
 * receipt, in ms since 1970. The reply's timestamp has to be before it, and has no lower bound (AAEP §6.3.4, R40).
 */
export function faultOfReply(
  reply: Reply,
  question: OpenQuestion,
  deadline: number,
): "wrong_kind" | "expired" | "not_offered" | undefined {
  const { event } = question;
  if (reply.kind !== question.kind) return "wrong_kind";
  const replied = parseInstant(reply.timestamp);
  if (replied === undefined || replied.micros >= deadline * 1000) return "expired";
  if (reply.kind === "confirmation") {
    return textsIn(event.allowed_replies, ["accept", "reject"]).includes(reply.decision) ? undefined : "not_offered";
  }
  return isResponse(reply.response, event) ? undefined : "not_offered";
}

function textsIn(value: unknown, otherwise: readonly string[]): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : otherwise;
}

/**
 * How a question was resolved. "host": the person answered in a dialog of the agent's own (R5a). "cancelled": its
 * agent took it back, its session ended, its agent did not come back, or it is left to the window of its host (R5b).
 */
export type ResolvedBy = "reply" | "timeout" | "no_subscriber" | "subscription_ended" | "host" | "cancelled";

/** The ways in which a default comes to apply. */
export type DefaultedBy = Exclude<ResolvedBy, "reply" | "host" | "cancelled">;

/** A person's decision in a dialog of the agent's own (R5a). */
export type HostDecision = "accept" | "reject";

/** How a question ended. An applied default is never reported as somebody's decision. */
export interface QuestionResult {
  readonly resolvedBy: ResolvedBy;
  /** Defined for a confirmation that was not cancelled. */
  readonly decision?: "accept" | "reject" | undefined;
  /** The answer to a clarification, or its default; undefined if it has neither. */
  readonly response?: unknown;
  readonly decidedBy?: string | undefined;
  readonly rationale?: string | undefined;
  readonly modifiedAction?: Readonly<Record<string, unknown>> | undefined;
  readonly confidence?: number | undefined;
  /** The question was cancelled because the person answers in the window of its host (R5b). */
  readonly isLeftToHost?: true;
}

/** The members of a question that are remembered with its outcome. Its event, which may have 64 KiB, is not. */
export interface AskedQuestion extends Pick<OpenQuestion, "token" | "sessionId" | "agentId" | "kind"> {
  readonly eventId: string;
}

/** A question and its result, remembered for an agent that comes back. */
export interface ResolvedQuestion {
  readonly question: AskedQuestion;
  readonly result: QuestionResult;
}

export const CANCELLED: QuestionResult = { resolvedBy: "cancelled" };

/** The result of a question that nobody decided here, and that the person answers in the window of its host (R5b). */
export const LEFT_TO_HOST: QuestionResult = { ...CANCELLED, isLeftToHost: true };

/**
 * The result of a decision in a dialog of the agent's own. It closes the question, and gives no consent in the daemon's view (R5, R5a). Throws
 * "invalid_params" for a question that is no confirmation.
 */
export function resultOfHost({ kind }: OpenQuestion, decision: HostDecision): QuestionResult {
  if (kind !== "confirmation") {
    const sentence = "Leave out `decided_by` and `decision`: the question is no confirmation. So it is taken back.";
    throw new Fault("invalid_params", sentence, { pointer: "/decision", rule: "R5a" });
  }
  return { resolvedBy: "host", decision, decidedBy: "host" };
}

/** The result of a default. It has no `decidedBy`. A question of a host's own dialog has no default here (R5b). */
export function resultOfDefault({ event, kind }: OpenQuestion, resolvedBy: DefaultedBy): QuestionResult {
  if (isHostDialog(event)) return LEFT_TO_HOST;
  const decision = kind === "confirmation" ? (event.default_decision === "accept" ? "accept" : "reject") : undefined;
  return { resolvedBy, decision, response: event.default_response };
}

/** The result of a reply that counts. */
export function resultOfReply(reply: Reply, question: OpenQuestion): QuestionResult {
  if (reply.kind === "clarification") {
    const { response, decidedBy, confidence } = reply;
    return { resolvedBy: "reply", response, decidedBy, confidence };
  }
  const { decidedBy, rationale, modifiedAction } = reply;
  // A modified action that the agent did not declare to support is no consent to the unmodified action (AAEP §6.3).
  const isUnsupported = modifiedAction !== undefined && !takesModifications(question);
  const decision = isUnsupported ? "reject" : reply.decision;
  return { resolvedBy: "reply", decision, decidedBy, rationale, modifiedAction };
}

function takesModifications({ event }: OpenQuestion): boolean {
  return event.extensions?.[AAEPD]?.accepts_modified_action === true;
}

/** Reduces a question to the members that are remembered with its outcome. */
export function askedOf({ token, sessionId, agentId, kind, event }: OpenQuestion): AskedQuestion {
  return { token, sessionId, agentId, kind, eventId: event.event_id };
}

/** An outcome in AAEP's own names, for agents and for the log, without undefined members. */
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
