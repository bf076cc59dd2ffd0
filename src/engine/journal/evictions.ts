// The evicted events of each session, for reports of losses (R27). The last evicted event is enough, because entries are numbered within their
// session. The difference of ordinals bounds a session's loss. The epoch shows whether a client's place lies behind the last evicted event, so that a
// client that has everything is not informed of a loss (R27).
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch, Evicted } from "../event/event.js";
import { readDurable } from "./durable-entry.js";
import { NO_DURABLE_STATE } from "./no-durable-state.js";

export interface SessionLoss {
  readonly sessionId: string;
  /** Upper bound of the session's lost events. */
  readonly eventCount: number;
  /** Epoch of the last one. */
  readonly lastEpoch: Epoch;
}

export interface Evictions {
  /** Records an event that left the journal. */
  readonly evicted: (event: Evicted) => void;
  /** Sessions that lost events after an epoch. `given` returns the ordinal of the last event delivered, if known. */
  readonly since: (after: Epoch, given: (sessionId: string) => number | undefined) => readonly SessionLoss[];
  /**
   * Upper bound of the events of a session, among its first `totalCount`, that lie after an epoch: for subscriptions that cannot read from there
   * (R17).
   */
  readonly upTo: (sessionId: string, totalCount: number, after: Epoch) => number;
  readonly forget: (sessionId: string) => void;
  /** Number of sessions with evicted events. */
  readonly count: () => number;
  /** Reads the losses that the previous boot recorded, of known sessions. */
  readonly restore: (isKnown: (sessionId: string) => boolean, log: Pick<Log, "error">) => void;
}

type Last = Pick<Evicted, "epoch" | "ordinal">;

/** The last loss of each session is stored in `durableState`. */
export function createEvictions(durableState: DurableState = NO_DURABLE_STATE): Evictions {
  const lastOf = new Map<string, Last>();
  // Sessions whose last loss will be written with the next group.
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
