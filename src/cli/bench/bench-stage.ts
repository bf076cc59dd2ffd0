// The folder and the children of a measurement. Nothing of the user's is touched, and nothing is left.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Fault } from "../../base/errors.js";
import { ownEnvironment } from "../shell/own-environment.js";
import { packagePath } from "../shell/package-path.js";

/** A running child that carries events from one peer to others. */
export interface Carrier {
  readonly kind: "daemon" | "relay";
  readonly socketPath: string;
  /** Processor time of the whole process so far, µs. */
  readonly cpuMicros: () => Promise<number>;
}

export interface BenchStage {
  readonly startDaemon: () => Promise<Carrier>;
  readonly startRelay: () => Promise<Carrier>;
  /** Starts a daemon, and calls `listening` with its socket. Resolves with the ms from the start to the end of `listening`; the daemon ends then. */
  readonly timeToStart: (listening: (socketPath: string) => Promise<void>) => Promise<number>;
  /** Resolves with the ms that a Node without a program takes from its start to its end. */
  readonly timeOfNode: () => Promise<number>;
  /** Rejects with a Fault when a carrier ends before `close`. Never resolves. */
  readonly failed: Promise<never>;
  /** Ends all children and removes the folder. */
  readonly close: () => Promise<void>;
}

/** How long a child may take to end before it is killed, ms. */
const END_MS = 5000;
/** The package has the bundle alone. */
function bundled(name: string): string {
  return packagePath("dist", "bundle", name);
}

const PROBE = ["--import", pathToFileURL(bundled("bench-usage-probe.js")).href];

/** Makes the folder. */
export function createStage(environment: Readonly<Record<string, string | undefined>>): BenchStage {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-bench-"));
  // Node keeps compiled code there too, from the first start on, which does not count.
  const env = { ...ownEnvironment(environment, folder), XDG_CACHE_HOME: folder };
  const children = new Set<ChildProcess>();
  let sockets = 0;
  let isClosing = false;
  let fail: (fault: Fault) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  /** Removes the children and the folder, however this process ends. */
  const cleanUp = (): void => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", cleanUp);

  function own<Child extends ChildProcess>(child: Child): Child {
    children.add(child);
    child.once("close", () => children.delete(child));
    return child;
  }

  function newSocket(): string {
    sockets += 1;
    return join(folder, `${sockets}.sock`);
  }

  async function carrier(kind: Carrier["kind"], socketPath: string, program: string, argv: readonly string[]) {
    const child = own(fork(program, argv, { env, execArgv: PROBE, stdio: ["ignore", "pipe", "pipe", "ipc"] }));
    await listening(child);
    child.once("close", (code) => {
      if (!isClosing) fail(lostChild(code, ""));
    });
    const cpuMicros = async (): Promise<number> => {
      const told = once(child, "message");
      child.send("usage");
      const [micros] = await told;
      return Number(micros);
    };
    return { kind, socketPath, cpuMicros };
  }

  return {
    startDaemon: () => {
      const path = newSocket();
      return carrier("daemon", path, packagePath("bin", "aaepd.js"), serveArguments(path));
    },
    startRelay: () => {
      const path = newSocket();
      return carrier("relay", path, bundled("bench-relay.js"), [path]);
    },
    timeToStart: async (whenListening) => {
      const path = newSocket();
      const begin = performance.now();
      const argv = [packagePath("bin", "aaepd.js"), ...serveArguments(path)];
      const child = own(spawn(process.execPath, argv, { env, stdio: ["ignore", "pipe", "pipe"] }));
      await listening(child);
      await whenListening(path);
      const ms = performance.now() - begin;
      await ended(child);
      return ms;
    },
    timeOfNode: async () => {
      const begin = performance.now();
      await once(own(spawn(process.execPath, ["-e", "0"], { env, stdio: "ignore" })), "close");
      return performance.now() - begin;
    },
    failed,
    close: async () => {
      isClosing = true;
      await Promise.all([...children].map(ended));
      cleanUp();
      process.off("exit", cleanUp);
    },
  };
}

function serveArguments(socketPath: string): readonly string[] {
  return ["serve", "--socket", socketPath, "--journal", "memory", "--audit", "off", "--log-level", "error"];
}

/** Resolves with the child's first output. Rejects with a Fault if the child ends before. */
async function listening(child: ChildProcess): Promise<void> {
  let words = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-2000);
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once("data", () => resolve());
    child.once("error", reject);
    child.once("close", (code) => reject(lostChild(code, `${words.trim()} `)));
  });
}

function lostChild(code: number | null, words: string): Fault {
  const how = code === null ? "was killed" : `ended with ${code}`;
  const sentence = `A process of the measurement ${how}. ${words}Run aaepd doctor, and then this command again.`;
  return new Fault("unsupported", sentence, { origin: "local" });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  const closed = once(child, "close");
  child.kill("SIGTERM");
  await closed;
  clearTimeout(timer);
}
