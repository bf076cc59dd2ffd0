import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import type { DoctorOptions } from "./doctor-run.js";

const HELP = `
The command examines what a daemon needs: the configuration, folders and their modes, sockets, ports, the clock, versions, disk space and journals.
It also asks running daemons for their problems, and looks at the hooks of agents. It changes nothing.

The report begins with "All is well." or the number of problems. A problem keeps a daemon from starting, loses events or lets others in. Advice is
about anything less. Each of both is followed by its remedy.

With --json the report is one object: ok, and findings with grade (problem, advice or fact), area, code, message and remedy. The codes are stable.

Exit codes: 0 no problem, 1 a problem, 2 wrong usage.

Examples:
  aaepd doctor
  aaepd doctor --config ./aaepd.json
  aaepd doctor --json | jq -r '.findings[] | select(.grade == "problem") | .remedy'`;

export function registerDoctor(program: Command, io: CommandIo): void {
  program
    .command("doctor")
    .summary("examine everything that a daemon needs, with remedies")
    .description("Examines everything that a daemon of this user needs, and says what to do about each problem.")
    .option("--producer-id <ID>", "the id of the daemon, as for serve")
    .option("--config <FILE>", "the configuration file, as for serve")
    .option("--json", "print the report as JSON")
    .addHelpText("after", HELP)
    .action(async (options: DoctorOptions) => (await import("./doctor-run.js")).runDoctor(options, io));
}
