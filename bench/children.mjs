// Starts the processes of the benchmark and talks to them.
import { fork, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const BENCH = fileURLToPath(new URL(".", import.meta.url));
export const AAEPD = join(BENCH, "../bin/aaepd.js");
/** Files for the disk stand beside the packages, because the folder for temporary files may be in memory. */
const ON_DISK = join(BENCH, "../node_modules/.cache");
/** The journal of every row that does not choose another. */
export const IN_MEMORY = ["--journal", "memory"];

/** How long a process may take to end, ms. */
const PATIENCE_MS = 20_000;

/** A folder for sockets, and the processes started since; `close` ends them all. */
export function createStage({ profile } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-bench-"));
  mkdirSync(ON_DISK, { recursive: true });
  const disk = mkdtempSync(join(ON_DISK, "aaepd-bench-"));
  // The daemon finds no files of its user, and leaves none.
  const env = { ...process.env, XDG_STATE_HOME: join(disk, "state"), XDG_CONFIG_HOME: join(folder, "config") };
  const running = new Set();
  const leave = () => {
    for (const one of [folder, disk]) rmSync(one, { recursive: true, force: true });
  };
  // An interrupted benchmark leaves neither processes nor folders.
  const breakOff = () => {
    for (const child of running) child.kill("SIGKILL");
    leave();
  };
  process.on("exit", breakOff);
  let count = 0;
  const path = (name) => {
    count += 1;
    return join(folder, `${name}-${count}.sock`);
  };
  const own = (child) => {
    running.add(child);
    child.on("exit", () => running.delete(child));
    return child;
  };

  return {
    path,
    own,
    env,
    /** An empty folder on the disk. */
    diskFolder: (name) => {
      count += 1;
      const made = join(disk, `${name}-${count}`);
      mkdirSync(made);
      return made;
    },
    role: async (name, ...args) => {
      const child = own(
        fork(join(BENCH, "roles", `${name}.mjs`), args, {
          env,
          execArgv: ["--expose-gc"],
        }),
      );
      await firstMessage(child, name);
      return { ...talkTo(child), stop: () => ended(child) };
    },
    /** A daemon on a socket of its own, with its journal in memory unless options name another. */
    daemon: async (...options) => {
      const socket = path("daemon");
      const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
      const child = own(
        fork(AAEPD, serveArguments(socket, options), {
          env,
          execArgv: ["--expose-gc", "--import", join(BENCH, "probe.mjs"), ...profiling],
          stdio: ["ignore", "pipe", "inherit", "ipc"],
        }),
      );
      await new Promise((resolve, reject) => {
        child.stdout.once("data", resolve);
        child.once("exit", (code) => reject(new Error(`The daemon ended with ${code} before it listened.`)));
      });
      return { ...talkTo(child), pid: child.pid, socket, stop: () => ended(child) };
    },
    /** Kills a process that continues for longer than `patienceMs` after it was asked to end; 0 kills it without asking. */
    close: async ({ patienceMs = PATIENCE_MS } = {}) => {
      await Promise.all([...running].map((child) => ended(child, patienceMs)));
      process.off("exit", breakOff);
      leave();
    },
  };
}

/** The arguments of a daemon's command line. */
export function serveArguments(socket, options) {
  const journal = options.includes("--journal") ? [] : IN_MEMORY;
  return ["serve", "--producer-id", "bench", "--socket", socket, "--log-level", "error", ...journal, ...options];
}

/** The same for an agent's child. `socket` is a path, or "off". */
export function stdioArguments(socket) {
  return ["stdio", "--producer-id", "bench", "--socket", socket, "--log-level", "error", ...IN_MEMORY];
}

function ended(child, patienceMs = PATIENCE_MS) {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    if (patienceMs > 0) child.kill("SIGTERM");
  });
}

function firstMessage(child, name) {
  return new Promise((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}.`)));
  });
}

function talkTo(child) {
  const waiting = new Map();
  let last = 0;
  child.on("message", ({ id, value, error }) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) one?.resolve(value);
    else one?.reject(new Error(error));
  });
  child.on("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`A process of the benchmark ended with ${code}.`));
    waiting.clear();
  });
  const call = (name, args) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      child.send({ id: last, name, args });
    });
  return {
    pid: child.pid,
    call,
    /** CPU microseconds of the whole process while `work` runs, and the result of `work`. */
    during: async (work) => {
      const before = await call("usage");
      const value = await work();
      const after = await call("usage");
      return { value, cpuMicros: after.user - before.user + after.system - before.system };
    },
  };
}

/** Starts a program with an input and resolves with the milliseconds until it has ended. */
export function timeOf(command, args, input = "", env = process.env) {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: [input === "" ? "ignore" : "pipe", "ignore", "ignore"] });
    child.once("error", reject).once("exit", () => resolve(performance.now() - begin));
    child.stdin?.on("error", () => {}).end(input);
  });
}
