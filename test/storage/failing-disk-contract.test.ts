import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createJournalRing } from "../../src/engine/journal/journal-ring.js";
import { createDiskJournal } from "../../src/storage/disk-journal.js";
import { loadLmdb, openEnvironment } from "../../src/storage/lmdb/environment.js";
import { failingJournalContract } from "../contract/failing-journal-contract.js";
import { collectLog } from "../support/collected-log.js";
import { createKeptDisk } from "../support/rigs/durable-ring.js";
import { DAY_MS, MEBIBYTE } from "../support/rigs/journal-rig.js";
import { told } from "../support/rigs/restart-rig.js";
import { createVirtualClock } from "../support/rigs/virtual-clock.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

failingJournalContract("blocks on disk", async () => {
  const clock = createVirtualClock();
  const path = join(temporaryDirectory(), "data.mdb");
  const environment = openEnvironment({ lmdb: await loadLmdb(), path, policy: "durable" });
  let isFailing = false;
  // Refused ones among them.
  let attemptCount = 0;
  const journal = createDiskJournal({
    environment: {
      ...environment,
      commit: async (work) => {
        try {
          if (isFailing) throw new Error("EIO");
          await environment.commit(work);
        } finally {
          attemptCount += 1;
        }
      },
    },
    path,
    id: "d".repeat(32),
    policy: "durable",
    clock,
    log: collectLog(),
    totals: { eventCount: 0, bytes: 0, head: 0, lostThrough: 0 },
    firstEpoch: 1,
    retention: { ageMs: 7 * DAY_MS, bytes: 512 * MEBIBYTE },
    createWindow: createJournalRing,
    window: { maxEvents: 1024 },
    evicted: () => undefined,
  });
  return {
    journal,
    setFailing: (next) => {
      isFailing = next;
    },
    attempt: async () => {
      const before = attemptCount;
      while (attemptCount === before || (journal.status().failure === undefined) === isFailing) {
        // It is tried again once a second.
        clock.advance(1000);
        await nextTurn();
      }
    },
  };
});

failingJournalContract("the ring whose disk is a test's", async () => {
  const disk = createKeptDisk();
  const journal = disk.open(() => undefined, createVirtualClock());
  return {
    journal,
    setFailing: disk.setFailing,
    attempt: async () => {
      journal.flush();
      await told();
    },
  };
});
