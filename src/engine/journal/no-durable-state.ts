// The durable state of a journal in memory: none.
import type { DurableState } from "../../contracts/journal.js";

/** Stores nothing. `isDurable` is false, so callers can skip the work. */
export const NO_DURABLE_STATE: DurableState = {
  isDurable: false,
  put: () => {},
  removeAll: () => {},
  recovered: () => [],
};
