// The examples in other languages: how each is built and started. What is built stays in its folder, which git ignores, until something changes.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import { isAlive } from "./is-alive.js";
import { cleanEnvironment, type Program, startCommand, startProgram } from "./peers/program.js";
import { temporaryDirectory } from "./temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LOCKS = join(ROOT, "node_modules", ".cache", "aaepd-examples");

/** A program of an example, to be started in the folder of its language. */
export type Command = readonly [program: string, ...argv: string[]];

export interface Language {
  readonly name: string;
  readonly folder: string;
  /** What has to be on the machine. */
  readonly tools: readonly string[];
  /** What the build makes, all of it ignored by git. */
  readonly made: readonly string[];
  readonly build: readonly Command[];
  /** The banking agent that uses the file to copy. */
  readonly agent: Command;
  /** The listener over gRPC. */
  readonly subscriber: Command;
}

const JAVA = ["java", "-XX:TieredStopAtLevel=1", "-jar"] as const;
const MAVEN = ["mvn", "--quiet", "--batch-mode"] as const;

export const PYTHON: Language = {
  name: "Python",
  folder: join(ROOT, "examples", "python"),
  tools: ["python3"],
  made: [".venv", "aaep", "__pycache__"],
  build: [["./generate.sh"]],
  agent: ["python3", "banking_agent.py"],
  subscriber: [".venv/bin/python", "grpc_subscriber.py"],
};

/** The banking agent that publishes over gRPC. */
export const GRPC_AGENT: Command = [".venv/bin/python", "grpc_agent.py"];

export const LANGUAGES: readonly Language[] = [
  PYTHON,
  {
    name: "Go",
    folder: join(ROOT, "examples", "go"),
    tools: ["go"],
    made: ["bin", "gen"],
    build: [["./generate.sh"], ["go", "build", "-o", "bin/", "./banking", "./subscriber"]],
    agent: ["bin/banking"],
    subscriber: ["bin/subscriber"],
  },
  {
    name: "Java",
    folder: join(ROOT, "examples", "java"),
    tools: ["java", "mvn"],
    made: ["target", join("subscriber", "target")],
    build: [[...MAVEN, "package"], ["./subscriber/generate.sh"], [...MAVEN, "--file", "subscriber/pom.xml", "package"]],
    agent: [...JAVA, "target/banking-agent.jar"],
    subscriber: [...JAVA, "subscriber/target/subscriber.jar"],
  },
];

/** Those of its tools that this machine does not have. */
export function missingTools(language: Language): readonly string[] {
  return language.tools.filter((tool) => !hasProgram(tool));
}

/** Whether the machine has a program. */
export function hasProgram(name: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;
}

/** Whether its tests can run. The suite runs on a machine that has only Node; where all checks run, a missing tool fails the build. */
export function canRun(language: Language): boolean {
  return missingTools(language).length === 0 || process.env.CI === "true";
}

/** Brings what is made of an example up to date. Rejects with the output of what failed, or with the name of what is missing. */
export async function ensureExampleBuilt(language: Language): Promise<void> {
  const missing = missingTools(language);
  if (missing.length > 0) {
    throw new Error(
      `The examples in ${language.name} need ${missing.join(" and ")}, which this machine does not have. Install it.`,
    );
  }
  await locked(language.name, async () => {
    const stamp = join(language.folder, language.made[0] ?? "", ".built");
    const state = stateOf(language);
    if (readIfThere(stamp) === state) return;
    rmSync(stamp, { force: true });
    for (const command of language.build) await succeed(command, language.folder);
    writeFileSync(stamp, state);
  });
}

/** Of everything that the build reads. */
function stateOf(language: Language): string {
  const hash = createHash("sha256");
  for (const folder of [language.folder, join(ROOT, "proto")]) {
    for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
      const isMade = language.made.some((made) => entry === made || entry.startsWith(`${made}${sep}`));
      if (folder === language.folder && isMade) continue;
      const content = readIfThere(join(folder, entry));
      if (content !== undefined) hash.update(`${entry}\0${content}\0`);
    }
  }
  return hash.digest("hex");
}

/** Undefined for a folder too. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function succeed([program, ...argv]: Command, folder: string): Promise<void> {
  const child = spawn(program, argv, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ${argv.join(" ")} in ${folder} ended with ${code}:\n${output}`));
    });
  });
}

/** One at a time, among the processes of the suite. */
async function locked(name: string, work: () => Promise<void>): Promise<void> {
  mkdirSync(LOCKS, { recursive: true });
  const lock = join(LOCKS, `${name}.lock`);
  while (!tryLock(lock)) await delay(100);
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    // Whoever died with the lock does not come back for it.
    if (!isAlive(Number(readIfThere(lock) ?? process.pid))) rmSync(lock, { force: true });
    return false;
  }
}

export interface Example {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** Starts a program of an example; what is left of it when the test has finished is killed. */
export function startExample(folder: string, [program, ...argv]: Command, ...options: readonly string[]): Example {
  const started = startCommand([program, ...argv, ...options], {
    cwd: folder,
    environment: cleanEnvironment(temporaryDirectory()),
  });
  const { child, stdout, stderr } = started;
  return { child, stdout, stderr, ended: started.ended.then(({ code }) => ({ code, out: stdout(), err: stderr() })) };
}

/** Starts a listener, and resolves when it is subscribed. Rejects where it ends before. */
export async function startListener(folder: string, command: Command, ...options: readonly string[]): Promise<Example> {
  const listener = startExample(folder, command, ...options);
  await shows(listener, listener.stderr, "Listening to aaepd.");
  return listener;
}

/** Resolves when a program's output has the text; rejects where the program ends without. */
export async function shows(example: Example, output: () => string, text: string): Promise<void> {
  let hasEnded = false;
  void example.ended.then(() => {
    hasEnded = true;
  });
  await vi.waitFor(() => expect(hasEnded || output().includes(text)).toBe(true), { timeout: 120_000, interval: 20 });
  expect(output(), example.stderr()).toContain(text);
}

/** The documents that a listener with `--json` has written so far. */
export function documentsOf(example: Example): readonly Readonly<Record<string, unknown>>[] {
  const lines = example.stdout().split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

export interface GrpcDaemon {
  readonly program: Program;
  readonly socketPath: string;
  /** The beginning of the command of an agent for the daemon's socket. */
  readonly served: Command;
  /** Options of an example for each address. */
  readonly unix: readonly string[];
  readonly tcp: readonly string[];
  readonly tcpAddress: string;
  readonly tokenFile: string;
}

/** The built `aaepd serve`, listening on its socket and for gRPC on a Unix socket and on TCP. */
export async function serveGrpc(...options: readonly string[]): Promise<GrpcDaemon> {
  const directory = temporaryDirectory();
  const address = `unix:${join(directory, "grpc.sock")}`;
  const program = startProgram(["serve", "--grpc", `${address},127.0.0.1:0`, ...options], {
    environment: cleanEnvironment(directory),
  });
  const [line = ""] = await program.stdoutLines(1);
  const { endpoints, token_file } = JSON.parse(line);
  const [, tcpAddress] = endpoints.grpc;
  return {
    program,
    socketPath: endpoints.ipc,
    served: ["env", `AAEPD_SOCKET=${endpoints.ipc}`],
    unix: ["--address", address],
    tcp: ["--address", tcpAddress, "--token-file", token_file],
    tcpAddress,
    tokenFile: token_file,
  };
}
