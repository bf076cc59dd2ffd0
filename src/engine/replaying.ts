// Plays a recording in place of agents: recorded events go to subscriptions unchanged. No question is opened and no session, because the order of
// events and the answers were settled when they were recorded.
import type { Clock } from "../contracts/clock.js";
import type { Journal } from "../contracts/journal.js";
import type { AgentEvent, NewEvent } from "./event/event.js";
import type { Hub } from "./hub/hub.js";

export interface ReplayServices {
  readonly clock: Pick<Clock, "now">;
  readonly journal: Pick<Journal, "append">;
  readonly hub: Pick<Hub, "deliver">;
}

export interface Replaying {
  /**
   * Journals recorded events and delivers them to all subscriptions, as received now. Ids, timestamps and bytes stay; epochs are those of this
   * journal.
   */
  readonly replay: (events: readonly NewEvent[]) => void;
  /** The newest event of a session that was played; undefined if none was. */
  readonly newest: (sessionId: string) => AgentEvent | undefined;
}

export function createReplaying({ clock, journal, hub }: ReplayServices): Replaying {
  // A recording has one session, or a few.
  const newest = new Map<string, AgentEvent>();
  return {
    replay: (events) => {
      const at = clock.now();
      for (const { event } of events) newest.set(event.session_id, event);
      hub.deliver(journal.append(events.map((event) => ({ ...event, at }))).events);
    },
    newest: (sessionId) => newest.get(sessionId),
  };
}
