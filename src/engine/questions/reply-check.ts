// Decides whether a reply counts (AAEP §6.3.4, R19). Pure, with the same work for every token that is not open, whether it ever existed or not.
import { parseInstant } from "../event/timestamps.js";
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
