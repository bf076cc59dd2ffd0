import type { Fault } from "../../base/errors.js";
import { EXIT, type ExitCode } from "../shell/exit-codes.js";

/** The exit code of a suite that could not begin: 2 for what was given to it, 3 for itself. */
export function suiteExitCode({ code }: Fault): ExitCode {
  switch (code) {
    case "usage":
    case "address_invalid":
    case "address_in_use":
    case "permission_denied":
    case "not_found":
      return EXIT.usage;
    default:
      return EXIT.suiteFailed;
  }
}
