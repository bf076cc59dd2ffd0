// R29: a journal says which version its layout has.
import { join } from "node:path";
import { expect, it } from "vitest";
import { seal, unseal } from "../../../src/storage/checksums/sealed.js";
import { DATA_FILE } from "../../../src/storage/lmdb/data-file.js";
import { type Environment, loadLmdb, openEnvironment } from "../../../src/storage/lmdb/environment.js";
import { LAYOUT_VERSION, layoutOf, type Migration, migrate } from "../../../src/storage/lmdb/layout.js";
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
const STEPS: readonly Migration[] = [1, 2].map((step) => ({
  from: LAYOUT_VERSION - 1 + step,
  migrate: (tables, writes) => {
    for (const { key, value } of tables.state.entries({})) {
      const read = unseal(value);
      if (read.kind === "damaged") throw new Error("damaged");
      writes.put("state", key, seal(`${String(read.value)}.${step}`));
    }
  },
}));

it("a new one has the present version, and an older one is brought to it, one version after the other", async () => {
  const directory = temporaryDirectory();
  const { journal } = await openRig({ directory });
  journal.durableState.put(["state", "a"], () => "made");
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
    sentence: expect.stringContaining(
      `has layout ${LAYOUT_VERSION + 1}, and this build of aaepd knows layouts up to ${LAYOUT_VERSION}. Use the newer build, or name another folder`,
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

it("R17: of layout 1 the places of subscribers are let go of, and all else is kept", async () => {
  const directory = temporaryDirectory();
  const first = await openRig({ directory });
  const kept = ["session", "question", "ended", "receipt"].map((kind) => [kind, "sess_1"] as const);
  const gone = ["point", "low", "return", "output"].flatMap((kind) => [
    [kind, "reader"] as const,
    [kind, "reader", "sess_1"] as const,
  ]);
  for (const key of [...kept, ...gone]) first.journal.durableState.put(key, () => key.join(" "));
  const { events, durable } = first.journal.append([newEvent("a"), newEvent("b")]);
  await durable;
  await first.journal.close();
  await withEnvironment(directory, ({ commit }) =>
    commit((writes) => {
      writes.put("meta", ["layout"], seal(1));
      writes.remove("meta", ["journal"]);
    }),
  );

  const { journal } = await openRig({ directory });
  expect(await journal.read((events[0]?.epoch ?? 0) - 1, 10)).toMatchObject({
    events: events.map(({ epoch, event }) => ({ epoch, event })),
  });
  for (const key of kept) expect([...journal.durableState.recovered([key[0]])]).toEqual([[key, key.join(" ")]]);
  for (const [kind] of gone) expect([...journal.durableState.recovered([kind])]).toEqual([]);
  expect(journal.id).toMatch(/^[0-9a-f]{32}$/);
  await journal.close();
  await withEnvironment(directory, async ({ tables }) => {
    expect(layoutOf(tables)).toBe(LAYOUT_VERSION);
    expect(tables.state.keys({})).toHaveLength(kept.length);
  });
});

it("of layout 2 the boots get their name of today, and keep their values", async () => {
  const directory = temporaryDirectory();
  const first = await openRig({ directory });
  const kept = [
    ["session", "sess_1"],
    ["fact", "sess_1", "call", 7],
    ["fact", "absorbed", "token", 1],
  ] as const;
  const renamed = [{ before: ["run", 4096], after: ["boot", 4096] }] as const;
  for (const key of [...kept, ...renamed.map(({ before }) => before)])
    first.journal.durableState.put(key, () => key.join(" "));
  await first.journal.append([newEvent("a")]).durable;
  await first.journal.close();
  await withEnvironment(directory, ({ commit }) => commit((writes) => writes.put("meta", ["layout"], seal(2))));

  const { journal } = await openRig({ directory });
  for (const key of kept) expect([...journal.durableState.recovered(key)]).toEqual([[key, key.join(" ")]]);
  for (const { before, after } of renamed) {
    expect([...journal.durableState.recovered(after)]).toEqual([[after, before.join(" ")]]);
    expect([...journal.durableState.recovered(before)]).toEqual([]);
  }
  await journal.close();
});

it("of layout 3 the ids and the suppressed events go, and what was published is known by its text", async () => {
  const directory = temporaryDirectory();
  const first = await openRig({ directory });
  first.journal.durableState.put(["fact", "sess_1", "suppressed", 3], () => "gone");
  first.journal.durableState.put(["fact", "sess_1", "call", 7], () => "kept");
  await first.journal.append([newEvent("a", {}, { sent: '{"as":"sent"}' })]).durable;
  await first.journal.close();
  await withEnvironment(directory, ({ commit }) => commit((writes) => writes.put("meta", ["layout"], seal(3))));
  const root = (await loadLmdb()).open({ path: join(directory, DATA_FILE), noSubdir: true, encoding: "binary" });
  const ids = root.openDB<Buffer, (string | number)[]>({ name: "ids", encoding: "binary" });
  for (let index = 0; index < 1000; index += 1) await ids.put([index, 1], Buffer.alloc(100));
  await root.close();

  const { journal } = await openRig({ directory });
  expect([...journal.durableState.recovered(["fact"])]).toEqual([[["fact", "sess_1", "call", 7], "kept"]]);
  expect(journal.find("evt_a")?.sent).toBe('{"as":"sent"}');
  await journal.close();
  const again = (await loadLmdb()).open({ path: join(directory, DATA_FILE), noSubdir: true, encoding: "binary" });
  expect([...again.getKeys()]).not.toContain("ids");
  await again.close();
});
