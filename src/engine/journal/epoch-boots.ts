// The epochs of each boot. A boot begins far above the last durable epoch before it, so there are holes between boots (R29).
import type { Journal } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch } from "../event/event.js";
import { readDurable } from "./durable-entry.js";

/** Steps from an epoch to its neighbour, across the hole between two boots. For an unknown boot, the neighbour is the next number. */
export interface EpochSteps {
  readonly previous: (epoch: Epoch) => Epoch;
  readonly next: (epoch: Epoch) => Epoch;
  /** Number of epochs given out after `after` and up to `to`. */
  readonly count: (after: Epoch, to: Epoch) => number;
}

/** The steps within one boot. */
export const ONE_BOOT: EpochSteps = {
  previous: (epoch) => epoch - 1,
  next: (epoch) => epoch + 1,
  count: (after, to) => to - after,
};

export interface EpochBoots extends EpochSteps {
  /** Call it after an append, so that the next boot knows where this one ended. */
  readonly appended: () => void;
  /** Whether an epoch was given out and never became durable, because its boot was killed (R17). */
  readonly isVoid: (epoch: Epoch) => boolean;
}

interface Boot {
  readonly first: Epoch;
  readonly last: Epoch;
}

/** Most boots remembered. A reader that goes back beyond them steps through a hole number by number. */
const BOOTS_KEPT = 1024;

export function createEpochBoots(journal: Pick<Journal, "durableState" | "head">, log: Pick<Log, "error">): EpochBoots {
  const { durableState } = journal;
  const first = journal.head() + 1;
  // All boots that are known to have begun.
  const begun: Boot[] = [];
  let isPending = false;
  readDurable(durableState, ["boot"], log, (last, [, start]) => {
    if (typeof last !== "number" || typeof start !== "number" || start >= first) return;
    begun.push({ first: start, last });
  });
  for (const old of begun.splice(0, begun.length - BOOTS_KEPT)) durableState.put(["boot", old.first], () => undefined);
  // Those that made something durable.
  const before = begun.filter((boot) => boot.last >= boot.first);
  // The record of this boot, even if it never appends an event.
  if (durableState.isDurable) durableState.put(["boot", first], () => journal.head());

  /** Whether an epoch may belong to a forgotten boot. An unknown boot that is not forgotten made nothing durable. */
  const isForgotten = (epoch: Epoch): boolean =>
    !durableState.isDurable || (begun.length >= BOOTS_KEPT && epoch < (begun[0]?.first ?? first));

  return {
    previous: (epoch) => {
      const next = epoch - 1;
      if (next >= first) return next;
      const boot = before.findLast((one) => one.first <= next);
      return boot === undefined ? next : Math.min(next, boot.last);
    },
    next: (epoch) => {
      const next = epoch + 1;
      if (next >= first || isForgotten(next)) return next;
      const boot = before.findLast((one) => one.first <= next);
      if (boot !== undefined && next <= boot.last) return next;
      return before.find((one) => one.first > next)?.first ?? first;
    },
    count: (after, to) => {
      if (after >= first || (before.length === 0 && isForgotten(after + 1))) return to - after;
      let count = Math.max(0, to - first + 1);
      for (const boot of before) count += Math.max(0, Math.min(boot.last, to) - Math.max(boot.first - 1, after));
      return count;
    },
    appended: () => {
      if (!durableState.isDurable || isPending) return;
      isPending = true;
      durableState.put(["boot", first], () => {
        isPending = false;
        return journal.head();
      });
    },
    isVoid: (epoch) => {
      if (epoch >= first - 1 || isForgotten(epoch + 1)) return false;
      const boot = begun.findLast((one) => one.first <= epoch + 1);
      return boot === undefined || epoch > Math.max(boot.last, boot.first - 1);
    },
  };
}
