// The problems in the status: each with the subscription concerned, the time since when, and the remedy.
import type { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import type { EngineReport, SubscriptionReport } from "../../engine/engine-status.js";
import { advice, type Complaint, problem } from "../platform/finding.js";

export interface DaemonProblem extends Complaint {
  /** The subscription concerned, if the problem belongs to one. */
  readonly subscription_id?: string;
  readonly subscriber_id?: string;
  readonly since?: string;
}

/** Facts about the daemon that the engine does not know. */
export interface DaemonFacts {
  readonly version: string;
  readonly producerId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Time since the start by the monotonic clock: the wall clock may have been set meanwhile. */
  readonly uptimeMs: Millis;
  readonly endpoints: Readonly<Record<string, string | readonly string[]>>;
  /** Connections and streams under way, by transport. */
  readonly connections: ReadonlyMap<string, number>;
  /** Why the audit log takes nothing at present, or what it lacks; undefined if all is well. */
  readonly auditTrouble:
    | { readonly reason: string | undefined; readonly waitingCount: number; readonly leftOutCount: number }
    | undefined;
  /** Why new agents and listeners cannot find the daemon; undefined or missing if they can. */
  readonly lostPlace?: Fault | undefined;
  /** A2E hosts of the configuration that are not there, each with its last end. */
  readonly hostsDown: readonly { readonly name: string; readonly lastEnd: string }[];
}

/** Shorter blocks are normal flow control. */
const SLOW_AFTER_MS = 2000;
/** Slow subscribers listed one by one; the others are counted. */
const MOST_SLOW = 20;

/** Returns the problems, the gravest first. */
export function problemsOf(
  report: EngineReport,
  facts: Pick<DaemonFacts, "now" | "auditTrouble" | "hostsDown" | "lostPlace">,
): DaemonProblem[] {
  const problems: DaemonProblem[] = [];
  const { failure, disk } = report.journal;
  if (failure !== undefined) {
    const message = `The journal${disk === undefined ? "" : ` ${disk.path}`} cannot be written. ${failure.reason}`;
    const remedy = `${failure.remedy} Until then agents' events are refused; delivery goes on.`;
    problems.push(problem("journal_failing", message, remedy));
  }
  if (facts.lostPlace !== undefined) {
    const message = `New agents and listeners cannot find the daemon. ${facts.lostPlace.sentence}`;
    const remedy = "The daemon looks again each minute. Connections that stand go on.";
    problems.push(problem("place_lost", message, remedy));
  }
  const slow = report.subscriptions.filter(isSlow).sort((a, b) => b.lag.ms - a.lag.ms);
  for (const one of slow.slice(0, MOST_SLOW)) problems.push(slowProblem(one, report, facts.now));
  if (slow.length > MOST_SLOW) {
    const message = `${slow.length - MOST_SLOW} more subscribers take too slowly.`;
    problems.push(advice("slow_subscriber", message, "docs/slow-subscribers.md says what happens and what helps."));
  }
  const unanswerable = report.questions.filter(({ ableCount }) => ableCount === 0).length;
  if (unanswerable > 0) {
    const which = unanswerable === 1 ? "A question is" : `${unanswerable} questions are`;
    const remedy =
      "Start assistive technology that can, or answer with: aaepd tail --interactive. Else the default applies.";
    problems.push(advice("nobody_can_answer", `${which} open that no subscriber can answer.`, remedy));
  }
  if (facts.auditTrouble !== undefined) {
    const { reason, waitingCount, leftOutCount } = facts.auditTrouble;
    const what = reason === undefined ? "is slower than what it has to record" : `cannot be written (${reason})`;
    const message = `The audit log ${what}. Lines that wait: ${waitingCount}; left out: ${leftOutCount}.`;
    const remedy = "See that there is room and permission in its folder; docs/audit.md says where that is.";
    problems.push(problem("audit_failing", message, remedy));
  }
  for (const { name, lastEnd } of facts.hostsDown) {
    const message = `The A2E host ${name} is not there: it ${lastEnd}. The daemon starts it again.`;
    const remedy = "See its lines in the daemon's log, and run its command by hand (docs/a2e.md).";
    problems.push(advice("a2e_host_down", message, remedy));
  }
  return problems;
}

function isSlow({ behindSince, lag }: SubscriptionReport): boolean {
  return behindSince !== undefined || lag.ms >= SLOW_AFTER_MS;
}

function slowProblem(one: SubscriptionReport, { limits }: EngineReport, now: number): DaemonProblem {
  const { lag, behindSince, untakenCount } = one;
  const since = Math.min(behindSince ?? now, now - lag.ms);
  const facts: string[] = [];
  if (lag.ms > 0)
    facts.push(`it has taken nothing for ${Math.round(lag.ms / 1000)} s, in which ${counted(lag.eventCount)} came`);
  if (behindSince !== undefined) facts.push(`it reads from the journal and is ${counted(untakenCount)} behind`);
  return {
    grade: "advice",
    code: "slow_subscriber",
    message: `${one.subscriberId} takes too slowly: ${facts.join("; ")}.`,
    remedy:
      lag.ms > 0
        ? `See whether the program reads. After ${limits.lag.maxMs / 1000} s or ${counted(limits.lag.maxEvents)} without taking any it is closed, and can resume (docs/slow-subscribers.md).`
        : "Nothing is lost while the journal holds it. A lower rate, filters or coarser boundaries let it keep up (docs/slow-subscribers.md).",
    subscription_id: one.subscriptionId,
    subscriber_id: one.subscriberId,
    since: new Date(since).toISOString(),
  };
}

function counted(events: number): string {
  return `${events} event${events === 1 ? "" : "s"}`;
}
