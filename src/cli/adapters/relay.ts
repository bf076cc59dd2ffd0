import type { Command } from "commander";
import type { CommandContext } from "../shell/context.js";
import { languageTag } from "../shell/option-values.js";
import type { RelayCommandOptions } from "./relay-run.js";

const EXPLANATION = `
URL is the producer's base address, to which /events and /messages belong. The producer is heard by every listener of the daemon, on the listener's
own terms, as "NAME at HOST". Its questions are put to them, and the first reply goes back. What the daemon would refuse of an agent is said and
marked, since the producer acts anyway.

Start the relay before the producer's work: most producers repeat nothing. The relay connects again by itself, to both sides, until an
interrupt. To have it start with the daemon: aaepd serve --relay URL

See docs/relay.md.

Examples:
  aaepd relay http://localhost:8080
  aaepd relay https://agents.example/library`;

/** `aaepd relay URL`: a producer elsewhere is heard by the listeners of the running daemon. */
export function registerRelay(program: Command, { io }: CommandContext): void {
  program
    .command("relay")
    .summary("let a producer that speaks Server-Sent Events be heard here")
    .description(
      "Connects to a producer of AAEP over Server-Sent Events, and lets listeners of the running daemon hear and answer it.",
    )
    .argument("<url>", "base address of the producer")
    .option("--plain-http", "allow http to another machine, where others may read and change what is said")
    .option(
      "--language <tag>",
      "language of the relay's own sentences, as in de (default: that of the locale)",
      languageTag,
    )
    .option("--socket <path>", "socket of the daemon (default: AAEPD_SOCKET, else the only daemon of this user)")
    .addHelpText("after", EXPLANATION)
    .action(async (url: string, options: RelayCommandOptions) => {
      const { runRelay } = await import("./relay-run.js");
      await runRelay(url, options, io);
    });
}
