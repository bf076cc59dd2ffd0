// The state that a journal in memory keeps for the next run: none.
import type { DurableState } from "../../contracts/journal.js";

/** Keeps nothing, so that nobody works for it. */
export const NO_DURABLE_STATE: DurableState = {
  isDurable: false,
  put: () => {},
  removeAll: () => {},
  recovered: () => [],
};
