import type { Fault } from "../../base/errors.js";
import { EXIT_CODES } from "../../daemon/platform/exit-codes.js";

/** Exit codes of the commands that are clients; docs/exit-codes.md explains each. */
export const EXIT = {
  ok: EXIT_CODES.done.code,
  /** The input or the peer was at fault. */
  fault: EXIT_CODES.failed.code,
  usage: EXIT_CODES.usage.code,
  suiteFailed: EXIT_CODES.suiteFailed.code,
  /** No daemon could be reached. */
  unreachable: EXIT_CODES.unreachable.code,
  interrupted: EXIT_CODES.interrupted.code,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export function exitCodeFromFault(fault: Fault): ExitCode {
  switch (fault.code) {
    case "usage":
    case "address_invalid":
      return EXIT.usage;
    case "not_found":
    case "peer_gone":
    case "timed_out":
    case "permission_denied":
    case "shutting_down":
      return EXIT.unreachable;
    default:
      return EXIT.fault;
  }
}
