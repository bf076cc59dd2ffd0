// The start of a subscription that resumes with a cursor (R17, R27): the journal's events after it, or losses and summaries.
import type { Journal } from "../../contracts/journal.js";
import type { CatchUpPoint } from "../catch-up/catch-up-point.js";
import type { GapEvents, LateGaps } from "../catch-up/gap-events.js";
import { type DeliveredText, readCursor } from "../event/cursor.js";
import type { Epoch } from "../event/event.js";
import type { EpochBoots } from "../journal/epoch-boots.js";
import { pointAfter } from "./joining.js";

/**
 * The daemon's answer to a cursor. "all": the journal's events after it follow. "rolled_back": events delivered before it never became durable; the
 * same events follow, and each open session is summarized. "gap": events after it have aged out. "unknown": the cursor belongs to another journal, or
 * is none.
 */
export type Resumed = "all" | "rolled_back" | "gap" | "unknown";

/** A place that a subscription has reached, or named. */
interface NamedPlace {
  readonly cursor: string;
  readonly after: Epoch;
}

/** The start of a subscription: live, or with the journal's events after a point (R17). `named` is its place until it reaches another. */
export type SubscriptionStart =
  | {
      readonly kind: "live";
      /** Delivered first: losses, and the ends of sessions since (R17, R27). */
      readonly late: LateGaps | undefined;
      readonly named: NamedPlace | undefined;
      readonly outputs: ReadonlyMap<string, DeliveredText>;
    }
  | {
      readonly kind: "resume";
      readonly point: CatchUpPoint;
      /** Outputs, by digest, of which more text was delivered than up to the point. */
      readonly outputs: ReadonlyMap<string, DeliveredText>;
      /** The open sessions that are summarized. */
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
  /** Undefined for a new subscription. */
  readonly resumed: Resumed | undefined;
}

const NO_OUTPUTS: ReadonlyMap<string, DeliveredText> = new Map();

/** `cursor` is the place that the subscription named; undefined for a new subscription. */
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
  // If the place is void, so are the text positions of its cursor.
  const outputs = isKept ? place.outputs : NO_OUTPUTS;
  if (boots.next(after) < journal.oldest() && after < journal.head())
    return { start: { kind: "live", late: lateGaps(after), named: { cursor, after }, outputs }, resumed: "gap" };
  const summarize = new Set(isKept ? [] : openIds());
  return {
    start: { kind: "resume", point: pointAfter(after), outputs, summarize, named: { cursor, after } },
    resumed: isKept ? "all" : "rolled_back",
  };
}
