import { createJournalRing, type JournalRingOptions } from "../../../src/engine/journal/journal-ring.js";
import { journalContract } from "../../contract/journal-contract.js";

const open = async (options: Partial<JournalRingOptions> = {}) => ({
  journal: createJournalRing({ id: "c".repeat(32), firstEpoch: 1000, ...options }),
});

journalContract("the ring in memory", { open, openSmall: () => open({ maxEvents: 1024 }), keepsState: false });
