// How a subscription that comes back begins (R17, R27): with the journal after its last event, or with a summary and what was lost.
import type { Journal } from "../../contracts/journal.js";
import type { Epoch } from "../event/event.js";
import type { StreamStart } from "../hub/member-spec.js";
import type { EpochSteps } from "../journal/epoch-runs.js";
import type { Sayings } from "../notices/sayings.js";
import type { Sessions } from "../sessions/sessions.js";
import type { ResumePoints } from "./resume-points.js";

/** The last event received, of all or of each session. */
export type ResumeAfter =
  | { readonly kind: "event"; readonly eventId: string }
  | { readonly kind: "sessions"; readonly eventIds: ReadonlyMap<string, string> };

export interface ResumeServices {
  readonly journal: Journal;
  readonly steps: EpochSteps;
  readonly points: Pick<ResumePoints, "after" | "knows">;
  /** Told from where it will be read to for an event that it named; for one that is not remembered, nobody needs to know. */
  readonly returned: ResumePoints["returned"];
  readonly sessions: Pick<Sessions, "openIds">;
  /** Whether the journal has let go of anything of a session that is not forgotten. */
  readonly hasLost: () => boolean;
  /**
   * What was lost after an epoch, of all sessions or of each in a map after one of its own, and how those that are over ended. Whoever names one of
   * the gaps, and nothing more is known after a kill, is read to from `namedAfter`: the others need not have arrived.
   */
  readonly gapEvents: (after: Epoch | ReadonlyMap<string, Epoch>, namedAfter: Epoch) => Sayings;
}

export function resumeStart(
  subscriberId: string,
  resume: ResumeAfter | undefined,
  services: ResumeServices,
): StreamStart {
  if (resume === undefined) return { kind: "live", first: undefined, owedFrom: services.journal.head() + 1 };
  return resume.kind === "event"
    ? afterEvent(subscriberId, resume.eventId, services)
    : afterSessions(subscriberId, resume.eventIds, services);
}

function afterEvent(subscriberId: string, eventId: string, services: ResumeServices): StreamStart {
  const { journal, steps, points, sessions, gapEvents } = services;
  const allOpen = (): ReadonlyMap<string, Epoch> => new Map(sessions.openIds().map((id) => [id, -1]));
  const after = points.after(subscriberId, eventId, undefined);
  // An id that the journal let go of is told from none: what followed it may be gone, though reading begins where this subscriber was last (R27).
  const isDoubtful = services.hasLost() && !points.knows(subscriberId, eventId);
  // Of an id that nobody knows any more, all that the open sessions told may be missing.
  if (after === undefined) return { kind: "live", first: gapEvents(allOpen(), -1), owedFrom: 0 };
  services.returned(subscriberId, eventId, after);
  if (isAgedOut(after, journal, steps)) return { kind: "live", first: gapEvents(after, after), owedFrom: after + 1 };
  const point = { after, givenTo: after, textTo: after, positions: new Map() };
  const first = isDoubtful ? gapEvents(allOpen(), after) : undefined;
  return { kind: "resume", point, summarize: new Set(), first, owedFrom: isDoubtful ? 0 : after + 1 };
}

function afterSessions(
  subscriberId: string,
  eventIds: ReadonlyMap<string, string>,
  { journal, steps, points, sessions, gapEvents, hasLost, returned }: ResumeServices,
): StreamStart {
  const open = new Set(sessions.openIds());
  const head = journal.head();
  const named = new Map<string, Epoch>();
  const lost = new Map<string, Epoch>();
  let lowest = head;
  let owedFrom = head + 1;
  for (const [sessionId, eventId] of eventIds) {
    const after = points.after(subscriberId, eventId, sessionId);
    if (after !== undefined) returned(subscriberId, eventId, after);
    if (after !== undefined && !isAgedOut(after, journal, steps)) {
      named.set(sessionId, after);
      lowest = Math.min(lowest, after);
      if (!hasLost() || !open.has(sessionId) || points.knows(subscriberId, eventId)) continue;
      // As with a single id: reading begins where this subscriber was last, and something before that may be gone.
      owedFrom = 0;
      lost.set(sessionId, -1);
      continue;
    }
    owedFrom = Math.min(owedFrom, (after ?? -1) + 1);
    lost.set(sessionId, after ?? -1);
  }
  const summarize = new Set([...open].filter((id) => !named.has(id)));
  const point = {
    after: lowest,
    givenTo: lowest,
    textTo: lowest,
    positions: new Map(),
    sessions: { named, others: head },
  };
  return { kind: "resume", point, summarize, first: lost.size === 0 ? undefined : gapEvents(lost, lowest), owedFrom };
}

/** Whether the journal no longer reaches back to what follows `after`. */
function isAgedOut(after: Epoch, journal: Journal, steps: EpochSteps): boolean {
  return steps.next(after) < journal.oldest() && after < journal.head();
}
