// A process that runs test files of one copy of the project, with what is compiled kept. Its parent names the files.
import { createVitest } from "vitest/node";

class AsAsked {
  shard(specifications) {
    return specifications;
  }
  sort(specifications) {
    return specifications;
  }
}

const folder = process.cwd();
let until = 0;
const pathOf = (module) => module.moduleId.slice(folder.length + 1);
const tests = await createVitest("test", {
  root: folder,
  watch: false,
  maxWorkers: 1,
  bail: 1,
  sequence: { sequencer: AsAsked },
  reporters: [
    {
      onTestModuleStart: (module) => process.send({ started: pathOf(module) }),
      onTestModuleEnd: (module) => {
        process.send({ ended: module.state() });
        // Between files: a test that hangs has to fail.
        if (performance.now() > until) void tests.cancelCurrentRun("keyboard-input");
      },
    },
  ],
  // Nobody reads the output of a mutant.
  silent: true,
});
/** Runs test files until one fails or `budgetMs` are over. A single test that takes longer than `hangMs` fails. */
async function run({ paths, budgetMs, hangMs }) {
  until = performance.now() + budgetMs;
  for (const { config } of tests.projects) {
    const expect = { ...config.expect, poll: { ...config.expect?.poll, timeout: hangMs } };
    Object.assign(config, { testTimeout: hangMs, hookTimeout: hangMs, expect });
  }
  tests.state.filesMap.clear();
  tests.state.idMap.clear();
  tests.state.errorsSet.clear();
  process.exitCode = undefined;
  const found = await tests.globTestSpecifications(paths.map((path) => `${folder}/${path}`));
  const specifications = paths.flatMap((path) => found.filter((one) => one.moduleId === `${folder}/${path}`));
  const { testModules, unhandledErrors } = await tests.runTestSpecifications(specifications);
  const failed = testModules.filter((module) => module.state() === "failed").map(pathOf);
  return { failed: paths.find((path) => failed.includes(path)), isBroken: unhandledErrors.length > 0 };
}

process.on("message", async (asked) => {
  try {
    process.send(await run(asked));
  } catch (caught) {
    process.send({ isBroken: true, error: String(caught) });
  }
});
// Without its parent the process has no purpose.
process.on("disconnect", () => process.kill(0, "SIGKILL"));
process.send({ ready: true });
