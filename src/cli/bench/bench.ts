// `aaepd bench`: the options and the help. The command itself is in bench-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import type { BenchOptions } from "./bench-run.js";

const HELP = `
The command starts a daemon of its own in a temporary folder, and measures it for 20 to 30 seconds. It touches no daemon, file or setting of yours, and
removes everything at the end. Close other programs first: they take part in every figure.

The report is one table, and a paragraph about each line: what the figure means for agents and listeners, and what is usual. Each figure of the daemon
stands beside the same measurement of a bare relay, which copies bytes and does nothing else. The ratio of both depends less on the machine.

With --json the report is one object. Its lines have name, unit, daemon, bare, ratio, usual and verdict (usual, better or worse).

Exit codes: 0 done, 1 the daemon failed, 130 interrupted.

Examples:
  aaepd bench
  aaepd bench --json | jq -r '.lines[] | select(.verdict == "worse") | .name'`;

/** `io` is for tests; default: this process. */
export function registerBench(program: Command, io?: CommandIo): void {
  program
    .command("bench")
    .summary("measure the daemon on this machine")
    .description("Measures a daemon of its own on this machine, and says what the figures mean.")
    .option("--json", "print the report as JSON")
    .addHelpText("after", HELP)
    .action(async (options: BenchOptions) => {
      const [{ processIo }, { runBench }] = await Promise.all([
        import("../terminal/command-io.js"),
        import("./bench-run.js"),
      ]);
      await runBench(options, io ?? processIo());
    });
}
