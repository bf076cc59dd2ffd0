// A block store in memory, whose contents outlive each journal in front of it.
import type {
  Batch,
  BlockStore,
  RawBlock,
  Recovered,
  StateRecordKey,
} from "../../../src/storage/blocks/block-store.js";
import type { Totals } from "../../../src/storage/blocks/totals.js";

export interface MemoryBlockStore extends BlockStore {
  /** While it fails, `write` rejects and writes nothing, and `recover` answers "failing". */
  readonly setFailing: (isFailing: boolean) => void;
  /** While it is cut off, nothing can be read either. */
  readonly setCutOff: (isCutOff: boolean) => void;
  /** Writes that ended, rejected ones among them. */
  readonly writeCount: () => number;
  readonly blocks: () => readonly RawBlock[];
}

/** Of each boot. */
const EPOCHS_BETWEEN_BOOTS = 2 ** 32;

const FAILURE = { reason: "The store takes nothing.", remedy: "Let it." };

function isUnder(key: StateRecordKey, prefix: StateRecordKey): boolean {
  return prefix.every((part, index) => key[index] === part);
}

function compareKeys(a: StateRecordKey, b: StateRecordKey): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (one === other) continue;
    if (typeof one === typeof other) return one < other ? -1 : 1;
    return typeof one === "number" ? -1 : 1;
  }
  return a.length - b.length;
}

export function createMemoryBlockStore(): MemoryBlockStore {
  let blocks: readonly RawBlock[] = [];
  const state = new Map<string, readonly [StateRecordKey, Buffer]>();
  let totals: Totals = { eventCount: 0, bytes: 0, head: 0, lostThrough: 0 };
  let firstEpoch = 1;
  let isFailing = false;
  let isCutOff = false;
  let writeCount = 0;

  const recovered = (): Recovered => ({
    kind: "ready",
    id: "b".repeat(32),
    totals,
    firstEpoch,
    state: (prefix) =>
      [...state.values()].filter(([key]) => isUnder(key, prefix)).sort(([a], [b]) => compareKeys(a, b)),
  });

  const apply = ({ blocks: added, removed, state: puts, totals: after }: Batch): void => {
    const gone = new Set(removed.map(({ first }) => first));
    blocks = [...blocks.filter(({ first }) => !gone.has(first)), ...added];
    for (const [key, value] of puts) {
      if (value === undefined) state.delete(JSON.stringify(key));
      else state.set(JSON.stringify(key), [key, value]);
    }
    totals = after;
  };

  return {
    recover: async () => {
      if (isFailing || isCutOff) return { kind: "failing", failure: FAILURE };
      return recovered();
    },
    write: async (batch) => {
      await Promise.resolve();
      writeCount += 1;
      if (isFailing || isCutOff) throw new Error(FAILURE.reason);
      apply(batch);
      firstEpoch = Math.max(firstEpoch, batch.totals.head + EPOCHS_BETWEEN_BOOTS);
    },
    readBlock: (epoch) =>
      isCutOff ? "unreadable" : (blocks.find(({ first, count }) => first + count > epoch) ?? "none"),
    failure: () => (isCutOff ? FAILURE : undefined),
    setFailing: (next) => {
      isFailing = next;
    },
    setCutOff: (next) => {
      isCutOff = next;
    },
    writeCount: () => writeCount,
    blocks: () => blocks,
  };
}
