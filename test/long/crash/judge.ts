// Whether a run with kills kept its promises (R3, R17, R27, R29). Knows nothing of the daemon's ways: only what was said and heard.
import { judgeListening } from "./judge-listening.js";
import { judgeQuestions } from "./judge-questions.js";
import type { Recording, Sent, SentSession } from "./record.js";

export interface Counts {
  events: number;
  acknowledged: number;
  delivered: number;
  /** Repeats that their listeners knew as such. */
  repeated: number;
  lost: number;
  reordered: number;
  /** Repeats that nobody can know as such. */
  duplicated: number;
  /** What nobody published. */
  invented: number;
  gaps: number;
  /** Of listeners with a rate: progress and states that later ones replaced (R11). */
  superseded: number;
  /** Sessions that a listener did not name when it came back, from before (R17). */
  unnamed: number;
  /** What is not owed of such a session and came all the same, after what is. */
  toldAfterAll: number;
  /** Events whose acknowledgement a kill swallowed after somebody had heard them: their order in that run is anybody's. */
  ambiguous: number;
  sessions: number;
  sessionsAbandoned: number;
  sessionsLostToGrace: number;
  /** Ends for want of an agent that was there (R8b). */
  falselyLost: number;
  asked: number;
  resolved: number;
  resolvedTwice: number;
  /** Lines of the audit log of which a kill left open whether they were written, and which were written again as they were. */
  auditedAgain: number;
  openAtKills: number;
  repliedAfterKill: number;
  /** Outcomes, and replies that decided them, that the audit log does not have. */
  missingInAudit: number;
  forgotten: number;
}

export interface Verdict {
  readonly counts: Counts;
  /** In sentences, as many as there are. */
  readonly faults: readonly string[];
}

export function judge(recording: Recording): Verdict {
  const faults: string[] = [...recording.accidents];
  const counts: Counts = {
    events: 0,
    acknowledged: 0,
    delivered: 0,
    repeated: 0,
    lost: 0,
    reordered: 0,
    duplicated: 0,
    invented: 0,
    gaps: 0,
    superseded: 0,
    unnamed: 0,
    toldAfterAll: 0,
    ambiguous: 0,
    sessions: recording.sessions.length,
    sessionsAbandoned: 0,
    sessionsLostToGrace: 0,
    falselyLost: 0,
    asked: 0,
    resolved: 0,
    resolvedTwice: 0,
    auditedAgain: 0,
    openAtKills: 0,
    repliedAfterKill: 0,
    missingInAudit: 0,
    forgotten: 0,
  };
  judgeAcknowledgements(recording.sessions, counts, faults);
  for (const listener of recording.listeners) judgeListening(recording, listener, counts, faults);
  judgeLostAgents(recording, counts, faults);
  judgeQuestions(recording, counts, faults);
  return { counts, faults };
}

/** Nobody is told of a lost agent that was not lost, however the daemon ended (R8b). */
function judgeLostAgents({ sessions, listeners }: Recording, counts: Counts, faults: string[]): void {
  const kept = new Set(sessions.filter(({ lost }) => lost === undefined).map(({ id }) => id));
  for (const { name, heard } of listeners) {
    for (const { sessionId, tellsLostAgent } of heard) {
      if (tellsLostAgent !== true || !kept.has(sessionId)) continue;
      counts.falselyLost += 1;
      faults.push(`${name} was told that the agent of ${sessionId} was lost, and it was there`);
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
