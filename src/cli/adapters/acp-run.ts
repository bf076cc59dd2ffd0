import { runAcp } from "../../adapters/acp/run-acp.js";
import type { CommandContext } from "../shell/context.js";
import { type AdapterOptions, adapterSettings } from "./adapter-options.js";
import { endAs, passSignals, reportFaults } from "./child-end.js";

export interface AcpCommandOptions extends AdapterOptions {
  readonly irreversibleKinds?: readonly string[];
  readonly thoughts?: true;
  readonly quietPrompts?: true;
}

/** Runs the agent, and ends this process as the agent ends. Rejects with a Fault if the agent cannot be started, or an option is wrong. */
export async function runAcpCommand(
  command: readonly string[],
  options: AcpCommandOptions,
  { io, stdio }: Pick<CommandContext, "io" | "stdio">,
): Promise<void> {
  const [program = "", ...words] = command;
  // The editor and the agent go on, whatever goes wrong here.
  const onFault = reportFaults(io);
  const end = await runAcp({
    ...adapterSettings(options, io.environment),
    command: [program, ...words],
    environment: io.environment,
    host: stdio,
    irreversibleKinds: new Set(options.irreversibleKinds),
    tellsThoughts: options.thoughts === true,
    saysPrompts: options.quietPrompts !== true,
    onFault,
    onStarted: ({ kill }) => passSignals(io, kill),
  });
  endAs(end, io);
}
