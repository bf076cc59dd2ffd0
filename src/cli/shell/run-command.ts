import { type Fault, type FaultCode, faultFrom } from "../../base/errors.js";
import { EXIT_CODES } from "../../daemon/platform/exit-codes.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { LineWriter } from "../terminal/line-writer.js";
import { shownText } from "../terminal/shown-text.js";
import type { HelpLines } from "./fault-lines.js";

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

const OF_USAGE: readonly FaultCode[] = ["usage", "address_invalid"];
const OF_THE_WAY: readonly FaultCode[] = ["not_found", "peer_gone", "timed_out", "permission_denied", "shutting_down"];

export function exitCodeFromFault({ code }: Fault): ExitCode {
  if (OF_USAGE.includes(code)) return EXIT.usage;
  return OF_THE_WAY.includes(code) ? EXIT.unreachable : EXIT.fault;
}

/**
 * Runs the action of a command. A thrown error is reported on stderr, in one line for each mistake, "Error:" first, and decides the exit code
 * by `exitCodeOf`. The lines of `help` follow it; by default there are none.
 */
export async function runCommand(
  io: CommandIo,
  action: () => Promise<ExitCode>,
  exitCodeOf: (fault: Fault) => ExitCode = exitCodeFromFault,
  help: HelpLines = () => [],
): Promise<void> {
  try {
    io.setExitCode(await action());
  } catch (caught) {
    const fault = faultFrom(caught);
    const said = describeFault(fault)
      .split("\n")
      .map((line) => `Error: ${line}`);
    for (const line of [...said, ...help(fault)]) io.stderr.write(`${line}\n`);
    io.setExitCode(exitCodeOf(fault));
  }
}

/** Prints until that is done. An interrupt, and the end of the reader, as in `aaepd tail | head`, call `end`. */
export async function whileRead(
  output: LineWriter,
  { onInterrupt }: Pick<CommandIo, "onInterrupt">,
  end: () => void,
  print: () => Promise<ExitCode>,
): Promise<ExitCode> {
  output.gone.then(end, end);
  const cancelInterrupt = onInterrupt(end);
  try {
    return await print();
  } catch (caught) {
    if (output.hasGone()) return EXIT.ok;
    throw caught;
  } finally {
    cancelInterrupt();
    await output.flush();
  }
}

/** The sentence, then the code and any pointer and rule in brackets. For a mistyped command line the sentence is enough, a line for each mistake. */
export function describeFault({ sentence, code, pointer, rule }: Fault): string {
  if (code === "usage") return sentence.split("\n").map(shownText).join("\n");
  const place = pointer === undefined || pointer === "" ? [] : [pointer];
  // The system's own code would repeat ours.
  const said = sentence.replace(/ \(E[A-Z]+\)$/, "");
  return shownText(`${said} (${[code, ...place, ...(rule === undefined ? [] : [rule])].join(", ")})`);
}
