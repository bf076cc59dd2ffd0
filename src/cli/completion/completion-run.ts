// Prints the script of a shell. The scripts are static. The libraries for completion (`@bomb.sh/tab`, `@pnpm/tabtab`, `omelette`) start the program
// at every press of the key, which takes as long as a start of Node.
import type { CommandContext } from "../shell/context.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { bashScript } from "./bash-script.js";
import { type CommandNode, describeCommand } from "./command-tree.js";
import { fishScript } from "./fish-script.js";
import { zshScript } from "./zsh-script.js";

export type Shell = "bash" | "zsh" | "fish";

const SCRIPTS: Readonly<Record<Shell, (program: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function runCompletion(
  shell: Shell,
  { loadProgram }: Pick<CommandContext, "loadProgram">,
  io: CommandIo,
): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    await writeLines(io.stdout, [SCRIPTS[shell](describeCommand(await loadProgram())).trimEnd()]);
    return EXIT.ok;
  });
}
