// The built program with its services on fixed addresses, killed and started again on the same folders.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { SERVICE_NAMES, type ServiceName } from "../../../transports/ways.js";
import { serveAtSocket, startCommandLine } from "../../cli/command-stage.js";
import { ensureBuilt } from "../built.js";
import { temporaryDirectory } from "../temporary-directory.js";
import { cleanEnvironment, PROGRAM } from "./program.js";

export interface MortalDaemonOptions {
  /** Its sockets, state and runtime folder are in here. */
  readonly directory: string;
  /** More options of `serve`. */
  readonly options?: readonly string[] | ((run: number) => readonly string[]);
  readonly nodeOptions?: readonly string[];
  /** Which addresses it has. Default all. */
  readonly services?: readonly ServiceName[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What starts it in its place: it gets the program and its arguments after its own. */
  readonly within?: readonly [command: string, ...argv: string[]];
}

export interface MortalDaemon {
  readonly socket: string;
  readonly grpc: string;
  readonly http: string;
  readonly auditFolder: string;
  /** What a start runs. */
  readonly command: () => { readonly argv: readonly string[]; readonly environment: Readonly<Record<string, string>> };
  /** Starts it. `ready` resolves with whether it came to listen before its end. */
  readonly start: () => { readonly ready: Promise<boolean> };
  /** Kills it, and resolves when it has ended. */
  readonly kill: () => Promise<void>;
  /** Asks it to stop, and resolves with its exit code. */
  readonly stop: () => Promise<number | null>;
  /** How often it has come to listen; the run of now. */
  readonly run: () => number;
  readonly isUp: () => boolean;
  /** Resolves when it listens: at once, or after the next start. */
  readonly up: () => Promise<void>;
  readonly pid: () => number;
  /** Ends that nobody asked for, and lines of its log that are errors. */
  readonly accidents: () => readonly string[];
  /** What it wrote to standard error, of the last runs. */
  readonly stderr: () => string;
}

const KEPT_STDERR = 200_000;

export function createMortalDaemon(options: MortalDaemonOptions): MortalDaemon {
  const { directory, services = SERVICE_NAMES } = options;
  const socket = join(directory, "a.sock");
  const grpc = `unix:${join(directory, "a.grpc")}`;
  const http = `unix:${join(directory, "a.http")}`;
  const auditFolder = join(directory, "audit");
  const accidents: string[] = [];
  let child: ChildProcess | undefined;
  let ended: Promise<number | null> = Promise.resolve(null);
  let isUp = false;
  let isWanted = false;
  let starts = 0;
  let stderr = "";
  const waiting: (() => void)[] = [];

  const listenTo = (started: ChildProcess): { readonly ready: Promise<boolean> } => {
    let line = "";
    started.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-KEPT_STDERR);
      line += text;
      const lines = line.split("\n");
      line = lines.pop() ?? "";
      accidents.push(...lines.filter(isError));
    });
    ended = new Promise((resolve) => {
      started.on("close", (code, signal) => {
        isUp = false;
        if (child !== started) return;
        child = undefined;
        if (isWanted) accidents.push(`it ended by itself with ${code ?? signal}: ${stderr.slice(-2000)}`);
        resolve(code);
      });
    });
    const ready = new Promise<boolean>((resolve) => {
      started.stdout?.once("data", () => {
        isUp = true;
        for (const wake of waiting.splice(0)) wake();
        resolve(true);
      });
      void ended.then(() => resolve(false));
    });
    return { ready };
  };

  const commandOfNow: MortalDaemon["command"] = () => {
    const more = typeof options.options === "function" ? options.options(starts) : (options.options ?? []);
    const addresses = services.flatMap((kind) => [`--${kind}`, kind === "grpc" ? grpc : http]);
    return {
      argv: ["serve", "--socket", socket, ...addresses, "--audit", auditFolder, "--log-level", "warn", ...more],
      environment: {
        ...cleanEnvironment(directory),
        XDG_STATE_HOME: join(directory, "state"),
        ...options.environment,
      },
    };
  };

  return {
    socket,
    grpc,
    http,
    auditFolder,
    command: commandOfNow,
    start: () => {
      if (child !== undefined) throw new Error("It runs already.");
      const { argv, environment } = commandOfNow();
      starts += 1;
      isWanted = true;
      const program = [process.execPath, ...(options.nodeOptions ?? []), PROGRAM, ...argv];
      const [command = process.execPath, ...commandArguments] = [...(options.within ?? []), ...program];
      child = spawn(command, commandArguments, {
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
      });
      return listenTo(child);
    },
    kill: async () => {
      isWanted = false;
      isUp = false;
      child?.kill("SIGKILL");
      await ended;
    },
    stop: async () => {
      isWanted = false;
      isUp = false;
      child?.kill("SIGTERM");
      return ended;
    },
    run: () => starts,
    isUp: () => isUp,
    up: () =>
      isUp
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
    pid: () => {
      if (child?.pid === undefined) throw new Error("It does not run.");
      return child.pid;
    },
    accidents: () => accidents,
    stderr: () => stderr,
  };
}

/** Lines of its log are JSON; whatever else it writes there is the platform's. */
function isError(line: string): boolean {
  try {
    const { level } = JSON.parse(line) as { readonly level?: unknown };
    return level === "error" || level === 50;
  } catch {
    return line.trim() !== "";
  }
}

/** Anonymous resident memory of a process, bytes (Linux). */
export function anonymousMemory(pid: number): number {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  if (kilobytes === undefined) throw new Error(`${pid} tells nothing of its memory.`);
  return Number(kilobytes) * 1024;
}

/** What a process has open (Linux). */
export function openDescriptors(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      // Closed meanwhile.
      return "closed";
    }
  });
}

/** All that the audit logs of a folder hold, in their order. */
export function auditEntries(folder: string): readonly Readonly<Record<string, unknown>>[] {
  const names = readdirSync(folder).filter((name) => name.includes(".ndjson"));
  return names.flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [readEntry(line)])),
  );
}

/** A kill may have cut the last line of a run short. */
function readEntry(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return { kind: "torn", line };
  }
}

export interface SocketDaemon extends MortalDaemon {
  /** Starts it in this process, where it stays until the test has finished: at half the cost of a process. */
  readonly again: () => Promise<void>;
}

/** Starts a daemon at its socket alone. It must have had no accident when the test has finished. */
export async function startMortalDaemon(...options: readonly string[]): Promise<SocketDaemon> {
  ensureBuilt();
  const directory = temporaryDirectory();
  const mortal = createMortalDaemon({ directory, services: [], options });
  const accidents = [mortal.accidents];
  onTestFinished(async () => {
    await mortal.kill();
    expect(accidents.flatMap((of) => of())).toEqual([]);
  });
  expect(await mortal.start().ready).toBe(true);
  return {
    ...mortal,
    again: async () => {
      const { argv, environment } = mortal.command();
      const { stdoutLines, stderr } = startCommandLine(argv, { environment });
      accidents.push(() => stderr().split("\n").filter(isError));
      await stdoutLines(1);
    },
  };
}

/** A daemon that goes, and comes back with all that it kept. */
export interface GoingDaemon {
  readonly socket: string;
  readonly go: () => Promise<unknown>;
  /** For the last time, unless it is to be gone again. */
  readonly comeBack: (isLast: boolean) => Promise<unknown>;
}

export async function startGoingDaemon(how: "kill" | "stop"): Promise<GoingDaemon> {
  if (how === "stop") {
    const { socket, start, stop } = await serveAtSocket();
    return { socket, go: stop, comeBack: start };
  }
  const { socket, kill, start, again } = await startMortalDaemon();
  return { socket, go: kill, comeBack: (isLast) => (isLast ? again() : start().ready) };
}
