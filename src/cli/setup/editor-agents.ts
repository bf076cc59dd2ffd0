// Agents of the Agent Client Protocol, which an editor starts. The editor's settings are the editor's: the person gets the words to put there.
import { isOnPath } from "../shell/on-path.js";
import type { CommandIo } from "../terminal/command-io.js";

/** The commands by which editors start agents that speak ACP. */
const COMMANDS: readonly (readonly [program: string, ...options: readonly string[]])[] = [
  ["claude-agent-acp"],
  ["claude-code-acp"],
  ["codex-acp"],
  ["copilot", "--acp"],
  ["gemini", "--acp"],
  ["goose", "acp"],
  ["opencode", "acp"],
  ["qwen", "--acp"],
];

/** The commands of the agents that are installed. */
export function editorAgents({ environment }: Pick<CommandIo, "environment">): readonly string[] {
  return COMMANDS.filter(([program]) => isOnPath(program, environment)).map((words) => words.join(" "));
}

/** The change to make in an editor; nothing without such an agent. */
export function editorLines(agents: readonly string[]): readonly string[] {
  if (agents.length === 0) return [];
  return [
    "For an agent in an editor, change the command by which the editor's settings start it. docs/adapters.md has examples.",
    ...agents.map((command) => `  in place of ${command} write: aaepd acp -- ${command}`),
  ];
}
