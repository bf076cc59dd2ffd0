// Questions end once as their agents are told, and everybody is told that (AAEP ch. 6, R29).
import type { Counts } from "./judge.js";
import type { AskedQuestion, AuditedLine, Recording } from "./record.js";

export function judgeQuestions(recording: Recording, counts: Counts, faults: string[]): void {
  const audited = new Map<string, AuditedLine[]>();
  for (const line of recording.audited) audited.set(line.token, [...(audited.get(line.token) ?? []), line]);
  const told = resolutionsHeard(recording);
  const lost = new Set(recording.sessions.flatMap(({ id, lost: why }) => (why === undefined ? [] : [id])));
  for (const question of recording.questions) {
    counts.asked += 1;
    const { token, eventId, reports, countedReplies } = question;
    const lines = audited.get(token) ?? [];
    const inAudit = lines.flatMap(({ kind, outcome }) => (kind === "outcome" ? [outcome] : []));
    const heard = told.get(eventId) ?? new Map<string, string>();
    const said = new Set([...reports.map(({ outcome }) => outcome), ...inAudit]);
    // What the agent is told stands, and is what is heard (R29).
    const [toldToAgent] = said;
    const isOtherwise =
      toldToAgent !== undefined && [...heard.values()].some((resolution) => resolution !== resolutionOf(toldToAgent));
    if (said.size > 0 || heard.size > 0) counts.resolved += 1;
    else if (!lost.has(question.sessionId)) faults.push(`${token} was asked and has no outcome`);
    if (said.size > 1 || heard.size > 1 || isOtherwise) {
      counts.resolvedTwice += 1;
      faults.push(`${token} was resolved more than once: ${JSON.stringify({ reports, inAudit, heard: [...heard] })}`);
    }
    judgeAudit(token, lines, said.size + heard.size > 0, counts, faults);
    for (const counted of countedReplies)
      if (!said.has(counted))
        faults.push(`a reply to ${token} counted (${counted}), and the outcome is ${[...said].join(", ")}`);
    if (question.forgotten > 0) {
      counts.forgotten += 1;
      faults.push(`${token} was acknowledged, and not known any more ${question.forgotten} times`);
    }
    judgeAfterKill(question, said, counts);
  }
}

/** What the log says of an end is true, whole, and the same wherever it says it twice (AAEP §10 T3). */
function judgeAudit(
  token: string,
  lines: readonly AuditedLine[],
  isResolved: boolean,
  counts: Counts,
  faults: string[],
): void {
  const different = new Map(lines.map((one) => [one.line, one]));
  counts.auditedAgain += lines.length - different.size;
  const outcomes = [...different.values()].filter(({ kind }) => kind === "outcome");
  const counted = [...different.values()].filter(({ kind }) => kind === "counted");
  const [outcome] = outcomes;
  if (outcome === undefined) {
    if (!isResolved && counted.length === 0) return;
    counts.missingInAudit += 1;
    faults.push(`the audit log has no outcome of ${token}`);
    return;
  }
  if (outcomes.length > 1) faults.push(`the audit log has ${outcomes.length} outcomes of ${token}`);
  const isByReply = resolvedBy(outcome.outcome) === "reply";
  if (isByReply && counted.length === 0) {
    counts.missingInAudit += 1;
    faults.push(`the audit log has no reply that decided ${token}`);
  }
  const wrong = counted.filter((one) => !isByReply || one.outcome !== outcome.outcome);
  if (counted.length > 1 || wrong.length > 0) {
    const replies = counted.map((one) => one.outcome).join(" and ");
    faults.push(`the audit log has as counted for ${token} ${replies}, and as its outcome ${outcome.outcome}`);
  }
}

function resolvedBy(outcome: string): unknown {
  return (JSON.parse(outcome) as unknown[])[2];
}

/** H1: it can be answered after the kill, with the token that it had before. */
function judgeAfterKill({ openAtKills }: AskedQuestion, said: ReadonlySet<string>, counts: Counts): void {
  if (openAtKills === 0) return;
  counts.openAtKills += 1;
  if ([...said].some((outcome) => resolvedBy(outcome) === "reply")) counts.repliedAfterKill += 1;
}

/** Of each question's event the resolutions that were heard; one, where all were told the same under the same id. */
function resolutionsHeard(recording: Recording): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const told = new Map<string, Map<string, Told>>();
  for (const { log } of recording.listeners) {
    let run = 0;
    for (const entry of log) {
      if (entry.kind === "joined") run = entry.run;
      if (entry.kind !== "event" || entry.question === undefined || entry.resolution === undefined) continue;
      const { id, question, resolution } = entry;
      const ofOne = told.get(question) ?? new Map<string, Told>();
      told.set(question, ofOne);
      const key = `${id}: ${resolution}`;
      const one = ofOne.get(key) ?? { resolution, first: run, last: run };
      ofOne.set(key, { resolution, first: Math.min(one.first, run), last: Math.max(one.last, run) });
    }
  }
  return new Map([...told].map(([question, ofOne]) => [question, withoutVoid(ofOne, recording.ends)]));
}

interface Told {
  readonly resolution: string;
  /** Runs in which it was heard. */
  readonly first: number;
  readonly last: number;
}

/** A kill may take back what ended a question, after somebody was told of it: it is asked again, and then all are told how it ends (R29). */
function withoutVoid(told: ReadonlyMap<string, Told>, ends: Recording["ends"]): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  const all = [...told];
  for (const [id, one] of all) {
    const isVoid = one.first === one.last && all.some(([, { first }]) => first > one.last);
    if (!isVoid || ends[one.last] !== "kill") kept.set(id, one.resolution);
  }
  return kept;
}

const DECIDED_BY: Readonly<Record<string, string>> = {
  reply: "reply",
  timeout: "timeout",
  no_subscriber: "nobody_to_ask",
  subscription_ended: "nobody_left",
  cancelled: "agent",
};

/** An agent's outcome in the words in which listeners are told. */
function resolutionOf(outcome: string): string {
  const [decision, response, by] = JSON.parse(outcome) as [string | null, unknown, string, string | null];
  const decided = DECIDED_BY[by] ?? by;
  if (by === "cancelled") return `cancelled by ${decided}`;
  if (decision !== null) return `${decision === "accept" ? "accepted" : "rejected"} by ${decided}`;
  return `${by === "reply" && response !== null ? "answered" : "unanswered"} by ${decided}`;
}
