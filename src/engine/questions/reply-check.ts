// Whether a reply counts (AAEP §6.3.4, R19). Pure: the same work for every token that is not open, whether it was ever given out or not.
import { parseTimestamp } from "../event/timestamps.js";
import { isResponse } from "../sessions/response-kinds.js";
import type { OpenQuestion } from "../sessions/session-record.js";

/** A reply that has passed its schema. */
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
 * Undefined where the reply answers the question. Its time is compared as it was written (AAEP §6.3.4), with the question's own timestamp and with
 * the instant at which the daemon received it, from which the deadline counts (R3b): whichever leaves the person more room.
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
 * From the question on, give or take the clocks' difference, and before its deadline. An agent may have stamped the question up to that difference
 * before or after it was received; neither takes time away from the one who answers (R3b).
 */
function isInTime(timestamp: string, { event, receivedAt }: OpenQuestion, clockSkewMs: number): boolean {
  const [replied, asked] = [parseTimestamp(timestamp), parseTimestamp(event.timestamp)];
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
