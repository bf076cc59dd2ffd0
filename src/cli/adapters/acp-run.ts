import { currentPlace, ipcDirectories } from "../../../transports/ipc/paths.js";
import type { Stdio } from "../../../transports/stdio/take-stdio.js";
import { runAcp } from "../../adapters/acp/run-acp.js";
import { speechOf } from "../../adapters/language.js";
import { givenName } from "../../adapters/names.js";
import { Fault, faultFrom } from "../../base/errors.js";
import { chosenSocket } from "../shell/chosen-socket.js";
import { describeFault } from "../shell/run-command.js";

export interface AcpCommandOptions {
  readonly name?: string;
  readonly language?: string;
  readonly socket?: string;
  readonly irreversibleKinds?: readonly string[];
  readonly thoughts?: true;
  readonly quietPrompts?: true;
}

/** Signals that are the agent's as well. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Faults that are told. Further ones would only repeat them. */
const MOST_TOLD = 20;

/** Runs the agent, and ends this process as the agent ends. Rejects with a Fault if the agent cannot be started, or an option is wrong. */
export async function runAcpCommand(
  command: readonly string[],
  options: AcpCommandOptions,
  stdio: Stdio,
): Promise<void> {
  const [program = "", ...words] = command;
  const { env: environment } = process;
  const onFault = createReport();
  // The editor and the agent go on, whatever goes wrong here.
  process.on("uncaughtException", onFault).on("unhandledRejection", onFault);
  const end = await runAcp({
    command: [program, ...words],
    environment,
    host: stdio,
    name: options.name === undefined ? undefined : givenName(options.name),
    speech: speechOf(options.language, environment),
    socket: chosenSocket(options.socket, environment)?.path,
    runtimeFolder: ipcDirectories(currentPlace())[0],
    irreversibleKinds: new Set(options.irreversibleKinds),
    tellsThoughts: options.thoughts === true,
    saysPrompts: options.quietPrompts !== true,
    folder: process.cwd(),
    onFault,
    onStarted: ({ kill }) => {
      for (const signal of SIGNALS) process.on(signal, () => kill(signal));
    },
  });
  if (end.signal === null) process.exit(end.code ?? 1);
  // As the agent: killed, not ended.
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  process.kill(process.pid, end.signal);
}

/** Says on standard error what went wrong, each sentence once. */
function createReport(): (caught: unknown) => void {
  const told = new Set<string>();
  return (caught) => {
    const fault = caught instanceof Fault ? caught : faultFrom(caught);
    const line = `aaepd: ${describeFault(fault)}\n`;
    if (told.has(line) || told.size >= MOST_TOLD) return;
    told.add(line);
    process.stderr.write(line);
  };
}
