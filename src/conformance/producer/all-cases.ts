import { AAEPD_CASES } from "./aaepd-cases.js";
import { CLARIFICATION_CASES } from "./clarification-cases.js";
import { ENVELOPE_CASES } from "./envelope-cases.js";
import { BOUNDARY_CASES } from "./negotiated/boundary-cases.js";
import { CHANGE_CASES } from "./negotiated/change-cases.js";
import { CRITICAL_CASES } from "./negotiated/critical-cases.js";
import { DELIVERY_CASES } from "./negotiated/delivery-cases.js";
import { HANDSHAKE_CASES } from "./negotiated/handshake-cases.js";
import { RENEGOTIATION_CASES } from "./negotiated/renegotiation-cases.js";
import type { ProducerCase } from "./producer-case.js";
import { QUESTION_CASES } from "./question-cases.js";
import { QUESTION_WATCHERS } from "./question-watchers.js";
import { REPLY_CASES } from "./reply-cases.js";
import { SESSION_CASES } from "./session-cases.js";
import { TEXT_CASES } from "./text-cases.js";
import { TIME_CASES } from "./time-cases.js";

/** All cases for producers, in the order of the report. */
export const PRODUCER_CASES: readonly ProducerCase[] = [
  ...ENVELOPE_CASES,
  ...TIME_CASES,
  ...SESSION_CASES,
  ...TEXT_CASES,
  ...QUESTION_WATCHERS,
  ...QUESTION_CASES,
  ...CLARIFICATION_CASES,
  ...REPLY_CASES,
  ...HANDSHAKE_CASES,
  ...DELIVERY_CASES,
  ...CRITICAL_CASES,
  ...BOUNDARY_CASES,
  ...RENEGOTIATION_CASES,
  ...CHANGE_CASES,
  ...AAEPD_CASES,
];
