// Snapshots of the open sessions, for readers that ask later how a session stood at that moment (R17, R34). Taking a snapshot copies no session. A
// session that changes afterwards is first summarized, once for all snapshots that need this version.
import type { SessionSummary } from "./session-record.js";
import type { Sessions } from "./sessions.js";

/** One moment, and the sessions that were open then. */
interface SessionSnapshot {
  /** Ids of the sessions that were open, the oldest first. */
  readonly ids: readonly string[];
  /** How the session stood at the moment of the snapshot. */
  readonly of: (sessionId: string) => SessionSummary | undefined;
  /** Ends the snapshot, so that its summaries can be freed. Call it once. */
  readonly release: () => void;
}

export interface SessionSnapshots {
  readonly now: () => SessionSnapshot;
  /** Call it before an open session changes. `summary` describes the session before the change. */
  readonly changing: (sessionId: string, summary: () => SessionSummary) => void;
  /** Number of summaries held. */
  readonly keptCount: () => number;
}

/** The state of a session for every snapshot after the version before, up to `upTo`. */
interface Version {
  readonly upTo: number;
  readonly summary: SessionSummary;
}

/** Needless versions of a session are removed as soon as it has more than twice as many versions as there are snapshots, plus this number. */
const FEW_VERSIONS = 4;

export function createSessionSnapshots(sessions: Pick<Sessions, "openIds" | "summary">): SessionSnapshots {
  // Snapshots that are not released, in order.
  const moments = new Set<number>();
  const versions = new Map<string, Version[]>();
  let newest = 0;

  /** The versions that are the first at or after some snapshot. Versions and snapshots are both in order, so one pass finds them. */
  const withoutNeedless = (all: readonly Version[]): Version[] => {
    const needed: Version[] = [];
    let index = 0;
    for (const moment of moments) {
      while ((all[index]?.upTo ?? Number.POSITIVE_INFINITY) < moment) index += 1;
      const version = all[index];
      if (version === undefined) break;
      if (needed.at(-1) !== version) needed.push(version);
    }
    return needed;
  };

  const changing: SessionSnapshots["changing"] = (sessionId, summary) => {
    if (moments.size === 0) return;
    const known = versions.get(sessionId) ?? [];
    if (known.at(-1)?.upTo === newest) return;
    const all = [...known, { upTo: newest, summary: summary() }];
    versions.set(sessionId, all.length > 2 * moments.size + FEW_VERSIONS ? withoutNeedless(all) : all);
  };

  return {
    now: () => {
      newest += 1;
      const moment = newest;
      moments.add(moment);
      return {
        ids: sessions.openIds(),
        of: (sessionId) => {
          const version = versions.get(sessionId)?.find(({ upTo }) => upTo >= moment);
          return version === undefined ? sessions.summary(sessionId) : version.summary;
        },
        release: () => {
          moments.delete(moment);
          if (moments.size === 0) versions.clear();
        },
      };
    },
    changing,
    keptCount: () => {
      let count = 0;
      for (const all of versions.values()) count += all.length;
      return count;
    },
  };
}
