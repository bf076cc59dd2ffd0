// A recording in place of agents: what was journaled once goes to subscriptions again, as it stands. Nothing is asked of anybody, and no session is
// opened: what agents may say, and who has to answer, was settled when it was recorded.
import type { Clock } from "../contracts/clock.js";
import type { NewEvent } from "./event.js";
import type { Hub } from "./hub.js";
import type { ResumePoints } from "./resume-points.js";

export interface ReplayServices {
  readonly clock: Pick<Clock, "now">;
  readonly hub: Pick<Hub, "append">;
  readonly points: Pick<ResumePoints, "published">;
}

/** Journals recorded events and hands them to all subscriptions, received now: ids, instants and bytes stay, epochs are those of this journal. */
export function createReplay({ clock, hub, points }: ReplayServices): (events: readonly NewEvent[]) => void {
  return (events) => {
    const at = clock.now();
    for (const entry of hub.append(events.map((event) => ({ ...event, at }))).events) points.published(entry);
  };
}
