// Turns faults into errors of Connect, and errors of the library into faults.
import { Code, ConnectError } from "@connectrpc/connect";
import { Fault, type FaultCode } from "../../src/base/errors.js";
import type { DescribeFault } from "../../src/contracts/service.js";
import { nodeErrorCode } from "../node-errors.js";
import { STATUS_OF } from "../rpc-status.js";
import { statusWords } from "../service-calls/status-words.js";

/** Makes the status of a fault, with its typed detail (R20). */
export function connectErrorOf(fault: Fault, describeFault: DescribeFault): ConnectError {
  const { text, detail } = statusWords(fault, describeFault);
  // gRPC and Connect have the same numbers.
  const error = new ConnectError(text, STATUS_OF[fault.code] as number as Code);
  if (detail !== undefined) error.details.push({ type: detail.typeName, value: detail.bytes });
  return error;
}

const INPUT_FAULTS: Readonly<Partial<Record<Code, FaultCode>>> = {
  [Code.ResourceExhausted]: "message_too_large",
  [Code.Unimplemented]: "unsupported",
  [Code.DeadlineExceeded]: "timed_out",
  [Code.Canceled]: "peer_gone",
  [Code.Aborted]: "peer_gone",
};

/** Makes the fault of a request that could not be read: from the library's error about its contents, or from Node's error of a broken connection. */
export function faultOfInput(caught: unknown): Fault {
  if (caught instanceof Fault) return caught;
  if (!(caught instanceof ConnectError) || nodeErrorCode(caught.cause) !== undefined)
    return new Fault("peer_gone", "The call ended before its message was whole. Call again.", { cause: caught });
  return new Fault(INPUT_FAULTS[caught.code] ?? "invalid_message", advice(caught), { pointer: "", cause: caught });
}

function advice({ code, rawMessage }: ConnectError): string {
  switch (code) {
    case Code.ResourceExhausted:
      return `The message is too large: ${rawMessage}. Send less at a time.`;
    case Code.Unimplemented:
      // The library lists the supported encodings, even if there are none.
      return `This cannot be read here: ${rawMessage.replace(/: supported encodings are $/, "")}. Send it uncompressed.`;
    default:
      return `The message cannot be read: ${rawMessage}. Send what the descriptor of the method says.`;
  }
}
