// Decides whether the tests notice a mutant.
import { activate, isReached } from "./scratch.mjs";

/**
 * Judges mutants in the copy of the project at `folder`: `judge(mutant)` resolves with the mutant and `verdict`, which is "noticed" (`by` a test file),
 * "survived" (`after` how many), or "unreached" if its place was never reached. `testsFor` names the test files to ask, `budgetMs` for how long.
 * `sound` remembers whether test files pass without a mutant; a failing one is no evidence.
 */
export function createJudge(folder, runner, testsFor, sound, budgetMs) {
  async function isSound(test) {
    if (!sound.has(test)) {
      activate(folder, 0);
      const passes = async () => (await runner.run([test], budgetMs)).failed === undefined;
      // Once may be the fault of a busy machine.
      sound.set(test, (await passes()) || (await passes()));
    }
    return sound.get(test);
  }

  return async (mutant) => {
    const started = performance.now();
    let waiting = testsFor(mutant.path).filter((test) => sound.get(test) !== false);
    let [left, after, reached] = [budgetMs, 0, false];
    const judged = (verdict) => ({
      ...mutant,
      ...verdict,
      seconds: Math.round((performance.now() - started) / 100) / 10,
    });
    while (waiting.length > 0 && left > 0) {
      activate(folder, mutant.number);
      const { failed, asked, ms } = await runner.run(waiting, left);
      left -= ms;
      after += asked;
      reached ||= isReached(folder);
      if (failed === undefined) break;
      if (await isSound(failed)) return judged({ verdict: "noticed", by: failed });
      after -= 1;
      waiting = waiting.slice(waiting.indexOf(failed) + 1);
    }
    return judged({ verdict: reached ? "survived" : "unreached", after });
  };
}
