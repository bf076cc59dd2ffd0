import type { Command } from "commander";
import { knownList, positiveNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { DemoOptions } from "./demo-run.js";

const LISTENERS = ["Screen reader", "Braille display", "Debugging tool"];

const HELP = `
The command starts a daemon as its child, as an agent would, and publishes a recorded agent session into it. Three listeners receive the session, each
on its own terms: a screen reader, a braille display and a debugging tool. At the end the command prints a summary of each and cleans up.

A recording holds no answers. If its agent asks, the user of the screen reader answers with the default of the question. With --interactive you answer,
as in aaepd tail --interactive.

The demo takes 20 seconds. A longer session is played faster for that. --speed sets another pace: 1 is the pace of the recording.

Some seconds after the last event the command stops the daemon. The daemon then hands the slow listeners the rest at once, whatever their rate. The
faster the session, the larger is that rest, because the rates of the listeners stay the same.

Names of listeners: ${LISTENERS.join(", ")}.

Sessions: retirement-planner, parallel-tools, yoruba-market, japanese-travel, arabic-library.

Examples:
  aaepd demo
  aaepd demo --only "Screen reader"        one listener alone
  aaepd demo --session yoruba-market       Yoruba for one listener, English for another
  aaepd demo --session my-session.ndjson   a recording of your own
  aaepd demo --interactive                 you answer the agent's question
  aaepd demo --speed 2                     twice as fast as it was recorded`;

export function registerDemo(program: Command, io: CommandIo): void {
  program
    .command("demo")
    .summary("play a session to three listeners, and show their streams")
    .description("Plays a recorded agent session and shows the streams of three different listeners. Ends by itself.")
    .option("--session <name>", "the session: a name, or a file of events", "retirement-planner")
    .option("--speed <n>", "n times the pace of the recording", positiveNumber(100))
    .option("--only <listeners>", "show only these listeners", knownList(LISTENERS))
    .option("-i, --interactive", "ask the agent's questions here, answered by a line each")
    .addHelpText("after", HELP)
    .action(async (options: DemoOptions) => (await import("./demo-run.js")).runDemo(options, io));
}
