// How much of each session the journal has let go of, so that what is owed and lost can be told (R27). The last event that went is enough: entries
// are numbered within their session.
import type { KeptState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch, Evicted } from "../event/event.js";
import { readKept } from "./kept-entry.js";
import { NOTHING_KEPT } from "./nothing-kept.js";

export interface SessionLoss {
  readonly sessionId: string;
  /** At most so many events of the session are gone. */
  readonly eventCount: number;
  /** The last of them. */
  readonly lastEpoch: Epoch;
}

export interface Losses {
  /** An event has left the journal. */
  readonly evicted: (event: Evicted) => void;
  /** Sessions that lost events after an epoch; `given` is the ordinal of the last event given, where that is known. */
  readonly since: (after: Epoch, given: (sessionId: string) => number | undefined) => readonly SessionLoss[];
  /** At most how many of a session's first `totalCount` events stand after an epoch: for those that are not read to from there any more (R17). */
  readonly upTo: (sessionId: string, totalCount: number, after: Epoch) => number;
  readonly forget: (sessionId: string) => void;
  /** Sessions of which something is gone. */
  readonly count: () => number;
  /** Takes over what the run before had lost of sessions that are known. */
  readonly restore: (isKnown: (sessionId: string) => boolean, log: Pick<Log, "error">) => void;
}

type Last = Pick<Evicted, "epoch" | "ordinal">;

/** The last loss of each session is kept for the next run in `kept`. */
export function createLosses(kept: KeptState = NOTHING_KEPT): Losses {
  const lastOf = new Map<string, Last>();
  // Sessions whose last loss is to be kept already.
  const owed = new Set<string>();

  const owe = (sessionId: string): void => {
    if (!kept.isKept || owed.has(sessionId)) return;
    owed.add(sessionId);
    kept.put(["lost", sessionId], () => {
      owed.delete(sessionId);
      const last = lastOf.get(sessionId);
      return last && { sessionId, ...last };
    });
  };

  return {
    evicted: ({ sessionId, epoch, ordinal }) => {
      lastOf.set(sessionId, { epoch, ordinal });
      owe(sessionId);
    },
    since: (after, given) => {
      const found: SessionLoss[] = [];
      for (const [sessionId, { epoch, ordinal }] of lastOf) {
        const eventCount = epoch <= after ? 0 : ordinal - (given(sessionId) ?? 0);
        if (eventCount > 0) found.push({ sessionId, eventCount, lastEpoch: epoch });
      }
      return found;
    },
    upTo: (sessionId, totalCount, after) => {
      const last = lastOf.get(sessionId);
      return last !== undefined && last.epoch <= after ? totalCount - last.ordinal : totalCount;
    },
    forget: (sessionId) => {
      if (lastOf.delete(sessionId)) owe(sessionId);
    },
    count: () => lastOf.size,
    restore: (isKnown, log) => {
      readKept(kept, ["lost"], log, (value) => {
        const { sessionId, epoch, ordinal } = value as Last & { readonly sessionId: string };
        if (isKnown(sessionId)) lastOf.set(sessionId, { epoch, ordinal });
        else kept.put(["lost", sessionId], () => undefined);
      });
    },
  };
}
