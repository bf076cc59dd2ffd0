// A process that runs test files of one copy of the project, one after another, with everything loaded once. Its parent names the files.
import { createVitest } from "vitest/node";

const folder = process.cwd();
const tests = await createVitest("test", {
  root: folder,
  watch: false,
  maxWorkers: 1,
  reporters: [{}],
  // Nobody reads the output of a mutant.
  silent: true,
});

/** Runs a test file with the current files of the project. A single test has half of the limit, so that a hanging test mostly fails before it. */
async function run({ path, changed, limitMs, isWhole }) {
  const ownConfig = { isolate: true, testTimeout: limitMs / 2, hookTimeout: limitMs / 2, bail: isWhole ? 0 : 1 };
  for (const { config } of [tests, ...tests.projects]) Object.assign(config, ownConfig);
  for (const one of changed) tests.invalidateFile(`${folder}/${one}`);
  tests.state.filesMap.clear();
  tests.state.idMap.clear();
  tests.state.errorsSet.clear();
  process.exitCode = undefined;
  const specifications = await tests.globTestSpecifications([`${folder}/${path}`]);
  const { testModules, unhandledErrors } = await tests.runTestSpecifications(specifications);
  const passed = testModules.length > 0 && testModules.every((module) => module.ok()) && unhandledErrors.length === 0;
  const failed = testModules.flatMap((module) => [...module.children.allTests("failed")].map((test) => test.fullName));
  return { passed, failed };
}

process.on("message", async (asked) => {
  try {
    process.send(await run(asked));
  } catch (caught) {
    process.send({ passed: false, failed: [String(caught)] });
  }
});
// Without its parent the process has no purpose.
process.on("disconnect", () => process.kill(0, "SIGKILL"));
process.send({ ready: true });
