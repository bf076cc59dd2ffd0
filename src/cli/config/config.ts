import { type Command, Option } from "commander";
import { addConfigurationOptions } from "../shell/configuration-options.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { ConfigCheckOptions } from "./config-check-run.js";
import type { ConfigInitOptions } from "./config-init-run.js";
import type { ConfigShowOptions } from "./config-show-run.js";

const HELP = `
The configuration file is one JSON object, in which comments are allowed. docs/configuration.md explains its options and its place.

Examples:
  aaepd config init
  aaepd config check
  aaepd config show --changed
  aaepd config show --help     show all options of a command`;

const SHOW_HELP = `
Each line has the name of an option in the file, its value, and where the value comes from: an option of the command line, a variable, the file, or
the default. A value that opens something is shown as (set). Behind auto stands the path that it means.

The command takes every option of aaepd serve, and shows the configuration that serve would have with the same options. It asks no running daemon:
a daemon may have been started with other options.

With --json the report is one object with these members:
  command   serve or stdio
  file      the path of the file; null if there is none
  options   a list of objects with name, value, default, unit, source, from and, for auto, path

Exit codes: 0 done, 2 the configuration is wrong.

Examples:
  aaepd config show
  aaepd config show --changed
  aaepd config show --for stdio
  aaepd config show --config ./aaepd.json --log-level debug
  aaepd config show --json | jq -r '.options[] | select(.source == "file") | .name'`;

const INIT_HELP = `
The file has every option with its meaning, its values and its default. Every line of it is a comment, so the file changes nothing yet. To set an
option, remove the slashes before its line and change the value.

The file is written where the daemon looks for it: at the path of --config or AAEPD_CONFIG, otherwise at aaepd/config.json in $XDG_CONFIG_HOME or
~/.config. Only you can read it. A missing folder is made.

Exit codes: 0 done, 1 the file cannot be written, 2 there is a file already.

Examples:
  aaepd config init
  aaepd config init --config ./aaepd.json
  aaepd config init --force`;

const CHECK_HELP = `
For each fault the command prints its line, its place in the file as a JSON pointer, and the fault with the nearest known name. Without FILE it
checks the file that the daemon would read. If there is none, every option has its default, which is no fault.

Exit codes: 0 no fault, 1 faults, 2 the named file cannot be read.

Examples:
  aaepd config check
  aaepd config check ./aaepd.json
  aaepd config check --json | jq -r .sentence`;

export function registerConfig(program: Command, io: CommandIo): void {
  const command = program
    .command("config")
    .summary("show, write or check the configuration")
    .description("Shows the configuration in force, writes a commented file, or checks a file.")
    .helpCommand(false)
    .addHelpText("after", HELP);
  registerShow(command, io);

  command
    .command("init")
    .summary("write a file with every option as a comment")
    .description("Writes a configuration file with every option, its meaning and its default, as comments.")
    .option("--config <FILE>", "the file to write, instead of the one that the daemon looks for")
    .option("--force", "replace a file that is there")
    .addHelpText("after", INIT_HELP)
    .action(async (options: ConfigInitOptions) => (await import("./config-init-run.js")).runConfigInit(options, io));

  command
    .command("check")
    .summary("list every fault of a file")
    .description("Checks a configuration file and lists every fault with its line.")
    .argument("[file]", "the file, instead of the one that the daemon looks for")
    .option("--config <FILE>", "the same as FILE")
    .option("--json", "print each fault as JSON")
    .addHelpText("after", CHECK_HELP)
    .action(async (file: string | undefined, options: ConfigCheckOptions) =>
      (await import("./config-check-run.js")).runConfigCheck(file, options, io),
    );
}

function registerShow(config: Command, io: CommandIo): void {
  const show = config
    .command("show")
    .summary("print every value and where it comes from")
    .description("Prints the configuration in force: every value, and where it comes from.")
    .addOption(
      new Option("--for <command>", "the command that is configured").choices(["serve", "stdio"]).default("serve"),
    )
    .option("--changed", "print only values that are no defaults")
    .option("--json", "print the report as JSON");
  addConfigurationOptions(show, "serve", { isHidden: true });
  show
    .addHelpText("after", SHOW_HELP)
    .action(async (options: ConfigShowOptions) => (await import("./config-show-run.js")).runConfigShow(options, io));
}
