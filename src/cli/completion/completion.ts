import { Argument, type Command } from "commander";
import type { CommandContext } from "../shell/context.js";
import type { Shell } from "./completion-run.js";

export const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

const HELP = `
The command prints a script. With it the shell completes commands, options, the values of options that have a fixed choice, and the names of files.
The script starts no program while you type. After an update of aaepd, write the script again.

bash, with the package bash-completion:
  mkdir -p ~/.local/share/bash-completion/completions
  aaepd completion bash > ~/.local/share/bash-completion/completions/aaepd
bash, without that package: put this line into ~/.bashrc:
  source <(aaepd completion bash)

zsh: put the script into a folder of $fpath. If you have none of your own:
  mkdir -p ~/.zfunc
  aaepd completion zsh > ~/.zfunc/_aaepd
Then put these lines into ~/.zshrc:
  fpath=(~/.zfunc $fpath)
  autoload -Uz compinit && compinit

fish:
  mkdir -p ~/.config/fish/completions
  aaepd completion fish > ~/.config/fish/completions/aaepd.fish

Shells that run already have to be started again.

Exit codes: 0 done, 2 wrong usage.

Examples:
  aaepd completion bash
  source <(aaepd completion bash)     try it in this bash alone`;

export function registerCompletion(program: Command, context: CommandContext): void {
  program
    .command("completion")
    .summary("print a script that completes aaepd in a shell")
    .description("Prints a script that completes aaepd in bash, zsh or fish.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", HELP)
    .action(async (shell: Shell) => (await import("./completion-run.js")).runCompletion(shell, context, context.io));
}
