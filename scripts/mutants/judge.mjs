// Decides whether the tests notice a mutant.
import { activate, isStatic, reachedIn } from "./scratch.mjs";

/**
 * Judges mutants in the copy of the project at `folder`: `judge(mutant)` resolves with the mutant and `verdict`, which is "noticed" (`by` a test file),
 * "survived" (`after` how many), or "unreached" if its place was never reached. `testsFor` names the test files to ask, `budgetMs` for how long.
 * `sound` remembers of failed test files whether they pass without a mutant, `known` of passed ones which mutants they reach: a file is not asked
 * about a mutant that it does not reach.
 */
export function createJudge(folder, runner, testsFor, sound, known, budgetMs) {
  function ask(test, number, ids) {
    activate(folder, number);
    return runner.run(test, ids);
  }

  async function isSound(test) {
    const passes = async () => {
      runner.restart();
      return (await ask(test, 0)).failed === undefined;
    };
    // Once may be the fault of a busy machine.
    if (!sound.has(test)) sound.set(test, (await passes()) || (await passes()));
    return sound.get(test);
  }

  /** Whether a failure is the mutant's, and not of what an earlier one left behind in the process. */
  async function isBelieved(test, number, failed) {
    if ((await ask(test, 0, failed)).failed === undefined) return true;
    runner.restart();
    return (await ask(test, number)).failed !== undefined && (await isSound(test));
  }

  return async (mutant) => {
    const { number } = mutant;
    const started = performance.now();
    let [left, after, reached, by] = [budgetMs, 0, false, undefined];
    // Where a place is reached while its module is loaded, only the first file that loads it seems to reach it.
    const isLoaded = mutant.isStatic || isStatic(folder, number);
    if (isLoaded) runner.restart();
    for (const test of testsFor(mutant.path)) {
      if (left <= 0) break;
      if (sound.get(test) === false) continue;
      if (!isLoaded && known.get(test)?.has(number) === false) {
        after += 1;
        continue;
      }
      const { failed, ms } = await ask(test, number);
      const places = reachedIn(folder);
      // A mutant that runs may keep others from being reached.
      if (failed === undefined && !places.has(number) && !known.has(test)) known.set(test, places);
      if (places.has(number)) {
        reached = true;
        left -= ms;
      }
      if (failed !== undefined && (await isBelieved(test, number, failed))) {
        by = test;
        break;
      }
      if (sound.get(test) !== false) after += 1;
    }
    // Its module has been loaded with it.
    if (isLoaded || isStatic(folder, number)) runner.restart();
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    if (by !== undefined) return { ...mutant, verdict: "noticed", by, seconds };
    return { ...mutant, verdict: reached ? "survived" : "unreached", after, seconds };
  };
}
