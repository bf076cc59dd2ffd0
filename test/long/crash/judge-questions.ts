// Questions end once, and everybody is told the same (AAEP ch. 6, R29, H1, H3, H8).
import type { Counts } from "./judge.js";
import type { AskedQuestion, Recording } from "./record.js";

export function judgeQuestions(recording: Recording, counts: Counts, faults: string[]): void {
  const audited = new Map<string, string[]>();
  for (const { token, outcome } of recording.audited) audited.set(token, [...(audited.get(token) ?? []), outcome]);
  const told = resolutionsHeard(recording);
  const lost = new Set(recording.sessions.flatMap(({ id, lost: why }) => (why === undefined ? [] : [id])));
  for (const question of recording.questions) {
    counts.asked += 1;
    const { token, eventId, reports, countedReplies } = question;
    const inAudit = audited.get(token) ?? [];
    const heard = told.get(eventId) ?? new Map<string, string>();
    // The audit log is written before an outcome is safe: a kill may take it back before anybody was told, and its last word is what counts.
    counts.takenBack += Math.max(0, inAudit.length - 1);
    const said = new Set([...reports.map(({ outcome }) => outcome), ...inAudit.slice(-1)]);
    const resolutions = new Set([...heard.values(), ...[...said].map(resolutionOf)]);
    if (said.size > 0 || heard.size > 0) counts.resolved += 1;
    else if (!lost.has(question.sessionId)) faults.push(`${token} was asked and has no outcome`);
    if (said.size > 1 || heard.size > 1 || resolutions.size > 1) {
      counts.resolvedTwice += 1;
      faults.push(`${token} was resolved more than once: ${JSON.stringify({ reports, inAudit, heard: [...heard] })}`);
    }
    if (said.size > 0 && inAudit.length === 0) counts.missingInAudit += 1;
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

/** H1: it can be answered after the kill, with the token that it had before. */
function judgeAfterKill({ openAtKills }: AskedQuestion, said: ReadonlySet<string>, counts: Counts): void {
  if (openAtKills === 0) return;
  counts.openAtKills += 1;
  if ([...said].some((outcome) => (JSON.parse(outcome) as unknown[])[2] === "reply")) counts.repliedAfterKill += 1;
}

/** Of each question's event the resolutions that were heard; one, where all were told the same under the same id. */
function resolutionsHeard({ listeners }: Recording): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const told = new Map<string, Map<string, string>>();
  for (const { heard } of listeners) {
    for (const { id, question, resolution } of heard) {
      if (question === undefined || resolution === undefined) continue;
      const ofOne = told.get(question) ?? new Map<string, string>();
      told.set(question, ofOne.set(`${id}: ${resolution}`, resolution));
    }
  }
  return told;
}

const DECIDED_BY: Readonly<Record<string, string>> = {
  reply: "reply",
  timeout: "timeout",
  no_subscriber: "nobody_to_ask",
  subscription_ended: "nobody_left",
  cancelled: "agent",
};

/** An agent's outcome in the words in which listeners are told. */
export function resolutionOf(outcome: string): string {
  const [decision, response, by] = JSON.parse(outcome) as [string | null, unknown, string, string | null];
  const decided = DECIDED_BY[by] ?? by;
  if (by === "cancelled") return `cancelled by ${decided}`;
  if (decision !== null) return `${decision === "accept" ? "accepted" : "rejected"} by ${decided}`;
  return `${by === "reply" && response !== null ? "answered" : "unanswered"} by ${decided}`;
}
