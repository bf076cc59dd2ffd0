import { type Command, Option } from "commander";
import type { ProducerManifest } from "#gen/aaep/types.js";
import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import { Fault, usage } from "../../base/errors.js";
import { describeSource, resolveConfiguration } from "../../daemon/config/config-sources.js";
import { readVersion } from "../../daemon/platform/version.js";
import { daemonManifest } from "../../daemon/presence/manifest.js";
import { configurationFlags } from "../shell/configuration-options.js";
import type { CommandContext } from "../shell/context.js";
import { type ChosenSocket, findSocket } from "../shell/find-socket.js";
import type { CommandIo } from "../terminal/command-io.js";
import { jsonText } from "../terminal/shown-text.js";

const EXPLANATION = `
A manifest names the producer, its protocol versions and its abilities. Assistive technology reads it before it subscribes. The command prints it as
one JSON document on standard output.

The command asks the daemon that --socket names, or AAEPD_SOCKET, or the only running daemon of this user. If several run, choose one. --new prints
the manifest that a new daemon would have.

Examples:
  aaepd manifest
  aaepd manifest --socket auto --producer-id planner
  aaepd manifest --new --producer-id planner
  aaepd manifest --socket /run/user/1000/aaep/planner.sock`;

/** `aaepd manifest`: the manifest of a running daemon, or with `--new` of the daemon that `aaepd serve` would start. */
export function registerManifest(program: Command, context: CommandContext): void {
  program
    .command("manifest")
    .summary("print the manifest of a running daemon, or of a new one")
    .description("Prints the manifest of the running daemon, or of the one that serve would start.")
    .option("--socket <PATH|auto>", "The socket of a running daemon. auto is the socket of --producer-id.")
    .addOption(
      new Option("--new", "Asks no daemon. Prints the manifest of the daemon that serve would start.").conflicts([
        "socket",
      ]),
    )
    .option("--producer-id <ID>", "The id of the producer, as for serve.")
    .option("--config <FILE>", "The configuration file, as for serve.")
    .addHelpText("after", EXPLANATION)
    .action(async (parsed: Readonly<Record<string, unknown>>) => {
      const manifest = await manifestFor(parsed, context.io);
      context.stdio.writable.write(`${jsonText(manifest, 2)}\n`);
    });
}

async function manifestFor(parsed: Readonly<Record<string, unknown>>, io: CommandIo): Promise<ProducerManifest> {
  const { flags, configFile } = configurationFlags(parsed);
  const { configuration, sources } = resolveConfiguration({
    command: "serve",
    flags,
    configFile,
    environment: io.environment,
  });
  const { socket, producerId } = configuration;
  if (parsed.new === true) return daemonManifest({ configuration, version: readVersion(), hasStdio: false });
  // Nobody has chosen a daemon, on the command line, by a variable or in the file: ask the only running one.
  if (sources.socket.kind === "default" && sources.producerId.kind === "default") {
    return askAt({ path: await theOnlySocket(io.daemonDirectories), isByVariable: false }, io);
  }
  if (socket.kind === "path")
    return askAt({ path: socket.path, isByVariable: sources.socket.kind === "environment" }, io);
  if (socket.kind === "auto")
    return askAt({ path: ipcPath(currentPlace(io.environment), producerId), isByVariable: false }, io);
  const sentence = `There is no daemon at ${describeSource(sources.socket)} off. Give the path of a socket, auto, or --new.`;
  throw usage(sentence);
}

async function theOnlySocket(directories: readonly string[]): Promise<string> {
  try {
    return await findSocket(directories);
  } catch (caught) {
    if (!(caught instanceof Fault) || caught.code !== "not_found") throw caught;
    const sentence = `${caught.sentence}${caught.sentence.endsWith(".") ? " Or" : ", or"} print the manifest of a new one with: aaepd manifest --new`;
    throw new Fault("not_found", sentence, { origin: "local" });
  }
}

async function askAt(socket: ChosenSocket, { clock }: CommandIo): Promise<ProducerManifest> {
  const { askDaemon } = await import("../shell/ask-daemon.js");
  return (await askDaemon(socket, "aaep.manifest", clock)) as ProducerManifest;
}
