// LMDB by itself: puts in order, a batch at a time, each on the disk before the next begins.
import { open } from "lmdb";
import { createEventTexts } from "../events.mjs";
import { serveRole } from "../role.mjs";

let database;
let isSynced = true;
let next = 0;

serveRole({
  /** `policy` as the daemon's: "durable" waits for the disk, "os" for the operating system. */
  open: ({ folder, policy }) => {
    isSynced = policy === "durable";
    database = open({ path: folder, encoding: "binary", noSync: !isSynced });
  },
  /** Returns events a second. */
  put: async ({ count, batch }) => {
    const texts = createEventTexts();
    const begin = performance.now();
    for (const end = next + count; next < end; ) {
      const size = Math.min(batch, end - next);
      for (let index = 0; index < size; index += 1)
        void database.put(next + index, Buffer.from(texts.chunk(next + index)));
      next += size;
      await (isSynced ? database.flushed : database.committed);
    }
    const perSecond = (count * 1000) / (performance.now() - begin);
    if (database.getCount() !== next) throw new Error(`${database.getCount()} of ${next} events are there.`);
    return perSecond;
  },
});
