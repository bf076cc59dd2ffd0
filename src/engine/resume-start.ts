// How a subscription that comes back begins (R17, R27): with the journal after its last event, or with a summary and what was lost.
import type { Journal } from "../contracts/journal.js";
import type { AgentEvent, Epoch } from "./event.js";
import type { StreamStart } from "./member.js";
import type { ResumePoints } from "./resume-points.js";
import type { Sessions } from "./sessions.js";

/** The last event received, of all or of each session. */
export type ResumeAfter =
  | { readonly kind: "event"; readonly eventId: string }
  | { readonly kind: "sessions"; readonly eventIds: ReadonlyMap<string, string> };

export interface ResumeServices {
  readonly journal: Journal;
  readonly points: ResumePoints;
  readonly sessions: Pick<Sessions, "openIds" | "ended">;
  /** What was lost after an epoch, of the sessions named or of all. */
  readonly gapEvents: (after: Epoch, only?: ReadonlySet<string>) => readonly AgentEvent[];
}

export function resumeStart(
  subscriberId: string,
  resume: ResumeAfter | undefined,
  services: ResumeServices,
): StreamStart {
  if (resume === undefined) return { kind: "live", first: [] };
  return resume.kind === "event"
    ? afterEvent(subscriberId, resume.eventId, services)
    : afterSessions(subscriberId, resume.eventIds, services);
}

function afterEvent(subscriberId: string, eventId: string, services: ResumeServices): StreamStart {
  const { journal, points, gapEvents } = services;
  const after = points.after(subscriberId, eventId, undefined);
  if (after === undefined) return { kind: "live", first: [] };
  if (isAgedOut(after, journal)) return { kind: "live", first: gapEvents(after) };
  const point = { after, givenTo: after, textTo: after, positions: new Map() };
  return { kind: "resume", point, summarize: new Set() };
}

function afterSessions(
  subscriberId: string,
  eventIds: ReadonlyMap<string, string>,
  { journal, points, sessions, gapEvents }: ResumeServices,
): StreamStart {
  const head = journal.head();
  const named = new Map<string, Epoch>();
  const lost: AgentEvent[] = [];
  let lowest = head;
  for (const [sessionId, eventId] of eventIds) {
    const after = points.after(subscriberId, eventId, sessionId);
    if (after !== undefined && !isAgedOut(after, journal)) {
      named.set(sessionId, after);
      lowest = Math.min(lowest, after);
      continue;
    }
    lost.push(...gapEvents(after ?? -1, new Set([sessionId])));
    const ended = sessions.ended(sessionId);
    const isTold = ended !== undefined && lost.includes(ended.terminal.event);
    if (ended !== undefined && !isTold) lost.push(ended.terminal.event);
  }
  const summarize = new Set(sessions.openIds().filter((id) => !named.has(id)));
  const point = {
    after: lowest,
    givenTo: lowest,
    textTo: lowest,
    positions: new Map(),
    sessions: { named, others: head },
  };
  return { kind: "resume", point, summarize, first: lost };
}

/** Whether the journal no longer reaches back to what follows `after`. */
function isAgedOut(after: Epoch, journal: Journal): boolean {
  return after + 1 < journal.oldest() && after < journal.head();
}
