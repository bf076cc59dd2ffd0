// A stage for commands: their streams and signals without a process of their own, and a real daemon as a child where one is asked for.
import type { ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { vi } from "vitest";
import type { CommandIo } from "../../src/cli/terminal/command-io.js";
import { createClock } from "../../src/daemon/platform/clock.js";
import { createIdSource } from "../../src/daemon/platform/ids.js";
import { ensureBuilt } from "../support/built.js";
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
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where daemons are found whose path would be too long. Default nowhere. */
  readonly fallbackDirectory?: string;
  /** Columns of a terminal; without it standard output is a pipe. */
  readonly columns?: number;
}

export function createStage(options: StageOptions = {}): Stage {
  const stdout = collect();
  const stderr = collect();
  const interrupts = new Set<() => void>();
  let exitCode: number | undefined;
  if (options.columns !== undefined) Object.assign(stdout.stream, { isTTY: true, columns: options.columns });
  return {
    io: {
      stdin: Readable.from([Buffer.from(options.input ?? "")]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      environment: options.environment ?? {},
      daemonDirectories: [
        join(options.environment?.XDG_RUNTIME_DIR ?? temporaryDirectory(), "aaep"),
        ...(options.fallbackDirectory === undefined ? [] : [options.fallbackDirectory]),
      ],
      clock: createClock(),
      ids: createIdSource(),
      onInterrupt: (run) => {
        interrupts.add(run);
        return () => interrupts.delete(run);
      },
      setExitCode: (code) => {
        exitCode = code;
      },
    },
    out: stdout.text,
    err: stderr.text,
    exitCode: () => exitCode,
    interrupt: () => {
      for (const run of interrupts) run();
    },
  };
}

function collect() {
  const stream = new PassThrough();
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return { stream, text: () => text };
}

/** Runs one command as main would, its usage errors thrown. */
export async function run(
  register: (program: Command, io?: CommandIo) => void,
  stage: Stage,
  ...argv: readonly string[]
): Promise<void> {
  const program = new Command("aaepd").exitOverride().configureOutput({ writeErr: () => {} });
  register(program, stage.io);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
  await program.parseAsync([program.commands[0]?.name() ?? "", ...argv], { from: "user" });
}

export interface ServedDaemon {
  readonly socketPath: string;
  /** The addresses of its services over HTTP. */
  readonly http: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
  readonly child: ChildProcess;
}

/** A runtime directory of the test's own. */
export function runtimeEnvironment(): { readonly XDG_RUNTIME_DIR: string; readonly directory: string } {
  const root = temporaryDirectory();
  const directory = join(root, "aaep");
  mkdirSync(directory, { mode: 0o700 });
  return { XDG_RUNTIME_DIR: root, directory };
}

/** `aaepd serve` as a child, listening when this resolves. */
export async function serve(runtimeDirectory: string, ...options: readonly string[]): Promise<ServedDaemon> {
  ensureBuilt();
  const environment = cleanEnvironment(runtimeDirectory);
  const daemon = startProgram(["serve", ...options], { environment });
  const [line = ""] = await daemon.stdoutLines(1);
  const { ipc, http = [] } = JSON.parse(line).endpoints;
  return {
    socketPath: ipc,
    http,
    environment,
    stop: async () => {
      daemon.child.kill("SIGTERM");
      await daemon.ended;
    },
    child: daemon.child,
  };
}

/** Waits for something that will be. */
export function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 10 });
}
