// The commands that make a program audible: their common options, and how they stand in front of a program. They end as it ends, and their own faults
// end nothing.
import type { Command } from "commander";
import { currentPlace, type IpcPlace, ipcDirectories } from "../../../transports/ipc/paths.js";
import type { RunOptions } from "../../adapters/adapter.js";
import { speechOf } from "../../adapters/language.js";
import { givenName } from "../../adapters/names.js";
import type { ChildEnd } from "../../adapters/proxy/run-proxy.js";
import { faultFrom } from "../../base/errors.js";
import { chosenSocket } from "../shell/find-socket.js";
import { languageTag } from "../shell/option-values.js";
import { describeFault } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";

export interface AdapterOptions {
  readonly name?: string;
  readonly language?: string;
  readonly socket?: string;
}

/** `fallback`: what the name is by default. */
export function addAdapterOptions(command: Command, fallback: string): Command {
  return command
    .option("--name <name>", `name for people (default: ${fallback})`)
    .option("--language <tag>", "language of the announcements, as in de (default: that of the locale)", languageTag)
    .option("--socket <path>", "socket of the daemon (default: AAEPD_SOCKET, else that of aaepd serve)");
}

type AdapterSettings = Pick<RunOptions, "name" | "speech" | "socket" | "runtimeFolder" | "folder">;

/** Throws a Fault "usage" for a name or a socket that cannot be. */
export function adapterSettings(
  { name, language, socket }: AdapterOptions,
  environment: IpcPlace["environment"],
): AdapterSettings {
  return {
    name: name === undefined ? undefined : givenName(name),
    speech: speechOf(language, environment),
    socket: chosenSocket(socket, environment)?.path,
    runtimeFolder: ipcDirectories(currentPlace(environment))[0],
    folder: process.cwd(),
  };
}

/** Signals that are the program's as well. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Faults that are told. Further ones would only repeat them. */
const MOST_TOLD = 20;

/** Runs a program, and ends this process as the program ends. Rejects with a Fault if it cannot be started, or an option is wrong. */
export async function runInFront(
  [program = "", ...words]: readonly string[],
  options: AdapterOptions,
  io: CommandIo,
  run: (given: RunOptions) => Promise<Pick<ChildEnd, "code" | "signal">>,
): Promise<void> {
  const { environment, host } = io;
  const { code, signal } = await run({
    ...adapterSettings(options, environment),
    command: [program, ...words],
    environment,
    onFault: reportFaults(io),
    onStarted: ({ kill }) => {
      // A terminal interrupts the program itself, which would else be interrupted twice.
      const isInTerminal = io.stdin.isTTY === true;
      for (const name of SIGNALS)
        host.on(name, () => {
          if (name !== "SIGINT" || !isInTerminal) kill(name);
        });
    },
  });
  if (signal === null) host.exit(code ?? 1);
  else io.endBySignal(signal);
}

/** Tells faults of aaepd on standard error, each sentence once, also those that nobody caught: what runs here goes on. */
export function reportFaults({ host, stderr }: CommandIo): (caught: unknown) => void {
  const told = new Set<string>();
  const onFault = (caught: unknown): void => {
    const line = `aaepd: ${describeFault(faultFrom(caught))}\n`;
    if (told.has(line) || told.size >= MOST_TOLD) return;
    told.add(line);
    stderr.write(line);
  };
  for (const event of ["uncaughtException", "unhandledRejection"]) host.on(event, onFault);
  return onFault;
}
