// The error codes of A2E, and the daemon's faults in them.
import type { Fault } from "../../../base/errors.js";
import type { A2eMessage } from "./message.js";

/** Every code, with whether the request may be sent again. */
const RETRYABLE = {
  parse_error: false,
  invalid_message: false,
  version_mismatch: false,
  unauthorized: false,
  schema_violation: false,
  runtime_error: true,
  timeout: true,
  out_of_memory: true,
  sandbox_crash: true,
} as const;

export type ErrorCode = keyof typeof RETRYABLE;

export interface ErrorDetail {
  readonly detail?: unknown;
  readonly capability?: string | undefined;
  /** Default as the code says. */
  readonly retryable?: boolean;
}

/** The members of an `error` beside its base. `requestId`: the message that it answers, if that has an id. */
export function errorFields(
  code: ErrorCode,
  message: string,
  requestId: string | undefined,
  { detail, capability, retryable = RETRYABLE[code] }: ErrorDetail = {},
): A2eMessage {
  return {
    ...(requestId === undefined ? {} : { req_id: requestId }),
    code,
    message,
    ...(detail === undefined ? {} : { detail }),
    retryable,
    ...(capability === undefined ? {} : { capability_name: capability }),
  };
}

/** The code of a frame that was no message. */
export function codeOfFrame({ code }: Fault): ErrorCode {
  return code === "invalid_json" || code === "framing_lost" ? "parse_error" : "invalid_message";
}
