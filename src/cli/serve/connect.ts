import type { Command } from "commander";
import type { CommandContext } from "../shell/context.js";

const EXPLANATION = `
Bytes go both ways unchanged. The command ends when either side does. It is for listeners and agents elsewhere, to which a daemon's socket is a
command's standard input and output:

  ssh HOST aaepd connect
  wsl.exe -e aaepd connect
  docker exec -i NAME aaepd connect

Examples:
  aaepd tail --from "ssh library aaepd connect"
  aaepd speak --from "wsl.exe -e aaepd connect"`;

/** `aaepd connect`: standard input and output to the daemon's socket, and nothing else. */
export function registerConnect(program: Command, context: CommandContext): void {
  program
    .command("connect")
    .summary("connect standard input and output to the daemon")
    .description("Connects standard input and output to the socket of the running daemon, and does nothing else.")
    .option("-s, --socket <path>", "the daemon's socket (default: AAEPD_SOCKET, else the only daemon of this user)")
    .addHelpText("after", EXPLANATION)
    .action(async (options: { readonly socket?: string }) =>
      (await import("./connect-run.js")).runConnect(options, context),
    );
}
