import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Journal } from "../../../src/contracts/journal.js";
import type { BlockStore } from "../../../src/storage/blocks/block-store.js";
import { openDataFile } from "../../../src/storage/lmdb/open-data-file.js";
import { createLmdbBlockStore } from "../../../src/storage/lmdb-block-store.js";
import { type FailingJournal, failingJournalContract } from "../../contract/failing-journal-contract.js";
import { collectLog } from "../../support/collected-log.js";
import { createKeptDisk } from "../../support/rigs/durable-ring.js";
import { openOver } from "../../support/rigs/journal-rig.js";
import { createMemoryBlockStore } from "../../support/rigs/memory-block-store.js";
import { told } from "../../support/rigs/restart-rig.js";
import { createVirtualClock, type VirtualClock } from "../../support/rigs/virtual-clock.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

interface CountedWrites {
  readonly setFailing: (isFailing: boolean) => void;
  /** Writes that ended, refused ones among them. */
  readonly writeCount: () => number;
}

function underTest(journal: Journal, clock: VirtualClock, { setFailing, writeCount }: CountedWrites): FailingJournal {
  let isFailing = false;
  return {
    journal,
    setFailing: (next) => {
      isFailing = next;
      setFailing(next);
    },
    attempt: async () => {
      const before = writeCount();
      const isAsExpected = (): boolean => (journal.status().failure !== undefined) === isFailing;
      const isRefused = isFailing && isAsExpected();
      for (let turn = 0; isRefused ? turn < 3 : writeCount() === before || !isAsExpected(); turn += 1) {
        // It is tried again once a second.
        clock.advance(1000);
        await nextTurn();
      }
    },
  };
}

failingJournalContract("a window over LMDB", async () => {
  const clock = createVirtualClock();
  const directory = temporaryDirectory();
  const path = join(directory, "journal.mdb");
  const log = collectLog();
  const file = await openDataFile({ directory, path, policy: "durable", wallTime: clock.wallTime, log });
  const store = createLmdbBlockStore(file, path);
  let isFailing = false;
  let writeCount = 0;
  const failing: BlockStore = {
    ...store,
    write: async (batch) => {
      try {
        if (isFailing) throw new Error("EIO");
        return await store.write(batch);
      } finally {
        writeCount += 1;
      }
    },
  };
  const { journal } = await openOver(failing, { clock, closeStore: file.close });
  return underTest(journal, clock, {
    setFailing: (next) => {
      isFailing = next;
    },
    writeCount: () => writeCount,
  });
});

failingJournalContract("a window over a store in memory that answers later", async () => {
  const clock = createVirtualClock();
  const store = createMemoryBlockStore();
  const { journal } = await openOver(store, { clock });
  return underTest(journal, clock, store);
});

failingJournalContract("the ring whose disk is a test's", async () => {
  const disk = createKeptDisk();
  const journal = disk.open(createVirtualClock());
  return {
    journal,
    setFailing: disk.setFailing,
    attempt: async () => {
      journal.flush();
      await told();
    },
  };
});
