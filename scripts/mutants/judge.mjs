// Decides whether the tests notice a mutant.
import { isCounted } from "./gather.mjs";
import { testsFor } from "./reach.mjs";
import { compile } from "./scratch.mjs";

/** Time limit of a test file with a mutant, after which the test counts as hanging: far above its usual time, even on a busy machine. */
const limitOf = (ms) => 30_000 + 5 * ms;

/**
 * Judges mutants in the copy of one runner: `judge(mutant)` resolves with the mutant and `verdict`, which is "refused" by the compiler, "noticed"
 * (`by` a test file), "survived", or "unreached" if no test reaches it. `sound` remembers whether test files pass without a mutant; a failing one is
 * no evidence.
 */
export function createJudge(runner, sources, map, sound, budgetMs) {
  const sourceOf = new Map(sources.map(({ path, source }) => [path, source]));
  const { folder } = runner;

  async function isSound({ path, ms }, changed) {
    if (!sound.has(path)) {
      runner.write(changed, sourceOf.get(changed));
      compile(folder);
      const passes = async () => (await runner.run(path, { limitMs: limitOf(ms) })).passed;
      // Once may be the fault of a busy machine.
      sound.set(path, (await passes()) || (await passes()));
    }
    return sound.get(path);
  }

  return async (mutant) => {
    const source = sourceOf.get(mutant.path);
    const line = source.slice(0, mutant.start).split("\n").length;
    const mutated = source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end);
    const lines = [source, mutated].map((text) => text.split("\n")[line - 1].trim());
    const judged = { ...mutant, line, from: lines[0], to: lines[1] };
    try {
      runner.write(mutant.path, mutated);
      if (!compile(folder)) return { ...judged, verdict: "refused" };
      const tests = testsFor(mutant, map, isCounted(map, mutant.path, source), budgetMs);
      if (tests.length === 0) return { ...judged, verdict: "unreached" };
      let asked = 0;
      for (const test of tests) {
        if (sound.get(test.path) === false) continue;
        asked += 1;
        const { passed, isLate } = await runner.run(test.path, { limitMs: limitOf(test.ms) });
        if (!passed) {
          if (await isSound(test, mutant.path)) return { ...judged, verdict: "noticed", by: test.path, isLate };
          asked -= 1;
          runner.write(mutant.path, mutated);
          compile(folder);
        }
      }
      return { ...judged, verdict: "survived", after: asked };
    } finally {
      runner.write(mutant.path, source);
    }
  };
}
