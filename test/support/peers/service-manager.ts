// A service manager in Python, which hands its socket to the daemon as systemd does.
import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { eventually } from "../../cli/command-stage.js";
import { cleanEnvironment, fixture, PROGRAM } from "./program.js";
import { python } from "./python.js";

type Told = Readonly<Record<string, unknown>>;

export interface ManagerOptions {
  /** Where it listens; its folder is the folder of everything else. */
  readonly socket: string;
  readonly directory: string;
  readonly mode?: number;
  /** "deaf": bound, and not listening. */
  readonly kind?: "stream" | "deaf" | "datagram" | "file";
  /** Where it hears messages. */
  readonly notify?: string;
}

interface StartOptions {
  readonly sockets?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ServiceManagerPeer {
  /** Starts `aaepd serve` with the socket. */
  readonly start: (argv?: readonly string[], options?: StartOptions) => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Waits for the next line that it has not answered yet and that has such a member. */
  readonly next: (member: string) => Promise<Told>;
  /** All messages heard so far, in their order. */
  readonly heard: () => readonly (readonly string[])[];
  /** What its services wrote to standard error. */
  readonly stderr: () => string;
}

/** Listening when this resolves. It and its services are killed when the test has finished. */
export async function startServiceManager(options: ManagerOptions): Promise<ServiceManagerPeer> {
  const [program, option] = python();
  const child = spawn(program, [option, fixture("service-manager.py")], {
    env: cleanEnvironment(options.directory),
    // A group of its own, which ends as a whole.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const texts = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.err += text;
  });
  onTestFinished(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  const lines = (): readonly Told[] =>
    texts.out
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const say = (command: object): void => void child.stdin.write(`${JSON.stringify(command)}\n`);
  const answered = new Set<number>();
  const peer: ServiceManagerPeer = {
    start: (argv = [], { sockets = 1, environment = {} } = {}) =>
      say({ start: [process.execPath, PROGRAM, "serve", "--journal", "memory", ...argv], sockets, environment }),
    kill: (signal) => say({ kill: signal }),
    next: async (member) => {
      let found = -1;
      await eventually(() => {
        found = lines().findIndex((line, index) => member in line && !answered.has(index));
        if (found < 0) throw new Error(`no line with ${member} in ${texts.out}${texts.err}`);
      });
      answered.add(found);
      return lines()[found] ?? {};
    },
    heard: () => lines().flatMap(({ heard }) => (Array.isArray(heard) ? [heard] : [])),
    stderr: () => texts.err,
  };
  const { socket, mode, kind, notify } = options;
  say({ socket, mode, kind, notify });
  await peer.next("listening");
  return peer;
}
