// Faults as JSON-RPC errors and back (R33).
import { FAULT_CODES, Fault, type FaultCode } from "../../src/base/errors.js";
import { ruleOf } from "../../src/base/fault-rules.js";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The standard codes, which answers of peers that know none of ours have too. */
const STANDARD_CODES: readonly (readonly [FaultCode, number])[] = [
  ["invalid_json", -32700],
  ["framing_lost", -32700],
  ["invalid_message", -32600],
  ["unknown_method", -32601],
  ["invalid_params", -32602],
  ["internal", -32603],
];
/** Of every other fault. */
const SERVER_ERROR = -32000;

/** The `error` member of an answer. The cause of a fault stays here. */
export function rpcErrorFromFault(fault: Fault): RpcError {
  return {
    code: STANDARD_CODES.find(([known]) => known === fault.code)?.[1] ?? SERVER_ERROR,
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
  const standard = STANDARD_CODES.find(([, known]) => known === code)?.[0];
  const sentence = typeof message === "string" ? message : "The peer refused, and did not say why.";
  return new Fault(faultCodeOf(given.code) ?? standard ?? "internal", sentence, {
    ...(typeof given.pointer === "string" ? { pointer: given.pointer } : {}),
    ...(typeof given.rule === "string" ? { rule: given.rule } : {}),
    ...(typeof given.event_id === "string" ? { eventId: given.event_id } : {}),
    ...(typeof given.retry_after_seconds === "number" ? { retryAfterSeconds: given.retry_after_seconds } : {}),
  });
}

function faultCodeOf(given: unknown): FaultCode | undefined {
  return FAULT_CODES.find((code) => code === given);
}
