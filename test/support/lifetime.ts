// How long what a test has made stays: until the test has finished, or, of what the tests of a file share, until all of them have.
import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, onTestFinished } from "vitest";

type CleanUp = () => unknown;

const sharing = new AsyncLocalStorage<CleanUp[]>();

/** Runs `cleanUp` at the end of the test that is running, or of all tests that share what is being made. */
export function whenFinished(cleanUp: CleanUp): void {
  const shared = sharing.getStore();
  if (shared === undefined) onTestFinished(async () => void (await cleanUp()));
  else shared.push(cleanUp);
}

/** To be called beside tests: they share what `make` makes for the first one that asks. */
export function shared<Made>(make: () => Promise<Made>): () => Promise<Made> {
  const cleanUps: CleanUp[] = [];
  const state: { made?: Promise<Made> } = {};
  afterAll(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });
  return () => {
    state.made ??= sharing.run(cleanUps, make);
    return state.made;
  };
}

/** To be called beside tests, for what mostly waits: all of them run side by side from the first on that a test asks for. */
export function sideBySide<Makers extends Readonly<Record<string, () => Promise<unknown>>>>(makers: Makers): Makers {
  const names = Object.keys(makers);
  const begun = shared(async () => {
    const all = new Map(names.map((name) => [name, makers[name]?.()]));
    // Each is awaited by a test of its own, maybe later.
    for (const one of all.values()) one?.catch(() => {});
    return all;
  });
  const asked = names.map((name) => [name, async () => (await begun()).get(name)]);
  return Object.fromEntries(asked) as Makers;
}
