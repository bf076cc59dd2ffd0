// How a subscription begins that comes back with a cursor (R17, R27): with what the journal holds after it, or with sums and what was lost.
import type { Journal } from "../../contracts/journal.js";
import type { CatchUpPoint } from "../catch-up/catch-up-point.js";
import type { GapEvents, LateGaps } from "../catch-up/gap-events.js";
import { type DeliveredText, readCursor } from "../event/cursor.js";
import type { Epoch } from "../event/event.js";
import type { EpochBoots } from "../journal/epoch-boots.js";
import { pointAfter } from "./joining.js";

/**
 * How the place was met that a subscription named. "all": what the journal holds after it follows. "rolled_back": what was delivered there was never
 * kept; the same follows, and each open session is summed up. "gap": it has aged out. "unknown": it is of another journal, or none.
 */
export type Resumed = "all" | "rolled_back" | "gap" | "unknown";

/** A place that a subscription has reached, or named. */
export interface NamedPlace {
  readonly cursor: string;
  readonly after: Epoch;
}

/** How a subscription begins: with live events, or with the journal's events after a point (R17). `named`: its place until it has another. */
export type SubscriptionStart =
  | {
      readonly kind: "live";
      /** Told before anything else: events that can no longer be given, and what they led to (R17, R27). */
      readonly late: LateGaps | undefined;
      readonly named: NamedPlace | undefined;
      readonly outputs: ReadonlyMap<string, DeliveredText>;
    }
  | {
      readonly kind: "resume";
      readonly point: CatchUpPoint;
      /** Outputs of which more was given than up to the point, by their digests. */
      readonly outputs: ReadonlyMap<string, DeliveredText>;
      /** The open sessions that are summed up. */
      readonly summarize: ReadonlySet<string>;
      readonly named: NamedPlace;
    };

export interface ResumeServices {
  readonly journal: Pick<Journal, "id" | "head" | "oldest">;
  readonly boots: Pick<EpochBoots, "next" | "isVoid">;
  readonly openIds: () => readonly string[];
  readonly lateGaps: GapEvents["lateGaps"];
}

export interface ResumeStart {
  readonly start: SubscriptionStart;
  /** Undefined for a newcomer. */
  readonly resumed: Resumed | undefined;
}

const NO_OUTPUTS: ReadonlyMap<string, DeliveredText> = new Map();

/** `cursor`: what the subscription named; undefined for a newcomer. */
export function resumeStart(cursor: string | undefined, services: ResumeServices): ResumeStart {
  if (cursor === undefined)
    return { start: { kind: "live", late: undefined, named: undefined, outputs: NO_OUTPUTS }, resumed: undefined };
  const { journal, boots, openIds, lateGaps } = services;
  const place = readCursor(cursor);
  if (place === undefined || place.journalId !== journal.id || place.after > journal.head())
    return {
      start: { kind: "live", late: lateGaps(undefined), named: undefined, outputs: NO_OUTPUTS },
      resumed: "unknown",
    };
  const { after } = place;
  const isKept =
    !boots.isVoid(after) && [...place.outputs.values()].every(({ to, epoch }) => to === "end" || !boots.isVoid(epoch));
  // Where the place is void, so is how far text had gone there.
  const outputs = isKept ? place.outputs : NO_OUTPUTS;
  if (boots.next(after) < journal.oldest() && after < journal.head())
    return { start: { kind: "live", late: lateGaps(after), named: { cursor, after }, outputs }, resumed: "gap" };
  const summarize = new Set(isKept ? [] : openIds());
  return {
    start: { kind: "resume", point: pointAfter(after), outputs, summarize, named: { cursor, after } },
    resumed: isKept ? "all" : "rolled_back",
  };
}
