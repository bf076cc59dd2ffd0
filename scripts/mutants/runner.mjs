// Runs tests in a copy of the project, within a limit of time.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createScratch, removeScratch, write } from "./scratch.mjs";

/** The environment without the variables that a test runner sets for its children: this process may be such a child. */
const ownEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));

const SLOT = fileURLToPath(new URL("slot.mjs", import.meta.url));

/**
 * A copy of the project at `root`, and a process that runs its tests. `write` changes a source of the copy. `run(path, { limitMs, isWhole })` resolves
 * with `{ passed, failed, ms }`; `failed` has the names of the failed tests, and `isLate` reports that the limit passed. The file ends with its first
 * failure unless `isWhole`. `close` ends the process with its children, and removes the copy.
 */
export function createRunner(root) {
  const folder = createScratch(root);
  /** Since the last run: what is loaded of them is of no use any more. */
  const written = new Set();
  let child;

  async function start() {
    // A process group of its own, so that processes started by a test end with it.
    child = fork(SLOT, { cwd: folder, detached: true, stdio: "ignore", env: ownEnvironment() });
    await once(child, "message");
  }

  function end() {
    if (child === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
    child = undefined;
  }

  return {
    folder,
    write: (path, text) => {
      written.add(path);
      write(folder, path, text);
    },
    run: async (path, { limitMs, isWhole = false }) => {
      if (child === undefined) await start();
      const started = performance.now();
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), limitMs);
      const { signal } = controller;
      child.send({ path, changed: [...written], limitMs, isWhole });
      written.clear();
      try {
        const answer = await Promise.race([
          once(child, "message", { signal }),
          once(child, "exit", { signal }).then(() => [{ passed: false, failed: ["the process of the tests ended"] }]),
        ]);
        if (child.exitCode !== null || child.signalCode !== null) end();
        return { ...answer[0], ms: performance.now() - started, isLate: false };
      } catch (caught) {
        if (!signal.aborted) throw caught;
        end();
        return { passed: false, failed: [], ms: limitMs, isLate: true };
      } finally {
        clearTimeout(timer);
        controller.abort();
      }
    },
    close: () => {
      end();
      removeScratch(folder);
    },
  };
}
