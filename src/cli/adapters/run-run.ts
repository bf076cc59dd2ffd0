import { isTty, type Stdio } from "../../../transports/stdio/take-stdio.js";
import { runProgram } from "../../adapters/program/run-program.js";
import { type AdapterOptions, adapterSettings } from "./adapter-options.js";
import { endAs, passSignals, reportFaults, SIGNALS } from "./child-end.js";

/** Runs the program, and ends this process as the program ends. Rejects with a Fault if it cannot be started, or an option is wrong. */
export async function runRunCommand(command: readonly string[], options: AdapterOptions, stdio: Stdio): Promise<void> {
  const [program = "", ...words] = command;
  const onFault = reportFaults();
  const end = await runProgram({
    ...adapterSettings(options),
    command: [program, ...words],
    environment: process.env,
    stdout: stdio.writable,
    stderr: process.stderr,
    onFault,
    onStarted: ({ kill }) => {
      // A terminal interrupts the program itself, which would else be interrupted twice.
      const isInTerminal = isTty(process.stdin);
      passSignals((signal) => {
        if (signal !== "SIGINT" || !isInTerminal) kill(signal);
      }, SIGNALS);
    },
  });
  endAs(end);
}
