// Runs tests in a copy of the project, within a limit of time.
import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

/** The environment without the variables that a test runner sets for its children: this process may be such a child. */
const ownEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));

const SLOT = fileURLToPath(new URL("slot.mjs", import.meta.url));
/** A test that takes longer on an idle machine is stuck, in an endless loop perhaps. */
const STUCK_MS = 15_000;

/** How many times longer everything takes, because others use the processors too. */
const crowding = () => Math.max(1, loadavg()[0] / availableParallelism());

/**
 * A process that runs the tests of the project at `folder`. `run(path, ids)` runs a test file, or those of its tests, and resolves with
 * `{ failed, ms }`: the failed tests if the file failed, and the time that an idle machine would have taken. After `restart`, all modules are loaded
 * again. `close` ends the process with its children.
 */
export function createRunner(folder) {
  let child;
  let isFresh = false;

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

  /** Resolves with the answer of the process, or with nothing if the process ends or is stuck. */
  function answerTo(message, stuckMs) {
    return new Promise((resolve) => {
      const end = (answer) => {
        clearTimeout(timer);
        resolve(answer);
      };
      const timer = setTimeout(end, stuckMs);
      child.removeAllListeners("exit").once("exit", () => end(undefined));
      child.removeAllListeners("message").on("message", (answer) => (answer.isAlive ? timer.refresh() : end(answer)));
      child.send(message);
    });
  }

  async function run(path, ids) {
    if (child === undefined) await start();
    const factor = crowding();
    const begun = performance.now();
    const answer = await answerTo({ path, ids, isFresh }, factor * STUCK_MS);
    isFresh = false;
    if (answer === undefined) close();
    return { failed: answer === undefined ? [] : answer.failed, ms: (performance.now() - begun) / factor };
  }
  const restart = () => {
    isFresh = true;
  };
  return { run, restart, close };
}
