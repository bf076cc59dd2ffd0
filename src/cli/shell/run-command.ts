import { type Fault, faultFrom } from "../../base/errors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownText } from "../terminal/shown-text.js";
import { type ExitCode, exitCodeFromFault } from "./exit-codes.js";
import type { HelpLines } from "./fault-lines.js";

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

/** The sentence, then the code and any pointer and rule in brackets. For a mistyped command line the sentence is enough, a line for each mistake. */
export function describeFault({ sentence, code, pointer, rule }: Fault): string {
  if (code === "usage") return sentence.split("\n").map(shownText).join("\n");
  const place = pointer === undefined || pointer === "" ? [] : [pointer];
  // The system's own code would repeat ours.
  const said = sentence.replace(/ \(E[A-Z]+\)$/, "");
  return shownText(`${said} (${[code, ...place, ...(rule === undefined ? [] : [rule])].join(", ")})`);
}
