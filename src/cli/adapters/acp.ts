import type { Command } from "commander";
import type { CommandContext } from "../shell/context.js";
import { knownList } from "../shell/option-values.js";
import { type AdapterOptions, addAdapterOptions, runInFront } from "./in-front.js";

interface AcpCommandOptions extends AdapterOptions {
  readonly irreversibleKinds?: readonly string[];
  readonly thoughts?: true;
  readonly quietPrompts?: true;
}

/** The kinds of ACP. */
const TOOL_KINDS = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"];

const EXPLANATION = `
The editor starts this program in place of AGENT, and keeps its standard input and output as pipes. Both carry the Agent Client Protocol, which the
program passes on byte for byte. Standard error is the agent's own. The exit code is that of the agent.

Assistive technology hears, by the daemon that aaepd serve runs:
  - each request, and how it ended,
  - what the agent writes, in sentences,
  - its plan and its tools, when they run,
  - each question for permission, which the editor asks too. The first answer
    counts.

Without a daemon, and if nobody answers, the agent runs as it would without aaepd: its editor asks. A listener's answer is never "always".

See docs/adapters.md.

Examples:
  aaepd acp -- opencode acp
  aaepd acp --name "Claude at work" -- npx @zed-industries/claude-code-acp
  aaepd acp --irreversible-kinds delete,move,execute -- gemini --acp`;

/** `aaepd acp -- AGENT …`: a proxy between an editor and an agent of the Agent Client Protocol. */
export function registerAcp(program: Command, { io, stdio }: CommandContext): void {
  const command = program
    .command("acp")
    .summary("make an agent of the Agent Client Protocol audible")
    .description(
      "Runs an agent of the Agent Client Protocol for the editor that started this program, and lets listeners hear and answer it.",
    )
    .argument("<agent...>", "the agent and its arguments, after --");
  addAdapterOptions(command, "the agent and its folder")
    .option(
      "--irreversible-kinds <list>",
      "kinds of tools that cannot be undone, such as delete,move,execute",
      knownList(TOOL_KINDS),
    )
    .option("--thoughts", "tell the agent's thoughts as text")
    .option("--quiet-prompts", "do not repeat the words of a request")
    .addHelpText("after", EXPLANATION)
    .action(async (words: readonly string[], options: AcpCommandOptions) => {
      const { runAcp } = await import("../../adapters/acp/run-acp.js");
      const own = {
        host: stdio,
        irreversibleKinds: new Set(options.irreversibleKinds),
        tellsThoughts: options.thoughts === true,
        saysPrompts: options.quietPrompts !== true,
      };
      await runInFront(words, options, io, (given) => runAcp({ ...given, ...own }));
    });
}
