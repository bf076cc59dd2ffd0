// How much of each session the journal has let go of, so that what is owed and lost can be told (R27). The last event that went is enough: entries
// are numbered within their session.
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch, Evicted } from "../event/event.js";
import { readDurable } from "./durable-entry.js";
import { NO_DURABLE_STATE } from "./no-durable-state.js";

export interface SessionLoss {
  readonly sessionId: string;
  /** At most so many events of the session are gone. */
  readonly eventCount: number;
  /** The last of them. */
  readonly lastEpoch: Epoch;
}

export interface Evictions {
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
export function createEvictions(durableState: DurableState = NO_DURABLE_STATE): Evictions {
  const lastOf = new Map<string, Last>();
  // Sessions whose last loss is to be kept already.
  const pendingSessions = new Set<string>();

  const addPending = (sessionId: string): void => {
    if (!durableState.isDurable || pendingSessions.has(sessionId)) return;
    pendingSessions.add(sessionId);
    durableState.put(["lost", sessionId], () => {
      pendingSessions.delete(sessionId);
      const last = lastOf.get(sessionId);
      return last && { sessionId, ...last };
    });
  };

  return {
    evicted: ({ sessionId, epoch, ordinal }) => {
      lastOf.set(sessionId, { epoch, ordinal });
      addPending(sessionId);
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
      if (lastOf.delete(sessionId)) addPending(sessionId);
    },
    count: () => lastOf.size,
    restore: (isKnown, log) => {
      readDurable(durableState, ["lost"], log, (value) => {
        const { sessionId, epoch, ordinal } = value as Last & { readonly sessionId: string };
        if (isKnown(sessionId)) lastOf.set(sessionId, { epoch, ordinal });
        else durableState.put(["lost", sessionId], () => undefined);
      });
    },
  };
}
