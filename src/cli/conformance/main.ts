// Entry of the package @aaepd/conformance: `aaepd conformance` by itself, without the daemon.
import { Command, CommanderError } from "commander";
import { readVersion } from "../../daemon/platform/version.js";
import { inOurForm } from "../shell/program-form.js";
import { runCommand } from "../shell/run-command.js";
import { usageFault } from "../shell/usage-fault.js";
import { type CommandIo, processIo } from "../terminal/command-io.js";
import { helpWidth } from "../terminal/help-layout.js";
import { addSuites, PURPOSE } from "./conformance.js";

const NAME = "aaepd-conformance";

/** Runs the command that `argv` names. A fault is reported on standard error, and decides the exit code of the process. */
export async function main(argv: readonly string[], io: CommandIo = processIo()): Promise<void> {
  // A reader that has ended, as in `aaepd-conformance --help | true`, is no fault.
  for (const stream of [io.stdout, io.stderr]) stream.on("error", () => {});
  const program = inOurForm(new Command(NAME), readVersion(), {
    width: helpWidth(io.stdout, io.environment),
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
  }).description(PURPOSE);
  addSuites(program, NAME, io);
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (caught) {
    if (caught instanceof CommanderError && caught.exitCode === 0) return;
    const fault = caught instanceof CommanderError ? usageFault(caught, program, argv) : caught;
    await runCommand(io, () => Promise.reject(fault));
  }
}
