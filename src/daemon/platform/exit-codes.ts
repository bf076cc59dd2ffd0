// Exit codes of the programs of this project. docs/exit-codes.md has the same table.
import type { Fault } from "../../base/errors.js";

/** `meaning` is the conclusion for a person or a script. 69, 70 and 73 come from sysexits.h; 130 is the shells' code for SIGINT. */
export const EXIT_CODES = {
  done: {
    code: 0,
    meaning:
      "Done. For `serve`, `stdio` and `a2e`: stopped in order, by a signal, or because standard input or its reader ended.",
  },
  failed: { code: 1, meaning: "The input or the peer was at fault. The message explains the fault." },
  usage: {
    code: 2,
    meaning:
      "The command line, an `AAEPD_*` variable or the configuration file is wrong, or asks for packages that are not installed. Nothing was started.",
  },
  suiteFailed: { code: 3, meaning: "`conformance` could not do its work: the suite itself is at fault." },
  unreachable: { code: 69, meaning: "No daemon was found, or it went away." },
  crashed: { code: 70, meaning: "The daemon stopped by itself after an internal error, which its log names." },
  cannotListen: {
    code: 73,
    meaning: "The daemon cannot listen at its address: the address is taken, not valid, or not allowed.",
  },
  parentGone: { code: 80, meaning: "The daemon stopped by itself, because the process that started it had ended." },
  cutShort: {
    code: 81,
    meaning: "A stopping daemon was not done in time, or was told to stop again. It dropped the rest.",
  },
  interrupted: {
    code: 130,
    meaning: "A command other than `serve`, `stdio` and `a2e` was interrupted before it was done.",
  },
} as const satisfies Record<string, { readonly code: number; readonly meaning: string }>;

/** Returns the exit code of a daemon that could not start. */
export function startExitCode(fault: Fault): number {
  switch (fault.code) {
    case "usage":
      return EXIT_CODES.usage.code;
    case "address_in_use":
    case "address_invalid":
    case "permission_denied":
    case "not_found":
      return EXIT_CODES.cannotListen.code;
    case "internal":
      return EXIT_CODES.crashed.code;
    default:
      return EXIT_CODES.failed.code;
  }
}
