import type { Stdio } from "../../../transports/stdio/take-stdio.js";
import { runMcp } from "../../adapters/mcp/run-mcp.js";
import { agentBehind } from "../../daemon/platform/launchers.js";
import type { CommandContext } from "../shell/context.js";
import { type AdapterOptions, adapterSettings } from "./adapter-options.js";
import { endAs, passSignals, reportFaults } from "./child-end.js";

export interface McpCommandOptions extends AdapterOptions {
  readonly irreversibleTools?: readonly string[];
  readonly holdSeconds: number;
}

/** Runs the server, and ends this process as the server ends. Rejects with a Fault if the server cannot be started, or an option is wrong. */
export async function runMcpCommand(
  command: readonly string[],
  options: McpCommandOptions,
  { io, stdio }: Pick<CommandContext, "io" | "stdio">,
): Promise<void> {
  const [program = "", ...words] = command;
  // The host and the server go on, whatever goes wrong here.
  const onFault = reportFaults(io);
  const end = await runMcp({
    ...adapterSettings(options, io.environment),
    command: [program, ...words],
    environment: io.environment,
    host: stdio,
    hostPid: hostOf(stdio),
    irreversibleTools: options.irreversibleTools ?? [],
    holdSeconds: options.holdSeconds,
    onFault,
    onStarted: ({ kill }) => passSignals(io, kill),
  });
  endAs(end, io);
}

function hostOf({ parentId }: Stdio): number | undefined {
  if (parentId === undefined) return undefined;
  // A host that is gone has left this process to the first of the system, below which everything is.
  return parentId > 1 ? agentBehind(parentId, process.pid) : process.pid;
}
