// Entry of the package @aaepd/conformance: `aaepd conformance` by itself, without the daemon.
import { Command } from "commander";
import { readVersion } from "../../daemon/platform/version.js";
import { parseLine } from "../shell/parse-line.js";
import { inOurForm } from "../shell/program-form.js";
import { runCommand } from "../shell/run-command.js";
import { type CommandIo, processIo } from "../terminal/command-io.js";
import { helpWidth } from "../terminal/terminal-width.js";
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
  await parseLine(program, argv, io).catch((caught) => runCommand(io, () => Promise.reject(caught)));
}
