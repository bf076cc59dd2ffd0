// A stage for commands: their streams, signals and end without a process of their own, and a daemon beside them, in this process too.
import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdirSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { vi } from "vitest";
import { withResolvers } from "../../src/base/with-resolvers.js";
import { main } from "../../src/cli/main.js";
import type { CommandIo } from "../../src/cli/terminal/command-io.js";
import { createClock } from "../../src/daemon/platform/clock.js";
import { createIdSource } from "../../src/daemon/platform/ids.js";
import { ensureBuilt } from "../support/built.js";
import { whenFinished } from "../support/lifetime.js";
import { cleanEnvironment, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

export const SESSIONS = fileURLToPath(new URL("../../examples/sessions/", import.meta.url));

export interface Stage {
  readonly io: CommandIo;
  readonly out: () => string;
  readonly err: () => string;
  readonly exitCode: () => number | undefined;
  readonly interrupt: () => void;
}

export interface StageOptions {
  /** Standard input: its text, or a stream that the test writes. Default: an empty one. */
  readonly input?: string | Readable;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where daemons are found whose path would be too long. Default nowhere. */
  readonly fallbackDirectory?: string;
  /** Columns of a terminal; without it standard output is a pipe. */
  readonly columns?: number;
  /** Called when the command ends its process. */
  readonly onExit?: (code: number) => void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Signal = (typeof SIGNALS)[number];

export function createStage(
  options: StageOptions = {},
): Stage & { readonly signal: (name: Signal) => void; readonly output: Readable } {
  const { input = "", environment = {} } = options;
  const stdout = collect();
  const stderr = collect();
  const host = new EventEmitter();
  let exitCode: number | undefined;
  if (options.columns !== undefined) Object.assign(stdout.stream, { isTTY: true, columns: options.columns });
  const signal = (name: Signal) => void host.emit(name, name);
  return {
    io: {
      stdin: typeof input === "string" ? Readable.from([Buffer.from(input)]) : input,
      stdout: stdout.stream,
      stderr: stderr.stream,
      environment: { ...environment },
      daemonDirectories: [
        join(environment.XDG_RUNTIME_DIR ?? temporaryDirectory(), "aaep"),
        ...(options.fallbackDirectory === undefined ? [] : [options.fallbackDirectory]),
      ],
      clock: createClock(),
      ids: createIdSource(),
      onInterrupt: (run) => {
        for (const name of SIGNALS) host.on(name, run);
        return () => {
          for (const name of SIGNALS) host.off(name, run);
        };
      },
      setExitCode: (code) => {
        exitCode = code;
      },
      host: Object.assign(host, {
        exit: (code: number) => {
          exitCode = code;
          options.onExit?.(code);
        },
      }),
      endBySignal: (name) => {
        exitCode = 128 + constants.signals[name];
        options.onExit?.(exitCode);
      },
      ownsProcess: false,
    },
    output: stdout.stream,
    out: stdout.text,
    err: () => inSentences(stderr.text()),
    exitCode: () => exitCode,
    interrupt: () => signal("SIGINT"),
    signal,
  };
}

/** The text of standard error. Throws if a line of it names no more than the kind of what it tells. */
function inSentences(text: string): string {
  const empty = text.split("\n").find((line) => /^(Error|Warning|Note):(?! \S.{8})/.test(line));
  if (empty !== undefined) throw new Error(`This says nothing: ${empty}`);
  return text;
}

function collect() {
  const stream = new PassThrough();
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return { stream, text: () => text };
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of the whole command line, in this process. */
export interface StartedCommand {
  readonly stdin: PassThrough;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Standard output as it comes. */
  readonly output: Readable;
  /** Resolves when so many whole lines have come, or rejects when the command ends before. */
  readonly stdoutLines: (count: number) => Promise<readonly string[]>;
  readonly signal: (name: Signal) => void;
  readonly ended: Promise<Ended>;
}

/** Starts what `aaepd ARGV` runs; it is stopped when the test has finished, or all that share it. Nothing of the user's is found or touched. */
export function startCommandLine(argv: readonly string[], options: StageOptions = {}): StartedCommand {
  const stdin = new PassThrough();
  const { promise: exited, resolve: onExit } = withResolvers<number>();
  const directory = options.environment?.XDG_RUNTIME_DIR ?? temporaryDirectory();
  const environment = { ...cleanEnvironment(directory), ...options.environment };
  const stage = createStage({ input: stdin, ...options, environment, onExit });
  let isRunning = true;
  const run = async (): Promise<Ended> => {
    const code = await Promise.race([exited, main({ argv, io: stage.io }).then(() => stage.exitCode() ?? 0)]);
    isRunning = false;
    return { code, stdout: stage.out(), stderr: stage.err() };
  };
  const ended = run();
  whenFinished(async () => {
    if (isRunning) stage.signal("SIGTERM");
    await ended;
  });
  const lines = () => stage.out().split("\n").slice(0, -1);
  return {
    stdin,
    stdout: stage.out,
    stderr: stage.err,
    output: stage.output,
    stdoutLines: async (count) => {
      let whyNot: string | undefined;
      void ended.then(({ code, stdout, stderr }) => {
        whyNot = `ended with ${code} after: ${stdout}${stderr}`;
      });
      await vi.waitUntil(() => lines().length >= count || whyNot !== undefined, { timeout: 60_000, interval: 5 });
      if (lines().length < count) throw new Error(whyNot);
      return lines().slice(0, count);
    },
    signal: stage.signal,
    ended,
  };
}

/** Likewise, one that stands in front of a program. Its agent would look for a daemon where that of the tests' own user is. */
export function startAdapter(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = cleanEnvironment(temporaryDirectory()),
): StartedCommand {
  const socket = join(environment.XDG_RUNTIME_DIR ?? "", "aaep", "aaepd.sock");
  return startCommandLine(argv, { environment: { AAEPD_SOCKET: socket, ...environment } });
}

/** Runs a command line to its end, with an empty standard input. */
export async function runCommandLine(
  argv: readonly string[],
  environment?: Readonly<Record<string, string | undefined>>,
): Promise<Ended> {
  return startCommandLine(argv, { input: "", ...(environment === undefined ? {} : { environment }) }).ended;
}

/** Runs one command as main would, its usage errors thrown. */
export async function run(
  register: (program: Command, io: CommandIo) => void,
  stage: Stage,
  ...argv: readonly string[]
): Promise<Stage> {
  const program = new Command("aaepd").exitOverride().configureOutput({ writeErr: () => {} });
  register(program, stage.io);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
  await program.parseAsync([program.commands[0]?.name() ?? "", ...argv], { from: "user" });
  return stage;
}

export interface ServedDaemon {
  readonly socketPath: string;
  /** The addresses of its services over HTTP. */
  readonly http: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly pid: number | undefined;
  readonly stop: () => Promise<void>;
}

/** A runtime directory of the test's own. */
export function runtimeEnvironment(): { readonly XDG_RUNTIME_DIR: string; readonly directory: string } {
  const root = temporaryDirectory();
  const directory = join(root, "aaep");
  mkdirSync(directory, { mode: 0o700 });
  return { XDG_RUNTIME_DIR: root, directory };
}

/** `aaepd serve` in this process, listening when this resolves. */
export async function serve(runtimeDirectory: string, ...options: readonly string[]): Promise<ServedDaemon> {
  const environment = cleanEnvironment(runtimeDirectory);
  const daemon = startCommandLine(["serve", ...options], { environment });
  const stop = async () => {
    daemon.signal("SIGTERM");
    await daemon.ended;
  };
  return served(await daemon.stdoutLines(1), environment, stop);
}

/** A daemon in this process that is stopped in order, and started again at its socket with all that it keeps. */
export interface ReturningDaemon {
  readonly socket: string;
  /** Resolves when it listens. */
  readonly start: () => Promise<void>;
  /** Resolves with its exit code. Throws if it logged a warning or an error. */
  readonly stop: () => Promise<number>;
}

/** It listens when this resolves. */
export async function serveAtSocket(...options: readonly string[]): Promise<ReturningDaemon> {
  const directory = temporaryDirectory();
  const socket = join(directory, "a.sock");
  const argv = ["serve", "--socket", socket, "--producer-id", "test", "--log-level", "warn", ...options];
  const start = async (): Promise<StartedCommand> => {
    const command = startCommandLine(argv, { environment: cleanEnvironment(directory) });
    await command.stdoutLines(1);
    return command;
  };
  let daemon = await start();
  return {
    socket,
    start: async () => {
      daemon = await start();
    },
    stop: async () => {
      daemon.signal("SIGTERM");
      const { code, stderr } = await daemon.ended;
      if (stderr !== "") throw new Error(stderr);
      return code;
    },
  };
}

/** As `serve`, as a process, for what kills, holds or outlives it. */
export async function serveProcess(
  runtimeDirectory: string,
  ...options: readonly string[]
): Promise<ServedDaemon & { readonly child: ChildProcess; readonly kill: () => Promise<void> }> {
  ensureBuilt();
  const environment = cleanEnvironment(runtimeDirectory);
  const { child, ended, stdoutLines } = startProgram(["serve", ...options], { environment });
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    await ended;
  };
  const daemon = served(await stdoutLines(1), environment, () => end("SIGTERM"));
  return { ...daemon, child, kill: () => end("SIGKILL") };
}

function served(
  [line = ""]: readonly string[],
  environment: Readonly<Record<string, string>>,
  stop: () => Promise<void>,
): ServedDaemon {
  const { pid, endpoints } = JSON.parse(line);
  return { socketPath: endpoints.ipc, http: endpoints.http ?? [], environment, pid, stop };
}

/** Waits for something that will be. */
export function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 10 });
}
