// The state that a journal in memory keeps for the next run: none.
import type { KeptState } from "../../contracts/journal.js";

/** Keeps nothing, so that nobody works for it. */
export const NOTHING_KEPT: KeptState = { isKept: false, put: () => {}, removeAll: () => {}, recovered: () => [] };
