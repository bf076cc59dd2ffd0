// Whether a run with kills kept its promises (R3, R17, R27, R29). Knows nothing of the daemon's ways: only what was said, what was heard, and what
// each was told that it has.
import { judgeListening } from "./judge-listening.js";
import { judgeQuestions } from "./judge-questions.js";
import type { Recording, Sent, SentSession } from "./record.js";

/** What is counted. */
const NOTHING = {
  events: 0,
  acknowledged: 0,
  delivered: 0,
  /** Repeats that no cursor covered. */
  repeated: 0,
  /** Cursors that were told. */
  places: 0,
  lost: 0,
  reordered: 0,
  /** Repeats that nobody can know as such. */
  duplicated: 0,
  /** What nobody published. */
  invented: 0,
  /** Losses that were declared where nothing was lost, or a second time. */
  gaps: 0,
  /** What came again although a cursor covered it. */
  again: 0,
  /** What came for the first time after a cursor had covered it. */
  ranAhead: 0,
  /** Cursors of one subscription that fell. */
  fell: 0,
  /** What came again because no cursor covered it in time. */
  stale: 0,
  /** Places behind which something was said to be missing, and was not. */
  misjudged: 0,
  /** Sessions that were summed up although nothing was missing. */
  summed: 0,
  /** Sessions and questions that a listener believes open and that are over, or the other way round. */
  ghosts: 0,
  /** Of listeners with a rate: progress and states that later ones replaced (R11). */
  superseded: 0,
  /** Events whose acknowledgement a kill swallowed after somebody had heard them: their order in that run is anybody's. */
  ambiguous: 0,
  sessions: 0,
  sessionsAbandoned: 0,
  sessionsLostToGrace: 0,
  /** Ends for want of an agent that was there (R8b). */
  falselyLost: 0,
  asked: 0,
  resolved: 0,
  resolvedTwice: 0,
  /** Lines of the audit log of which a kill left open whether they were written, and which were written again as they were. */
  auditedAgain: 0,
  openAtKills: 0,
  repliedAfterKill: 0,
  /** Outcomes, and replies that decided them, that the audit log does not have. */
  missingInAudit: 0,
  forgotten: 0,
};
export type Counts = typeof NOTHING & {
  /** How places that were named were met; "undefined" of newcomers. */
  readonly resumed: Record<string, number>;
};

type FaultCount =
  | "lost"
  | "reordered"
  | "duplicated"
  | "invented"
  | "again"
  | "ranAhead"
  | "fell"
  | "stale"
  | "misjudged"
  | "summed"
  | "ghosts";

export type Fault = (count: FaultCount, what: string) => void;

/** One listener's coming back, and what it heard again then. */
export interface Return {
  readonly listener: string;
  /** How the connection before ended: with the daemon, or by itself. */
  readonly cause: "kill" | "restart" | "break";
  readonly run: number;
  readonly resumed: string | undefined;
  characters: number;
  events: number;
}

export interface Verdict {
  readonly counts: Counts;
  readonly returns: readonly Return[];
  /** In sentences, as many as there are. */
  readonly faults: readonly string[];
}

export function judge(recording: Recording): Verdict {
  const faults: string[] = [...recording.accidents];
  const returns: Return[] = [];
  const counts: Counts = { ...NOTHING, sessions: recording.sessions.length, resumed: {} };
  judgeAcknowledgements(recording.sessions, counts, faults);
  for (const listener of recording.listeners) judgeListening(recording, listener, counts, faults, returns);
  judgeLostAgents(recording, counts, faults);
  judgeQuestions(recording, counts, faults);
  return { counts, returns, faults };
}

/** Nobody is told of a lost agent that was not lost, however the daemon ended (R8b). */
function judgeLostAgents({ sessions, listeners }: Recording, counts: Counts, faults: string[]): void {
  const kept = new Set(sessions.filter(({ lost }) => lost === undefined).map(({ id }) => id));
  for (const { name, log } of listeners) {
    for (const entry of log) {
      if (entry.kind !== "event" || entry.tellsLostAgent !== true || !kept.has(entry.sessionId)) continue;
      counts.falselyLost += 1;
      faults.push(`${name} was told that the agent of ${entry.sessionId} was lost, and it was there`);
    }
  }
}

/** Epochs are never reused, a repeat gets its first answer, and an agent's events follow each other (R3, R29). */
function judgeAcknowledgements(sessions: readonly SentSession[], counts: Counts, faults: string[]): void {
  const byEpoch = new Map<number, Sent>();
  for (const { id, events, lost } of sessions) {
    if (lost === "abandoned") counts.sessionsAbandoned += 1;
    if (lost === "grace") counts.sessionsLostToGrace += 1;
    let last = 0;
    for (const event of events) {
      counts.events += 1;
      const { epoch } = event;
      if (epoch === undefined) continue;
      counts.acknowledged += 1;
      const other = byEpoch.get(epoch);
      if (other !== undefined) faults.push(`epoch ${epoch} was given to ${other.id} and to ${event.id}`);
      byEpoch.set(epoch, event);
      if (epoch <= last) {
        counts.reordered += 1;
        faults.push(`${event.id} of ${id} was acknowledged as ${epoch}, not after ${last}`);
      }
      last = epoch;
      if (event.otherEpochs.length > 0) {
        counts.duplicated += 1;
        faults.push(`${event.id} was acknowledged as ${epoch} and then as ${event.otherEpochs.join(", ")}`);
      }
    }
  }
}
