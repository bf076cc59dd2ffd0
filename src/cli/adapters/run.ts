import type { Command } from "commander";
import type { CommandContext } from "../shell/context.js";
import { type AdapterOptions, addAdapterOptions, runInFront } from "./in-front.js";

const EXPLANATION = `
Standard output and standard error of COMMAND are passed on byte for byte, and heard, without colours. They are pipes, so that some programs write
less than in a terminal. Standard input is the command's own. The exit code is that of the command.

A listener that can answer may stop the command, which then gets SIGINT. Without a daemon the command runs as it would without aaepd.

See docs/adapters.md.

Examples:
  aaepd run -- npm test
  aaepd run --name Backup -- rsync -a shop/ backup/`;

/** `aaepd run -- COMMAND …`: a command whose output is heard. */
export function registerRun(program: Command, { io, stdio }: CommandContext): void {
  const command = program
    .command("run")
    .summary("run a command and let its output be heard")
    .description("Runs a command, passes its output on, and lets listeners hear it and stop it.")
    .argument("<command...>", "the command and its arguments, after --");
  addAdapterOptions(command, "the command and its folder")
    .addHelpText("after", EXPLANATION)
    .action(async (words: readonly string[], options: AdapterOptions) => {
      const { runProgram } = await import("../../adapters/program/run-program.js");
      const own = { stdout: stdio.writable, stderr: io.stderr };
      await runInFront(words, options, io, (given) => runProgram({ ...given, ...own }));
    });
}
