// What the daemon said for itself to single subscriptions, and what stands in no journal: sums, gaps and notices for those who come late (R6, R17,
// R27). The newest of all subscriptions together are kept, so that they can be said again (R28). Equal terms get equal events, which are kept once.
import type { AgentEvent } from "../event/event.js";
import type { Spokesman } from "./spokesman.js";

/** Most events kept, whatever the number of subscriptions. */
export const SAID_KEPT_COUNT = 1024;

export interface SaidEvents {
  readonly find: (eventId: string) => AgentEvent | undefined;
  /** The same spokesman; what it says to single subscriptions is kept. */
  readonly listeningTo: (spokesman: Spokesman) => Spokesman;
}

export function createSaidEvents(): SaidEvents {
  const said = new Map<string, AgentEvent>();

  const keep = (event: AgentEvent): AgentEvent => {
    const known = said.get(event.event_id);
    said.delete(event.event_id);
    said.set(event.event_id, known ?? event);
    if (said.size > SAID_KEPT_COUNT)
      for (const oldest of said.keys()) {
        said.delete(oldest);
        break;
      }
    return event;
  };

  return {
    find: (eventId) => said.get(eventId),
    listeningTo: (spokesman) => ({
      ...spokesman,
      summary: (session, terms, at) => keep(spokesman.summary(session, terms, at)),
      lateNotice: (question, session, terms, at) => keep(spokesman.lateNotice(question, session, terms, at)),
      gap: (session, terms, at, lost) => keep(spokesman.gap(session, terms, at, lost)),
      gapOfEnded: (terminal, terms, at, lost) => keep(spokesman.gapOfEnded(terminal, terms, at, lost)),
    }),
  };
}
