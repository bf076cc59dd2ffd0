// Whom a replay tells that it has ended. A client that is sent away may come back at once with the last place it was told: it is sent away again only
// for what it had not heard, and for the same return once. So nobody comes and goes for ever.
import type { SubscribeSpec } from "../../engine/subscribe-spec.js";

export interface Ending {
  /** Of a listener that was given all there is: whether it is told that the recording has ended. `hasHeardNews`: some of it was new to it. */
  readonly isDue: (hasHeardNews: boolean) => boolean;
  /** It was told. */
  readonly note: () => void;
}

export interface Endings {
  readonly of: (spec: Pick<SubscribeSpec, "subscriberId" | "resumeAfter">) => Ending;
}

const MOST_REMEMBERED = 1024;

export function createEndings(): Endings {
  // In the order in which they were told.
  const told = new Set<string>();

  return {
    of: ({ subscriberId, resumeAfter }) => {
      const key = keyOf(subscriberId, resumeAfter);
      return {
        isDue: (hasHeardNews) => {
          const isFirst = !told.has(key);
          // From the beginning it is told as often as it hears it: it may want to. What came out of order can make a return its own successor.
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
