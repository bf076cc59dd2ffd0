// Starts the processes of the benchmark and talks to them.
import { fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const BENCH = fileURLToPath(new URL(".", import.meta.url));
export const AAEPD = join(BENCH, "../bin/aaepd.js");

/** A folder for sockets, and the processes started since; `close` ends them all. */
export function createStage({ profile } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-bench-"));
  const running = new Set();
  let count = 0;
  const own = (child) => {
    running.add(child);
    child.on("exit", () => running.delete(child));
    return child;
  };
  const path = (name) => {
    count += 1;
    return join(folder, `${name}-${count}.sock`);
  };

  return {
    path,
    own,
    role: async (name, ...args) => {
      const child = own(
        fork(join(BENCH, "roles", `${name}.mjs`), args, {
          execArgv: [
            "--expose-gc",
            ...(process.env.PROFILE_ROLE === name ? ["--cpu-prof", "--cpu-prof-dir=/tmp/prof-role"] : []),
          ],
        }),
      );
      return talkTo(child, await firstMessage(child, name));
    },
    /** A daemon on a socket of its own. */
    daemon: async (...options) => {
      const socket = path("daemon");
      const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
      const child = own(
        fork(AAEPD, ["serve", "--producer-id", "bench", "--socket", socket, "--log-level", "error", ...options], {
          execArgv: ["--expose-gc", "--import", join(BENCH, "probe.mjs"), ...profiling],
          stdio: ["ignore", "pipe", "inherit", "ipc"],
        }),
      );
      await new Promise((resolve, reject) => {
        child.stdout.once("data", resolve);
        child.once("exit", (code) => reject(new Error(`The daemon ended with ${code} before it listened.`)));
      });
      return { ...talkTo(child), socket };
    },
    close: async () => {
      await Promise.all(
        [...running].map(
          (child) =>
            new Promise((resolve) => {
              child.once("exit", resolve);
              child.kill("SIGTERM");
            }),
        ),
      );
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
    /** CPU microseconds of the whole process while `work` runs, and what `work` answers. */
    during: async (work) => {
      const before = await call("usage");
      const value = await work();
      const after = await call("usage");
      return { value, cpuMicros: after.user - before.user + after.system - before.system };
    },
  };
}

/** Starts a program and resolves with the milliseconds until it has ended. */
export function timeOf(command, args) {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    spawn(command, args, { stdio: "ignore" })
      .once("error", reject)
      .once("exit", () => resolve(performance.now() - begin));
  });
}
