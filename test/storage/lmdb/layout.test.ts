// R29: a journal says which version its layout has.
import { join } from "node:path";
import { expect, it } from "vitest";
import { DATA_FILE } from "../../../src/storage/lmdb/data-file.js";
import { type Environment, loadLmdb, openEnvironment } from "../../../src/storage/lmdb/environment.js";
import { LAYOUT_VERSION, layoutOf, type Migration, migrate } from "../../../src/storage/lmdb/layout.js";
import { seal, unseal } from "../../../src/storage/lmdb/sealed.js";
import { newEvent, openRig } from "../../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

async function withEnvironment(directory: string, work: (environment: Environment) => Promise<void>): Promise<void> {
  const lmdb = await loadLmdb();
  const environment = openEnvironment({ lmdb, path: join(directory, DATA_FILE), policy: "durable" });
  try {
    await work(environment);
  } finally {
    await environment.close();
  }
}

/** Doubles what stands under ["state", …], and fails where the one before it has not run. */
const STEPS: readonly Migration[] = [1, 2].map((from) => ({
  from,
  migrate: (tables, writes) => {
    for (const { key, value } of tables.state.entries({})) {
      const read = unseal(value);
      if (read.kind === "damaged") throw new Error("damaged");
      writes.put("state", key, seal(`${String(read.value)}.${from}`));
    }
  },
}));

it("a new one has the present version, and an older one is brought to it, one version after the other", async () => {
  const directory = temporaryDirectory();
  const { journal } = await openRig({ directory });
  journal.kept.put(["state", "a"], () => "made");
  await journal.append([newEvent("a")]).durable;
  await journal.close();
  await withEnvironment(directory, async (environment) => {
    expect(layoutOf(environment.tables)).toBe(LAYOUT_VERSION);
    await migrate(environment, "p", STEPS, LAYOUT_VERSION + 2);
    expect(layoutOf(environment.tables)).toBe(LAYOUT_VERSION + 2);
    const [entry] = environment.tables.state.entries({});
    expect(entry && unseal(entry.value)).toEqual({ kind: "whole", value: "made.1.2" });
    // Nothing is left to do the second time.
    await migrate(environment, "p", [], LAYOUT_VERSION + 2);
  });
});

it("a newer one is refused with what to do, and stays as it is", async () => {
  const directory = temporaryDirectory();
  const { journal } = await openRig({ directory });
  await journal.append([newEvent("a")]).durable;
  await journal.close();
  await withEnvironment(directory, ({ commit }) =>
    commit((writes) => writes.put("meta", ["layout"], seal(LAYOUT_VERSION + 1))),
  );
  await expect(openRig({ directory })).rejects.toMatchObject({
    code: "storage_unavailable",
    sentence: expect.stringMatching(
      /has layout 2, and this build of aaepd knows layouts up to 1\. Use the newer build, or name another folder/,
    ),
  });
  await withEnvironment(directory, async ({ commit }) =>
    commit((writes) => writes.put("meta", ["layout"], seal(LAYOUT_VERSION))),
  );
  const again = await openRig({ directory });
  expect(again.journal.find("evt_a")).toBeDefined();
});

it("an older one that nothing leads on from is refused", async () => {
  const directory = temporaryDirectory();
  await withEnvironment(directory, async (environment) => {
    await migrate(environment, "p", [], 1);
    await expect(migrate(environment, "p", [], 2)).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(layoutOf(environment.tables)).toBe(1);
  });
});
