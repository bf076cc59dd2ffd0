// Decides whether a reply counts (AAEP §6.3.4, R19). Pure, with the same work for every token that is not open, whether it ever existed or not.
import { parseInstant, parseTimestamp } from "../event/timestamps.js";
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
 * Returns the fault of a reply; undefined if it answers the question. The reply's timestamp is compared as it was written (AAEP §6.3.4), with the
 * question's timestamp and with the instant of its receipt (R3b). The comparison that leaves the person more time counts.
 */
export function faultOfReply(
  reply: Reply,
  question: OpenQuestion,
  clockSkewMs: number,
): "wrong_kind" | "expired" | "not_offered" | undefined {
  const { event } = question;
  if (reply.kind !== question.kind) return "wrong_kind";
  if (!isInTime(reply.timestamp, question, clockSkewMs)) return "expired";
  if (reply.kind === "confirmation") {
    return textsIn(event.allowed_replies, ["accept", "reject"]).includes(reply.decision) ? undefined : "not_offered";
  }
  return isResponse(reply.response, event) ? undefined : "not_offered";
}

/**
 * Whether the reply lies between the question and its deadline. Before the question, the clocks' permitted difference is allowed. The agent's
 * timestamp of a question may differ from its receipt by the same amount; neither of the two shortens the time to answer (R3b).
 */
function isInTime(timestamp: string, { event, receivedAt }: OpenQuestion, clockSkewMs: number): boolean {
  const [replied, asked] = [parseInstant(timestamp), parseTimestamp(event.timestamp)];
  if (replied === undefined || asked === undefined) return false;
  const received = receivedAt * 1000;
  const seconds = typeof event.timeout_seconds === "number" ? event.timeout_seconds : 0;
  return (
    replied.micros >= Math.min(asked.micros, received) - clockSkewMs * 1000 &&
    replied.micros < Math.max(asked.micros, received) + seconds * 1_000_000
  );
}

function textsIn(value: unknown, otherwise: readonly string[]): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : otherwise;
}
