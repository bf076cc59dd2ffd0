// A process that runs test files of one copy of the project. Its parent names a file at a time. The process of the tests stays between them, with
// the modules that it has loaded: only a test file itself is loaded again.
import { createVitest, ForksPoolWorker } from "vitest/node";
import { SETUP } from "./scratch.mjs";

/** The process that stays. */
let kept;

class KeptWorker extends ForksPoolWorker {
  name = "kept";
  #isKept;
  #isWarm = false;
  #listeners = [];

  constructor(options) {
    super(options);
    this.#isKept = !options.project.config.isolate;
  }

  async start() {
    this.#isWarm = this.#isKept && kept !== undefined;
    if (this.#isWarm) this._fork = kept;
    else await super.start();
    if (!this.#isKept || this.#isWarm) return;
    const started = this._fork;
    kept = started;
    started.once("exit", () => {
      if (kept === started) kept = undefined;
    });
  }

  on(event, listener) {
    this.#listeners.push([event, listener]);
    super.on(event, listener);
  }

  send(message) {
    const answer = { start: this.#isWarm ? "started" : undefined, stop: "stopped" }[message.type];
    if (!this.#isKept || answer === undefined) return super.send(message);
    for (const [event, listener] of this.#listeners)
      if (event === "message") listener({ type: answer, __vitest_worker_response__: true });
  }

  async stop() {
    if (!this.#isKept) return super.stop();
    for (const [event, listener] of this.#listeners) this._fork.off(event, listener);
  }
}

const folder = process.cwd();
/** A test that takes longer hangs: far above its usual time, on a busy machine too. */
const HANG_MS = 30_000;
const tellAlive = () => void process.send({ isAlive: true });
const tests = await createVitest("test", {
  root: folder,
  watch: false,
  maxWorkers: 1,
  bail: 1,
  pool: { name: "kept", createPoolWorker: (options) => new KeptWorker(options) },
  // Nobody reads the output of a mutant.
  reporters: [{ onTestModuleCollected: tellAlive, onTestCaseResult: tellAlive }],
  silent: true,
});
for (const { config } of tests.projects) {
  const expect = { ...config.expect, poll: { ...config.expect?.poll, timeout: HANG_MS } };
  const setupFiles = [`${folder}/${SETUP}`, ...config.setupFiles];
  Object.assign(config, { testTimeout: HANG_MS, hookTimeout: HANG_MS, expect, setupFiles });
}
const found = await tests.globTestSpecifications();
const projectOf = new Map(found.map(({ moduleId, project }) => [moduleId, project]));

/**
 * Runs a test file until one of its tests fails, or those of its tests that `ids` names. Resolves with the failed tests, which may be none of a
 * failed file, or with nothing. `isFresh` ends the process that stays, and starts another.
 */
async function run({ path, ids, isFresh }) {
  if (isFresh) {
    kept?.kill("SIGKILL");
    kept = undefined;
  }
  tests.state.filesMap.clear();
  tests.state.idMap.clear();
  tests.state.errorsSet.clear();
  process.exitCode = undefined;
  const moduleId = `${folder}/${path}`;
  const project = projectOf.get(moduleId);
  // A file that belongs to another run.
  if (project === undefined) return {};
  const options = ids?.length > 0 ? { testIds: ids } : undefined;
  const { testModules, unhandledErrors } = await tests.runTestSpecifications([
    project.createSpecification(moduleId, options),
  ]);
  const isFailed = unhandledErrors.length > 0 || testModules.some((module) => module.state() === "failed");
  return {
    failed: isFailed
      ? testModules.flatMap(({ children }) => [...children.allTests("failed")].map(({ id }) => id))
      : undefined,
  };
}

process.on("message", async (asked) => {
  // An error outside of any test is a failure too.
  process.send(await run(asked).catch((caught) => ({ failed: [], error: String(caught) })));
});
// Without its parent the process has no purpose.
process.on("disconnect", () => process.kill(0, "SIGKILL"));
process.send({ ready: true });
