// What subscribers named when they came back, and from where they were read to: whoever names the same again has received nothing since, however
// much was sent, and though the event was sent again in between, or published again after a kill, at another place (R17).
import type { KeptState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch } from "../event/event.js";
import { readKept } from "../journal/kept-entry.js";

export interface NamedReturns {
  /** A subscriber that named `eventId` is read to from the epoch after `after`. Kept for the next run. */
  readonly note: (subscriberId: string, eventId: string, after: Epoch) => void;
  /** The lowest epoch after which it was read to when it named that event before; undefined where that is not known. */
  readonly after: (subscriberId: string, eventId: string) => Epoch | undefined;
  /** Takes over what the run before knew. */
  readonly restore: () => void;
}

/** Subscribers that are remembered; the one that came back longest ago goes first. */
const SUBSCRIBERS_KEPT = 1000;
/** Events that are remembered of each: one for each session that it names, and of others who call themselves the same. */
const EVENTS_KEPT = 256;

export function createNamedReturns(kept: KeptState, log: Pick<Log, "error">): NamedReturns {
  const returns = new Map<string, Map<string, Epoch>>();

  const keep = (subscriberId: string): void => {
    if (!kept.isKept) return;
    kept.put(["return", subscriberId], () => {
      const named = returns.get(subscriberId);
      return named && [subscriberId, ...[...named].flat()];
    });
  };

  const makeRoom = (): void => {
    for (const subscriberId of returns.keys()) {
      if (returns.size <= SUBSCRIBERS_KEPT) return;
      returns.delete(subscriberId);
      keep(subscriberId);
    }
  };

  return {
    note: (subscriberId, eventId, after) => {
      const named = returns.get(subscriberId) ?? new Map<string, Epoch>();
      // Moved to the end, both: they are in the order in which they were last named.
      returns.delete(subscriberId);
      returns.set(subscriberId, named);
      const lowest = Math.min(after, named.get(eventId) ?? after);
      named.delete(eventId);
      named.set(eventId, lowest);
      for (const oldest of named.keys()) {
        if (named.size <= EVENTS_KEPT) break;
        named.delete(oldest);
      }
      keep(subscriberId);
      makeRoom();
    },
    after: (subscriberId, eventId) => returns.get(subscriberId)?.get(eventId),
    restore: () =>
      readKept(kept, ["return"], log, (value) => {
        const [subscriberId, ...all] = value as readonly (string | number)[];
        const named = new Map<string, Epoch>();
        for (let index = 0; index + 1 < all.length; index += 2) named.set(String(all[index]), Number(all[index + 1]));
        returns.set(String(subscriberId), named);
      }),
  };
}
