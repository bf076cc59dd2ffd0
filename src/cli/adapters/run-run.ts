import { runProgram } from "../../adapters/program/run-program.js";
import type { CommandContext } from "../shell/context.js";
import { type AdapterOptions, adapterSettings } from "./adapter-options.js";
import { endAs, passSignals, reportFaults } from "./child-end.js";

/** Runs the program, and ends this process as the program ends. Rejects with a Fault if it cannot be started, or an option is wrong. */
export async function runRunCommand(
  command: readonly string[],
  options: AdapterOptions,
  { io, stdio }: Pick<CommandContext, "io" | "stdio">,
): Promise<void> {
  const [program = "", ...words] = command;
  const onFault = reportFaults(io);
  const end = await runProgram({
    ...adapterSettings(options, io.environment),
    command: [program, ...words],
    environment: io.environment,
    stdout: stdio.writable,
    stderr: io.stderr,
    onFault,
    onStarted: ({ kill }) => {
      // A terminal interrupts the program itself, which would else be interrupted twice.
      const isInTerminal = io.stdin.isTTY === true;
      passSignals(io, (signal) => {
        if (signal !== "SIGINT" || !isInTerminal) kill(signal);
      });
    },
  });
  endAs(end, io);
}
