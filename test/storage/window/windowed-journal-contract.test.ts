import { journalContract } from "../../contract/journal-contract.js";
import { DAY_MS, MEBIBYTE, openOver, openRig } from "../../support/rigs/journal-rig.js";
import { createMemoryBlockStore } from "../../support/rigs/memory-block-store.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const small = { ageMs: DAY_MS, bytes: 4 * MEBIBYTE };

journalContract("a window over LMDB", {
  open: () => openRig({ directory: temporaryDirectory() }),
  openSmall: () => openRig({ directory: temporaryDirectory(), retention: small }),
  keepsState: true,
});

journalContract("a window over a store in memory that answers later", {
  open: () => openOver(createMemoryBlockStore()),
  openSmall: () => openOver(createMemoryBlockStore(), { retention: small }),
  keepsState: true,
});
