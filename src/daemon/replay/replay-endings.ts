// Decides which listeners learn that a replay has ended. A client that is sent away may return at once with its last place. Such a client is sent
// away again only if it received something new, and once for the same return, so that no client returns for ever.
import type { SubscribeSpec } from "../../engine/subscribe-spec.js";

export interface Ending {
  /** Whether a listener that received everything is told the end of the recording. `hasHeardNews`: some of it was new to the listener. */
  readonly isDue: (hasHeardNews: boolean) => boolean;
  /** Reports that the listener was told. */
  readonly note: () => void;
}

export interface Endings {
  readonly of: (spec: Pick<SubscribeSpec, "subscriberId" | "resumeAfter">) => Ending;
}

const MOST_REMEMBERED = 1024;

export function createEndings(): Endings {
  // In the order in which the ends were told.
  const told = new Set<string>();

  return {
    of: ({ subscriberId, resumeAfter }) => {
      const key = keyOf(subscriberId, resumeAfter);
      return {
        isDue: (hasHeardNews) => {
          const isFirst = !told.has(key);
          // A listener from the beginning may hear the recording, and its end, repeatedly. Events out of order can make a returning place its own
          // successor.
          return resumeAfter === undefined ? hasHeardNews || isFirst : hasHeardNews && isFirst;
        },
        note: () => {
          told.delete(key);
          told.add(key);
          const [oldest] = told;
          if (told.size > MOST_REMEMBERED && oldest !== undefined) told.delete(oldest);
        },
      };
    },
  };
}

function keyOf(subscriberId: string, resumeAfter: SubscribeSpec["resumeAfter"]): string {
  return JSON.stringify(resumeAfter === undefined ? [subscriberId] : [subscriberId, resumeAfter]);
}
