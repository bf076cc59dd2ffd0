// Faults as JSON-RPC errors and back (R33). The table is exhaustive, so that a new code does not compile until it is mapped.
import { FAULT_CODES, Fault, type FaultCode } from "../../src/base/errors.js";
import { ruleOf } from "../../src/base/fault-rules.js";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const SERVER_ERROR = -32000;

const RPC_CODES: Readonly<Record<FaultCode, number>> = {
  invalid_json: PARSE_ERROR,
  framing_lost: PARSE_ERROR,
  invalid_message: INVALID_REQUEST,
  unknown_method: METHOD_NOT_FOUND,
  invalid_params: INVALID_PARAMS,
  internal: INTERNAL_ERROR,
  invalid_event: SERVER_ERROR,
  message_too_large: SERVER_ERROR,
  unknown_type: SERVER_ERROR,
  session_not_started: SERVER_ERROR,
  session_already_started: SERVER_ERROR,
  session_ended: SERVER_ERROR,
  session_incomplete: SERVER_ERROR,
  session_not_yours: SERVER_ERROR,
  tool_not_invoked: SERVER_ERROR,
  tool_already_invoked: SERVER_ERROR,
  output_already_complete: SERVER_ERROR,
  position_mismatch: SERVER_ERROR,
  sequence_mismatch: SERVER_ERROR,
  state_mismatch: SERVER_ERROR,
  timestamp_out_of_order: SERVER_ERROR,
  timestamp_skewed: SERVER_ERROR,
  confirmation_required: SERVER_ERROR,
  urgency_not_allowed: SERVER_ERROR,
  default_not_allowed: SERVER_ERROR,
  reply_token_reused: SERVER_ERROR,
  already_asked: SERVER_ERROR,
  event_id_reused: SERVER_ERROR,
  producer_missing: SERVER_ERROR,
  handshake_required: SERVER_ERROR,
  unknown_subscription: SERVER_ERROR,
  capabilities_incompatible: SERVER_ERROR,
  version_unsupported: SERVER_ERROR,
  signature_required: SERVER_ERROR,
  rate_limit: SERVER_ERROR,
  lagging: SERVER_ERROR,
  not_found: SERVER_ERROR,
  permission_denied: SERVER_ERROR,
  unauthenticated: SERVER_ERROR,
  address_in_use: SERVER_ERROR,
  address_invalid: SERVER_ERROR,
  peer_gone: SERVER_ERROR,
  timed_out: SERVER_ERROR,
  cancelled: SERVER_ERROR,
  storage_unavailable: SERVER_ERROR,
  shutting_down: SERVER_ERROR,
  unsupported: SERVER_ERROR,
  usage: SERVER_ERROR,
};

/** For answers of peers that know none of our codes. */
const FAULT_CODES_OF_STANDARD: ReadonlyMap<number, FaultCode> = new Map([
  [PARSE_ERROR, "invalid_json"],
  [INVALID_REQUEST, "invalid_message"],
  [METHOD_NOT_FOUND, "unknown_method"],
  [INVALID_PARAMS, "invalid_params"],
]);

/** The `error` member of an answer. The cause of a fault stays here. */
export function rpcErrorFromFault(fault: Fault): RpcError {
  return {
    code: RPC_CODES[fault.code],
    message: fault.sentence,
    data: {
      code: fault.code,
      pointer: fault.pointer ?? "",
      rule: ruleOf(fault),
      ...(fault.eventId === undefined ? {} : { event_id: fault.eventId }),
      ...(fault.retryAfterSeconds === undefined ? {} : { retry_after_seconds: fault.retryAfterSeconds }),
    },
  };
}

/** Turns the `error` member of a peer's answer into a Fault; with a peer of ours, into the Fault that it was made from. */
export function faultFromRpcError({ code, message, data }: { readonly [member: string]: unknown }): Fault {
  const given = (typeof data === "object" && data !== null ? data : {}) as Readonly<Record<string, unknown>>;
  const known = typeof code === "number" ? FAULT_CODES_OF_STANDARD.get(code) : undefined;
  const sentence = typeof message === "string" ? message : "The peer refused, and did not say why.";
  return new Fault(faultCodeOf(given.code) ?? known ?? "internal", sentence, {
    ...(typeof given.pointer === "string" ? { pointer: given.pointer } : {}),
    ...(typeof given.rule === "string" ? { rule: given.rule } : {}),
    ...(typeof given.event_id === "string" ? { eventId: given.event_id } : {}),
    ...(typeof given.retry_after_seconds === "number" ? { retryAfterSeconds: given.retry_after_seconds } : {}),
  });
}

function faultCodeOf(given: unknown): FaultCode | undefined {
  return FAULT_CODES.find((code) => code === given);
}
