// R29: a journal says which version its layout has.
import { join } from "node:path";
import { expect, it } from "vitest";
import { seal } from "../../../src/storage/checksums/sealed.js";
import { openJournalReader } from "../../../src/storage/journal-reader.js";
import { DATA_FILE } from "../../../src/storage/lmdb/data-file.js";
import { type Environment, loadLmdb, openEnvironment } from "../../../src/storage/lmdb/environment.js";
import { LAYOUT_VERSION } from "../../../src/storage/lmdb/meta.js";
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

it.each([LAYOUT_VERSION - 1, LAYOUT_VERSION + 1])(
  "another one, %i, is refused with what to do, and stays as it is",
  async (version) => {
    const directory = temporaryDirectory();
    const { journal } = await openRig({ directory });
    await journal.append([newEvent("a")]).durable;
    await journal.close();
    await withEnvironment(directory, ({ commit }) => commit((writes) => writes.put("meta", ["layout"], seal(version))));
    const sentence = expect.stringContaining(
      `has layout ${version}, and this build of aaepd knows layout ${LAYOUT_VERSION}. Use the build that wrote it, or name another folder`,
    );
    for (const opening of [openRig({ directory }), openJournalReader(directory)])
      await expect(opening).rejects.toMatchObject({ code: "storage_unavailable", sentence });
    await withEnvironment(directory, async ({ commit }) =>
      commit((writes) => writes.put("meta", ["layout"], seal(LAYOUT_VERSION))),
    );
    const again = await openRig({ directory });
    expect(again.journal.find("evt_a")).toBeDefined();
  },
);
