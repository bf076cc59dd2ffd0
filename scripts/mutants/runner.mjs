// Runs tests in a copy of the project, within a limit of time.
import { fork } from "node:child_process";
import { on, once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

/** The environment without the variables that a test runner sets for its children: this process may be such a child. */
const ownEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));

const SLOT = fileURLToPath(new URL("slot.mjs", import.meta.url));
/** A single test that takes longer hangs: far above its usual time. A run that goes on for longer behind its end is stuck. */
const [HANG_MS, STUCK_MS] = [10_000, 30_000];

/** How many times longer everything takes, because others use the processors too. */
const crowding = () => Math.max(1, loadavg()[0] / availableParallelism());

/**
 * A process that runs the tests of the project at `folder`. `run(paths, budgetMs)` runs test files in this order until one fails or the time is over,
 * and resolves with `{ failed, asked, ms }`: the failed file if there is one, how many ran to their ends, and the time. Times are those of an idle
 * machine. `close` ends the process with its children.
 */
export function createRunner(folder) {
  let child;

  async function start() {
    // A process group of its own, so that processes started by a test end with it.
    child = fork(SLOT, { cwd: folder, detached: true, stdio: "ignore", env: ownEnvironment() });
    await once(child, "message");
  }

  function close() {
    try {
      if (child !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
    child = undefined;
  }

  async function run(paths, budgetMs) {
    if (child === undefined) await start();
    const controller = new AbortController();
    const factor = crowding();
    const timer = setTimeout(() => controller.abort(), factor * (budgetMs + STUCK_MS));
    const begun = performance.now();
    const answer = (failed) => ({ failed, asked, ms: (performance.now() - begun) / factor });
    let [current, asked] = [paths[0], 0];
    const { signal } = controller;
    const ended = once(child, "exit", { signal }).catch(() => {});
    ended.then(() => controller.abort());
    try {
      const messages = on(child, "message", { signal });
      child.send({ paths, budgetMs: factor * budgetMs, hangMs: factor * HANG_MS });
      for await (const [{ started, ended, failed, isBroken }] of messages) {
        if (started !== undefined) current = started;
        else if (ended !== undefined) asked += ["passed", "failed"].includes(ended) ? 1 : 0;
        // An error outside of any test counts for the file that runs.
        else return answer(failed ?? (isBroken ? current : undefined));
      }
    } catch (caught) {
      if (!signal.aborted) throw caught;
      close();
      return answer(current);
    } finally {
      clearTimeout(timer);
      controller.abort();
    }
  }
  return { run, close };
}
