// A durable state without a disk.
import type { DurableState, StateKey } from "../../../src/contracts/journal.js";

/** Values that outlive the daemon, as JSON. */
export function createKeptState(): DurableState {
  const kept = new Map<string, readonly [StateKey, () => unknown]>();
  const isUnder = (key: StateKey, prefix: StateKey) => prefix.every((part, index) => key[index] === part);
  const sorted = (key: StateKey) => key.map((part) => (typeof part === "number" ? String(part).padStart(9) : part));
  return {
    isDurable: true,
    put: (key, value) => void kept.set(sorted(key).join(), [key, value]),
    recovered: (prefix) =>
      [...kept].sort().flatMap(([, [key, value]]) => {
        const read = isUnder(key, prefix) ? value() : undefined;
        return read === undefined ? [] : [[key, JSON.parse(JSON.stringify(read)) as unknown] as const];
      }),
  };
}
