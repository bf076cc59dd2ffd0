import type { Command } from "commander";
import type { CommandContext } from "../shell/context.js";
import { textList, wholeNumber } from "../shell/option-values.js";
import { type AdapterOptions, addAdapterOptions, runInFront } from "./in-front.js";

interface McpCommandOptions extends AdapterOptions {
  readonly irreversibleTools?: readonly string[];
  readonly holdSeconds: number;
}

const EXPLANATION = `
The host, which is the agent's program, starts this program in place of SERVER, and keeps its standard input and output as pipes. Both carry the
Model Context Protocol, which the program passes on byte for byte. Standard error is the server's own. The exit code is that of the server.

Assistive technology hears, by the daemon that aaepd serve runs:
  - each tool that the agent calls, and how it ended,
  - the progress of a tool,
  - that the server asks something, to be answered in the host's own window,
  - a question before each call of a tool that --irreversible-tools names.

A named tool is called only after a person's yes. Without a daemon, without a listener that can answer, or after --hold-seconds, the agent gets "Not
done". Everything else runs as it would without aaepd. The agent's own text does not pass a server: only its tools are heard.

See docs/adapters.md.

Examples:
  aaepd mcp -- npx -y @modelcontextprotocol/server-filesystem /home/ada/shop
  aaepd mcp --name "Claude at work" -- uvx mcp-server-git
  aaepd mcp --irreversible-tools write_file,move_file -- mcp-server-filesystem .`;

/** `aaepd mcp -- SERVER …`: a proxy between a host and a server of the Model Context Protocol. */
export function registerMcp(program: Command, { io, stdio }: CommandContext): void {
  const command = program
    .command("mcp")
    .summary("make the tools of an MCP server audible")
    .description(
      "Runs a server of the Model Context Protocol for the host that started this program, and lets listeners hear its tools and hold them.",
    )
    .argument("<server...>", "the server and its arguments, after --");
  addAdapterOptions(command, "the server and the folder")
    .option(
      "--irreversible-tools <names>",
      "tools that are called only after a person's yes, such as write_file,move_file",
      textList,
    )
    .option("--hold-seconds <seconds>", "how long a person has to answer", wholeNumber(1, 86_400), 45)
    .addHelpText("after", EXPLANATION)
    .action(async (words: readonly string[], options: McpCommandOptions) => {
      const { runMcp } = await import("../../adapters/mcp/run-mcp.js");
      const { irreversibleTools = [], holdSeconds } = options;
      const own = { host: stdio, hostPid: await hostOf(stdio), irreversibleTools, holdSeconds };
      await runInFront(words, options, io, (given) => runMcp({ ...given, ...own }));
    });
}

async function hostOf({ parentId }: CommandContext["stdio"]): Promise<number | undefined> {
  if (parentId === undefined) return undefined;
  const { agentBehind } = await import("../../daemon/platform/process-lineage.js");
  // A host that is gone has left this process to the first of the system, below which everything is.
  return parentId > 1 ? agentBehind(parentId, process.pid) : process.pid;
}
