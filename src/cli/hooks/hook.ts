import type { Command } from "commander";
import { HOOK_HOST_IDS, type HookHostId } from "../../adapters/hooks/hook-host.js";
import { usage } from "../../base/errors.js";
import { didYouMean } from "../../base/nearest.js";
import { languageTag, wholeNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { InstallOptions } from "./hook-plan.js";
import type { HookStatusOptions } from "./hook-run.js";

const HELP = `
Claude Code and Codex run hooks: programs of the user's own, at each request, tool and end. This command writes such hooks into their settings. They
hand each message to the daemon that aaepd serve runs, which makes it heard. Without a daemon they do nothing, and the agent runs as before.

  aaepd hook claude [--answer]   reads one message of a hook from standard input, and hands it on (the hook itself)

See docs/adapters.md.

Examples:
  aaepd hook install claude
  aaepd hook install codex --print
  aaepd hook status
  aaepd hook uninstall claude`;

const INSTALL_HELP = `
Shows what it adds, and then writes it. Other hooks, comments and the mode of the file stay. Settings that are not JSON are refused. A second run
changes nothing. Claude Code is asked for its version, because it refuses settings with events that it does not know.

Questions for permission: with Claude Code a listener may answer them, and its own dialog stays open beside; the first answer counts. Codex shows its
dialog only when the hook has ended. Its questions are therefore announced, and asked only with --answer, for 60 seconds, while somebody can answer.

Exit codes: 0 done, 1 a file could not be written, 2 wrong usage, or settings that cannot be read.

Examples:
  aaepd hook install claude
  aaepd hook install claude --observe --name "Claude at work"
  aaepd hook install codex --answer`;

const UNINSTALL_HELP = `
Takes out what install has written, and nothing else.

Examples:
  aaepd hook uninstall claude
  aaepd hook uninstall codex --print`;

const STATUS_HELP = `
Names each installed event, and whether the daemon has ever seen it.

Exit codes: 0 the status was printed, 1 --check did not see every event, 2 wrong usage.

Examples:
  aaepd hook status
  aaepd hook status claude --check`;

export function registerHook(program: Command, io: CommandIo): void {
  const command = program
    .command("hook")
    .summary("make Claude Code and Codex audible by their hooks")
    .description("Makes terminal agents audible, and lets listeners answer them, by their own hooks.")
    .helpCommand(false)
    .addHelpText("after", HELP);
  command
    .command("install")
    .argument("<host>", "claude or codex", hostOf)
    .option("--observe", "announce questions, and answer none")
    .option("--answer", "let listeners answer questions (default for claude)")
    .option("--name <name>", "name of the agent for people (default: the host and its folder)")
    .option("--language <tag>", "language of the announcements, as in de (default: that of the locale)", languageTag)
    .option("--socket <path>", "socket of the daemon (default: AAEPD_SOCKET, else that of aaepd serve)")
    .option("--host-version <version>", "version of the host (default: it is asked)")
    .option("--print", "show what would change, and write nothing")
    .summary("write the hooks into the settings of a host")
    .description("Writes the hooks into the settings of a host.")
    .addHelpText("after", INSTALL_HELP)
    .action(async (host: HookHostId, options: InstallOptions) =>
      (await import("./hook-run.js")).runHookInstall(host, options, io),
    );
  command
    .command("uninstall")
    .argument("<host>", "claude or codex", hostOf)
    .option("--print", "show what would change, and write nothing")
    .summary("take the hooks out again")
    .description("Takes the hooks out of the settings of a host.")
    .addHelpText("after", UNINSTALL_HELP)
    .action(async (host: HookHostId, options: Pick<InstallOptions, "print">) =>
      (await import("./hook-run.js")).runHookUninstall(host, options, io),
    );
  command
    .command("status")
    .argument("[host]", "claude or codex (default: both)", hostOf)
    .option("--check", "go through one prompt, and say each event when it is seen")
    .option("--wait <seconds>", "how long --check waits (default: 180)", wholeNumber(1, 3600))
    .option("--socket <path>", "socket of the daemon (default: AAEPD_SOCKET, else that of aaepd serve)")
    .summary("say what is installed, and what was seen")
    .description("Says what is installed, and which events the daemon has seen.")
    .addHelpText("after", STATUS_HELP)
    .action(async (host: HookHostId | undefined, options: HookStatusOptions) =>
      (await import("./hook-run.js")).runHookStatus(host, options, io),
    );
}

function hostOf(text: string): HookHostId {
  const known = HOOK_HOST_IDS.find((one) => one === text);
  if (known !== undefined) return known;
  const sentence = `There are no hooks of ${JSON.stringify(text.slice(0, 100))} here: name claude or codex. ${didYouMean(text, HOOK_HOST_IDS)}`;
  throw usage(sentence.trim());
}
