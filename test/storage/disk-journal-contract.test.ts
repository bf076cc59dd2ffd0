import { journalContract } from "../contract/journal-contract.js";
import { DAY_MS, MEBIBYTE, openRig } from "../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

journalContract("blocks on disk", {
  open: () => openRig({ directory: temporaryDirectory() }),
  openSmall: () => openRig({ directory: temporaryDirectory(), retention: { ageMs: DAY_MS, bytes: 4 * MEBIBYTE } }),
  keepsState: true,
});
