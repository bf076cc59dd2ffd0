// A recording in place of agents: what was journaled once goes to subscriptions again, as it stands. Nothing is asked of anybody, and no session is
// opened: what agents may say, and who has to answer, was settled when it was recorded.
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
  /** Journals recorded events and hands them to all subscriptions, received now: ids, instants and bytes stay, epochs are those of this journal. */
  readonly replay: (events: readonly NewEvent[]) => void;
  /** The newest event of a session that was played; undefined where none was. */
  readonly newest: (sessionId: string) => AgentEvent | undefined;
}

export function createReplaying({ clock, journal, hub }: ReplayServices): Replaying {
  // A recording is of one session, or of a few.
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
