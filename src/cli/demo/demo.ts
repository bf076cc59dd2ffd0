// `aaepd demo`: the options and the help. What it does is in demo-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import { positiveNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { DemoOptions } from "./demo-run.js";

const HELP = `
A daemon is started as this command's child, as an agent would start it. A recorded agent session is published into it, and three listeners receive it,
each on its own terms: a screen reader, a braille display and a debugging tool. At the end each is summed up, and everything is cleaned away.

A recording holds no answers: where its agent asks and then goes on, its question is withdrawn. What the slow listeners have not had some seconds after the
last event is handed out at once when the daemon is stopped, whatever their rate. With --speed above 1 that is nearly everything: their rates stay what they are.

Sessions: retirement-planner, parallel-tools, yoruba-market, japanese-travel, arabic-library.

Examples:
  aaepd demo
  aaepd demo --plain                       lines instead of columns; also where standard output is no wide terminal
  aaepd demo --session yoruba-market       Yoruba for one listener, English for another
  aaepd demo --session my-session.ndjson   a recording of your own
  aaepd demo --speed 5                     five times as fast`;

/** `io` is for tests; by default the process's own. */
export function registerDemo(program: Command, io?: CommandIo): void {
  program
    .command("demo")
    .summary("play a session, and show what three listeners receive of it")
    .description(
      "Plays a recorded agent session, and shows what three different listeners receive of it. Ends by itself.",
    )
    .option("--session <name>", "which session: a name, or a file of events", "retirement-planner")
    .option("--speed <n>", "n times the pace of the recording", positiveNumber(100), 1)
    .option("--plain", "labelled lines instead of columns")
    .addHelpText("after", HELP)
    .action(async (options: DemoOptions) => {
      const [{ processIo }, { runDemo }] = await Promise.all([
        import("../terminal/command-io.js"),
        import("./demo-run.js"),
      ]);
      await runDemo(options, io ?? processIo());
    });
}
