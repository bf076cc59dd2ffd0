// The blocks that were used last, by the epochs in them, within a limit of bytes.
import type { Epoch } from "../../engine/event/event.js";
import type { BlockPlace } from "./block-store.js";

export interface HeldBlock {
  readonly loaded: BlockPlace & {
    /** Bytes of the record. */
    readonly length: number;
  };
}

export interface HeldBlocks<Block extends HeldBlock> {
  /** The block that holds `epoch`. It counts as used. */
  readonly with: (epoch: Epoch) => Block | undefined;
  /** Holds a block, and drops those used longest ago. The block itself stays, however long it is. */
  readonly hold: (block: Block) => void;
  /** Drops blocks below `oldest`. */
  readonly forgetBefore: (oldest: Epoch) => void;
}

export function createHeldBlocks<Block extends HeldBlock>(maxBytes: number): HeldBlocks<Block> {
  // The block used last comes last.
  const byFirst = new Map<Epoch, Block>();
  /** The keys of `byFirst`, ascending: a small block has one event, so there may be thousands. */
  const firsts: Epoch[] = [];
  let bytes = 0;

  /** How many blocks begin at `epoch` or below. */
  const countTo = (epoch: Epoch): number => {
    let low = 0;
    let high = firsts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((firsts[middle] ?? 0) <= epoch) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const drop = (first: Epoch, { loaded }: Block): void => {
    byFirst.delete(first);
    firsts.splice(countTo(first) - 1, 1);
    bytes -= loaded.length;
  };

  return {
    with: (epoch) => {
      const first = firsts[countTo(epoch) - 1];
      const block = first === undefined ? undefined : byFirst.get(first);
      if (first === undefined || block === undefined || epoch >= first + block.loaded.count) return undefined;
      byFirst.delete(first);
      byFirst.set(first, block);
      return block;
    },
    hold: (block) => {
      const { first, length } = block.loaded;
      const known = byFirst.get(first);
      if (known !== undefined) drop(first, known);
      byFirst.set(first, block);
      firsts.splice(countTo(first), 0, first);
      bytes += length;
      for (const [oldest, one] of byFirst) {
        if (bytes <= maxBytes || byFirst.size === 1) break;
        drop(oldest, one);
      }
    },
    forgetBefore: (oldest) => {
      for (const first of firsts.slice(0, countTo(oldest))) {
        const block = byFirst.get(first);
        if (block !== undefined && first + block.loaded.count <= oldest) drop(first, block);
      }
    },
  };
}
