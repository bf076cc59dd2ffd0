// Which epochs were given out: each run of the daemon goes on far above the last one that is safe, so that there are holes between runs (R29).
import type { Journal } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch } from "../event/event.js";
import { readDurable } from "./durable-entry.js";

/** From one epoch to its neighbour, over the hole between two runs. Of what is not known, the number beside it. */
export interface EpochSteps {
  readonly previous: (epoch: Epoch) => Epoch;
  readonly next: (epoch: Epoch) => Epoch;
  /** How many were given out after one and up to another. */
  readonly count: (after: Epoch, to: Epoch) => number;
}

/** Those of a single run. */
export const ONE_BOOT: EpochSteps = {
  previous: (epoch) => epoch - 1,
  next: (epoch) => epoch + 1,
  count: (after, to) => to - after,
};

export interface EpochBoots extends EpochSteps {
  /** To be called after an append: the next run learns where this one ended. */
  readonly appended: () => void;
  /** Whether an epoch was given out and never became durable, for its run was killed before that (R17). */
  readonly isVoid: (epoch: Epoch) => boolean;
}

interface Boot {
  readonly first: Epoch;
  readonly last: Epoch;
}

/** Runs that are remembered: beyond, those who read back do so at the cost of a long way. */
const BOOTS_KEPT = 1024;

export function createEpochBoots(journal: Pick<Journal, "durableState" | "head">, log: Pick<Log, "error">): EpochBoots {
  const { durableState } = journal;
  const first = journal.head() + 1;
  // The runs that made something durable, and all the runs that are known to have begun.
  const before: Boot[] = [];
  const begun: Boot[] = [];
  let isOwed = false;
  readDurable(durableState, ["run"], log, (last, [, start]) => {
    if (typeof last !== "number" || typeof start !== "number" || start >= first) return;
    begun.push({ first: start, last });
    if (last >= start) before.push({ first: start, last });
  });
  for (const old of begun.splice(0, begun.length - BOOTS_KEPT)) durableState.put(["run", old.first], () => undefined);
  before.splice(0, before.length - BOOTS_KEPT);
  // That it began, whatever becomes of it.
  if (durableState.isDurable) durableState.put(["run", first], () => journal.head());

  /** Whether an epoch may be of a run that is not remembered any more; of one that is not known otherwise, nothing was ever durable. */
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
      if (after >= first || before.length === 0) return to - after;
      let count = Math.max(0, to - first + 1);
      for (const boot of before) count += Math.max(0, Math.min(boot.last, to) - Math.max(boot.first - 1, after));
      return count;
    },
    appended: () => {
      if (!durableState.isDurable || isOwed) return;
      isOwed = true;
      durableState.put(["run", first], () => {
        isOwed = false;
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
