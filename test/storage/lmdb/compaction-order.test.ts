// A power cut during a compaction: the copy is on the disk before it takes the name of the data file, whatever the policy forces to the disk.
import type { renameSync } from "node:fs";
import type { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { openCompactable } from "../../../src/storage/lmdb/compactable.js";
import { loadLmdb } from "../../../src/storage/lmdb/environment.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const steps = vi.hoisted((): string[] => []);

vi.mock(import("node:fs"), async (original) => {
  const real = await original();
  const watched: typeof renameSync = (from, to) => {
    real.renameSync(from, to);
    steps.push(`rename ${basename(String(from))}`);
  };
  return { ...real, renameSync: watched };
});

vi.mock(import("node:fs/promises"), async (original) => {
  const real = await original();
  const watched: typeof open = async (path, ...rest) => {
    const file = await real.open(path, ...rest);
    const sync = file.sync.bind(file);
    file.sync = async () => {
      await sync();
      steps.push(`sync ${basename(String(path))}`);
    };
    return file;
  };
  return { ...real, open: watched };
});

it.each(["durable", "os", "none"] as const)(
  "%s: the copy is synced, then named, then the name is synced",
  async (policy) => {
    const path = join(temporaryDirectory(), "journal.mdb");
    const environment = openCompactable({ lmdb: await loadLmdb(), path, policy });
    await environment.commit((writes) => writes.put("blocks", [1, 1], Buffer.alloc(1000)));
    steps.length = 0;
    await environment.compact({ assertMayReplace: () => {}, replaced: () => steps.push("replaced") });
    await environment.close();
    expect(steps.slice(-5)).toEqual([
      "sync journal.mdb.compacting",
      "rename journal.mdb.compacting-lock",
      "rename journal.mdb.compacting",
      "replaced",
      `sync ${basename(dirname(path))}`,
    ]);
  },
);
