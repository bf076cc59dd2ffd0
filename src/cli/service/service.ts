import { type Command, InvalidArgumentError } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import type { ServiceOptions } from "./plan-service.js";
import type { ServiceStatusOptions } from "./service-run.js";

const HELP = `
A service starts the daemon by itself: on Linux by systemd when the first agent or listener connects, on macOS by launchd at login. The files name
this program, this Node and the configuration file. They are for this user alone and need no other rights.

The service reads its options from the configuration file. It does not see AAEPD_* variables of a shell. After a change of the producer id or of the
socket, after a move of aaepd and after a new version of Node in another folder, run install again. docs/operations.md has the rest: how to
upgrade and to watch it, and what to do on Windows.

Examples:
  aaepd service print
  aaepd service install
  aaepd service install --config planner.json --producer-id planner
  aaepd service status
  aaepd service uninstall`;

const PRINT_HELP = `
Prints each file behind a line with its path, and writes nothing.

Examples:
  aaepd service print
  aaepd service print --kind launchd`;

const INSTALL_HELP = `
Writes the files, and prints the commands that start the service. It replaces only files that it has written itself. It starts nothing.

Exit codes: 0 done, 1 a file could not be written, 2 wrong usage.

Examples:
  aaepd service install
  aaepd service install --producer-id planner
  aaepd service install speak`;

const STATUS_HELP = `
The report has the form of aaepd doctor: each problem with its remedy, then what is in order. The command starts nothing, and does not wake a daemon
that waits for its first connection.

Exit codes: 0 no problem, 1 a problem, or there is no service, 2 wrong usage.

Examples:
  aaepd service status
  aaepd service status --json | jq -r '.findings[] | select(.grade == "problem") | .remedy'`;

const UNINSTALL_HELP = `
Stops the service, keeps the manager from starting it again, and removes the files that install has written. Changes of your own (systemctl edit)
stay, and so do the configuration, the journal and the audit log.

Exit codes: 0 done, or there was no service, 1 the manager or a file refused, 2 wrong usage.

Examples:
  aaepd service uninstall
  aaepd service uninstall --producer-id planner
  aaepd service uninstall speak`;

export function registerService(program: Command, io: CommandIo): void {
  const command = program
    .command("service")
    .summary("install, examine or remove the service of the daemon")
    .description("Makes the daemon a service of this user: a socket and a service of systemd, or an agent of launchd.")
    .helpCommand(false)
    .addHelpText("after", HELP);
  const run = () => import("./service-run.js");
  addOptions(command.command("print"))
    .option("--kind <systemd|launchd>", "the service manager; default: the one of this platform")
    .summary("print the files of the service")
    .description("Prints the files of the service.")
    .addHelpText("after", PRINT_HELP)
    .action(async (options: ServiceOptions) => (await run()).runServicePrint(options, io));
  addOptions(command.command("install"))
    .summary("write the files of the service")
    .description("Writes the files of the service.")
    .addHelpText("after", INSTALL_HELP)
    .argument("[part]", "speak: aaepd speak in place of the daemon", speakAlone)
    .action(async (part: "speak" | undefined, options: ServiceOptions) =>
      (await run()).runServiceInstall({ ...options, part }, io),
    );
  addOptions(command.command("status"))
    .option("--json", "print the report as JSON")
    .summary("report whether the service works")
    .description("Reports the files of the service, what its manager says of it, and whether its daemon answers.")
    .addHelpText("after", STATUS_HELP)
    .action(async (options: ServiceStatusOptions) => (await run()).runServiceStatus(options, io));
  addOptions(command.command("uninstall"))
    .summary("stop the service and remove its files")
    .description("Stops the service and removes its files.")
    .addHelpText("after", UNINSTALL_HELP)
    .argument("[part]", "speak: aaepd speak in place of the daemon", speakAlone)
    .action(async (part: "speak" | undefined, options: ServiceOptions) =>
      (await run()).runServiceUninstall({ ...options, part }, io),
    );
}

function speakAlone(text: string): "speak" {
  if (text === "speak") return text;
  throw new InvalidArgumentError("Give speak, or leave it out for the daemon.");
}

function addOptions(command: Command): Command {
  return command
    .option("--config <FILE>", "the configuration file, as for serve")
    .option("--producer-id <ID>", "the id of the daemon, as for serve");
}
