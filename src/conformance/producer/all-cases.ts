import type { CaseDescription } from "../findings/finding.js";
import { AAEPD_CASES } from "./aaepd-cases.js";
import { CHANGE_CASES } from "./change-cases.js";
import { CLARIFICATION_CASES } from "./clarification-cases.js";
import { DELIVERY_CASES } from "./delivery-cases.js";
import { ENVELOPE_CASES } from "./envelope-cases.js";
import { HANDSHAKE_CASES } from "./handshake-cases.js";
import type { ProducerCase } from "./producer-case.js";
import { QUESTION_CASES } from "./question-cases.js";
import { QUESTION_WATCHERS } from "./question-watchers.js";
import { REPLY_CASES } from "./reply-cases.js";
import { SESSION_CASES } from "./session-cases.js";
import { TEXT_CASES } from "./text-cases.js";

/** All cases for producers, in the order of the report. */
export const PRODUCER_CASES: readonly ProducerCase[] = [
  ...ENVELOPE_CASES,
  ...SESSION_CASES,
  ...TEXT_CASES,
  ...QUESTION_WATCHERS,
  ...QUESTION_CASES,
  ...CLARIFICATION_CASES,
  ...REPLY_CASES,
  ...HANDSHAKE_CASES,
  ...DELIVERY_CASES,
  ...CHANGE_CASES,
  ...AAEPD_CASES,
];

/** A case as reports and tables name it. */
export function describeCase(one: ProducerCase): CaseDescription {
  const { id, title, paragraphs, level, severity, extension } = one;
  return {
    id,
    title,
    paragraphs,
    role: "producer",
    level,
    severity,
    ...(extension === undefined ? {} : { extension }),
  };
}
