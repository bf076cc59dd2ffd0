// The built program as a real child process, with folders of its own.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { whenFinished } from "../lifetime.js";
import { temporaryDirectory } from "../temporary-directory.js";

export const PROGRAM = fileURLToPath(new URL("../../../bin/aaepd.js", import.meta.url));

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
}

export interface ProgramOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** What is started in place of the program. */
  readonly entry?: string;
  /** The folder in which it runs. Default that of the tests. */
  readonly cwd?: string;
  /** The number of the user who runs it, where the tests run as root. Default: the user of the tests. */
  readonly user?: number | undefined;
  /** Whether standard error is read. Default true. */
  readonly readsStderr?: boolean;
}

export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when so many whole lines have come, or rejects when the program ends before. */
  readonly stdoutLines: (count: number) => Promise<readonly string[]>;
  /** Resolves when it has ended and all it wrote has been read. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** An environment in which nothing of the user's is found or touched. */
export function cleanEnvironment(directory: string): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: directory, XDG_RUNTIME_DIR: directory, XDG_CONFIG_HOME: directory };
}

/** Starts the program; what is left of it when the test has finished, or all that share it, is killed. */
export function startProgram(argv: readonly string[], options: ProgramOptions = {}): Program {
  return startCommand([process.execPath, ...(options.nodeOptions ?? []), options.entry ?? PROGRAM, ...argv], options);
}

/** Likewise, any program. */
export function startCommand([program = "", ...argv]: readonly string[], options: ProgramOptions = {}): Program {
  const directory = options.environment?.XDG_RUNTIME_DIR ?? temporaryDirectory();
  const child = spawn(program, argv, {
    env: { ...cleanEnvironment(directory), ...options.environment },
    cwd: options.cwd,
    ...(options.user === undefined ? {} : { uid: options.user, gid: options.user }),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  if (options.readsStderr !== false) {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
  }
  // A program that ends before it has read everything is no fault of the test's.
  child.stdin.on("error", () => {});
  const ended: Program["ended"] = new Promise((resolve) => {
    // "close" waits for streams that nobody reads.
    child.on(options.readsStderr === false ? "exit" : "close", (code, signal) => resolve({ code, signal }));
  });
  whenFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await ended;
  });
  const wholeLines = () => stdout.split("\n").slice(0, -1);
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    stdoutLines: (count) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (wholeLines().length < count) return;
          child.stdout.off("data", look);
          resolve(wholeLines().slice(0, count));
        };
        child.stdout.on("data", look);
        void ended.then(({ code }) => reject(new Error(`ended with ${code} after: ${stdout}${stderr}`)));
        look();
      }),
    ended,
  };
}
