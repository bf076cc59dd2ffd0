import type { Evicted } from "../../../src/engine/event/event.js";
import { createJournalRing, type JournalRingOptions } from "../../../src/engine/journal/journal-ring.js";
import { journalContract } from "../../contract/journal-contract.js";

const open = async (options: Partial<JournalRingOptions> = {}) => {
  const evicted: Evicted[] = [];
  const journal = createJournalRing({
    id: "c".repeat(32),
    firstEpoch: 1000,
    ...options,
    evicted: (event) => void evicted.push(event),
  });
  return { journal, evicted };
};

journalContract("the ring in memory", { open, openSmall: () => open({ maxEvents: 1024 }), keepsState: false });
