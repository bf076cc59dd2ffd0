// How much of each session the journal has let go of, so that what is owed and lost can be told (R27).
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
  /**
   * At most how many of a session's first `totalCount` events stand after an epoch, where all that the journal still has do: for those who
   * come back too late to be read to (R17).
   */
  readonly upTo: (sessionId: string, totalCount: number, after: Epoch) => number;
  readonly forget: (sessionId: string) => void;
  /** Sessions of which something is gone. */
  readonly count: () => number;
  /** Takes over what the run before had lost of sessions that are known. */
  readonly restore: (isKnown: (sessionId: string) => boolean, log: Pick<Log, "error">) => void;
}

interface Checkpoint {
  readonly epoch: Epoch;
  readonly ordinal: number;
}

interface Trail {
  last: Checkpoint;
  /** Some of the events that are gone, ascending: counts between them are rounded up. */
  checkpoints: Checkpoint[];
  step: number;
}

const FIRST_STEP_COUNT = 16;
const CHECKPOINTS_KEPT = 256;

/** The last loss of each session is kept for the next run in `kept`. */
export function createLosses(kept: KeptState = NOTHING_KEPT): Losses {
  const trails = new Map<string, Trail>();
  // Sessions whose last loss is to be kept already.
  const owed = new Set<string>();

  const owe = (sessionId: string): void => {
    if (!kept.isKept || owed.has(sessionId)) return;
    owed.add(sessionId);
    kept.put(["lost", sessionId], () => {
      owed.delete(sessionId);
      const trail = trails.get(sessionId);
      return trail && { sessionId, ...trail.last };
    });
  };

  const mark = (trail: Trail, at: Checkpoint): void => {
    trail.checkpoints.push(at);
    if (trail.checkpoints.length < CHECKPOINTS_KEPT) return;
    trail.checkpoints = trail.checkpoints.filter((_, index) => index % 2 === 0);
    trail.step *= 2;
  };

  return {
    evicted: ({ sessionId, epoch, ordinal }) => {
      const at = { epoch, ordinal };
      owe(sessionId);
      const trail = trails.get(sessionId);
      if (trail === undefined) {
        trails.set(sessionId, { last: at, checkpoints: [at], step: FIRST_STEP_COUNT });
        return;
      }
      trail.last = at;
      if (ordinal % trail.step === 0) mark(trail, at);
    },
    since: (after, given) => {
      const found: SessionLoss[] = [];
      for (const [sessionId, { last, checkpoints }] of trails) {
        if (last.epoch <= after) continue;
        const before = checkpoints.findLast(({ epoch }) => epoch <= after)?.ordinal ?? 0;
        const eventCount = last.ordinal - Math.max(before, given(sessionId) ?? 0);
        if (eventCount > 0) found.push({ sessionId, eventCount, lastEpoch: last.epoch });
      }
      return found;
    },
    upTo: (sessionId, totalCount, after) => {
      const trail = trails.get(sessionId);
      if (trail === undefined) return totalCount;
      if (trail.last.epoch <= after) return totalCount - trail.last.ordinal;
      return totalCount - (trail.checkpoints.findLast(({ epoch }) => epoch <= after)?.ordinal ?? 0);
    },
    forget: (sessionId) => {
      if (trails.delete(sessionId)) owe(sessionId);
    },
    count: () => trails.size,
    restore: (isKnown, log) => {
      readKept(kept, ["lost"], log, (value) => {
        const { sessionId, epoch, ordinal } = value as Checkpoint & { readonly sessionId: string };
        const last = { epoch, ordinal };
        if (!isKnown(sessionId)) return kept.put(["lost", sessionId], () => undefined);
        trails.set(sessionId, { last, checkpoints: [last], step: FIRST_STEP_COUNT });
      });
    },
  };
}
