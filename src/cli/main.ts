// Entry of the command line. Its imports print nothing, and `serve` needs all of them: a command and its libraries load only when it is called, after
// standard output has been taken from all other code.
import { isTty, type Stdio, takeStdio } from "../../transports/stdio/take-stdio.js";
import { faultFrom } from "../base/errors.js";
import { startExitCode } from "../daemon/platform/exit-codes.js";
import { COMMANDS } from "./commands.js";
import { createProgram } from "./program.js";
import type { CommandContext } from "./shell/context.js";
import type { ProgramOutput } from "./shell/program-form.js";
import { exitCodeFromFault } from "./shell/run-command.js";
import { type CommandIo, processIo } from "./terminal/command-io.js";
import { helpWidth } from "./terminal/terminal-width.js";

export interface MainOptions {
  /** The arguments behind the name of the program. */
  readonly argv: readonly string[];
  /** Default: the daemon of this project. */
  readonly loadDaemon?: CommandContext["loadDaemon"];
  /** The process that the command runs in. Default: this one. */
  readonly io?: CommandIo;
}

/** Runs the command that `argv` names. A fault is reported on standard error, "Error:" first, and decides the exit code of the process. */
export async function main(options: MainOptions): Promise<void> {
  const { argv, io = processIo() } = options;
  endQuietlyUnread(io);
  const asked = argv.find((argument) => !argument.startsWith("-"));
  const command = COMMANDS.find(({ name }) => name === asked);
  // Measured before standard output is taken: its replacement is no terminal.
  const width = helpWidth(io.stdout, io.environment);
  const stdio: Stdio = command?.ownsStdout === true ? takeStdio(io.ownsProcess ? process : io) : untouchedStdio(io);
  const load = options.loadDaemon ?? loadDaemon;
  // Begun before the command line is read, because it takes longest. A failure is reported when the daemon is used.
  const loaded = command?.ownsStdout === true && command.runsDaemon !== false ? load() : undefined;
  loaded?.catch(() => {});
  const output: ProgramOutput = {
    width,
    writeOut: (text) => stdio.writable.on("error", ignore).write(text),
    writeErr: (text) => io.stderr.write(text),
  };
  const context: CommandContext = {
    io,
    stdio,
    loadDaemon: () => loaded ?? load(),
    loadProgram: () => createProgram(COMMANDS, context, output),
  };
  try {
    const program = await createProgram(command === undefined ? COMMANDS : [command], context, output);
    const { parseLine } = await import("./shell/parse-line.js");
    await parseLine(program, argv, io);
  } catch (caught) {
    const fault = faultFrom(caught);
    const { shownText } = await import("./terminal/shown-text.js");
    for (const line of fault.sentence.split("\n")) io.stderr.write(`Error: ${shownText(line)}\n`);
    // After a failed start, standard input of the daemon may still be open and would keep the process alive.
    if (command?.ownsStdout === true) io.host.exit(startExitCode(fault));
    else io.setExitCode(exitCodeFromFault(fault));
  }
}

/** Ignores the end of the readers, as in `aaepd --help | true`: no fault. Writers that need to know listen themselves. */
function endQuietlyUnread({ stdout, stderr }: CommandIo): void {
  for (const stream of [stdout, stderr]) stream.on("error", ignore);
}

function ignore(): void {}

function untouchedStdio({ stdin, stdout }: CommandIo): Stdio {
  return {
    readable: stdin,
    writable: stdout,
    isTerminal: isTty(stdout),
  };
}

async function loadDaemon() {
  const { startDaemonAndRelays } = await import("../daemon/relays.js");
  return startDaemonAndRelays;
}
