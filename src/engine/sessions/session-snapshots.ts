// How open sessions stood at some moment, for those who are told of it later (R17, R34). Nothing is gathered at that moment: a session that changes
// afterwards is summed up once before it does, for all who may still ask how it stood.
import type { SessionSummary } from "./session-record.js";
import type { Sessions } from "./sessions.js";

/** The moment at which it was made. */
export interface SessionSnapshot {
  /** The sessions that were open, the oldest first. */
  readonly ids: readonly string[];
  /** How one of them stood. */
  readonly of: (sessionId: string) => SessionSummary | undefined;
  /** Nobody asks for it any more. To be called once. */
  readonly release: () => void;
}

export interface SessionSnapshots {
  readonly now: () => SessionSnapshot;
  /** To be told of an open session before anything of it changes; `summary` makes what is known of it by now. */
  readonly changing: (sessionId: string, summary: () => SessionSummary) => void;
  /** Summaries that are kept. */
  readonly keptCount: () => number;
}

/** How a session stood for all moments up to this one, and after the version before it. */
interface Version {
  readonly upTo: number;
  readonly summary: SessionSummary;
}

/** A session's versions are looked through for those that nobody needs whenever they are more than twice the moments and this. */
const FEW_VERSIONS = 4;

export function createSessionSnapshots(sessions: Pick<Sessions, "openIds" | "summary">): SessionSnapshots {
  // Moments that are asked for, in order.
  const moments = new Set<number>();
  const versions = new Map<string, Version[]>();
  let newest = 0;

  /** Both are in order, so one pass over both finds the versions that are the first at or after some moment. */
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
