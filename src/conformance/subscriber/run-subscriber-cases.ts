// Runs the cases for subscribers, one after the other, each with a subscriber that is started for it.
import { type CaseResult, type Verdict, verdictIn } from "../findings/finding.js";
import { noted } from "../wire/conversation.js";
import { patienceAdvice } from "../wire/first-contact.js";
import { listeningAt } from "../wire/open-links.js";
import type { SocketFraming } from "../wire/socket-links.js";
import { ANSWERING_CASES } from "./answering-cases.js";
import { HEARING_CASES } from "./hearing-cases.js";
import { NEGOTIATING_CASES } from "./negotiating-cases.js";
import {
  createSubscriberStage,
  deathWords,
  type SharedReply,
  type SubscriberCase,
  type SubscriberRun,
  type SubscriberStage,
} from "./stage.js";

/** All cases for subscribers, in the order of the report. */
export const SUBSCRIBER_CASES: readonly SubscriberCase[] = [...HEARING_CASES, ...ANSWERING_CASES, ...NEGOTIATING_CASES];

export interface SubscriberSuite extends SubscriberRun {
  /** Of a socket or a named pipe. Default: the subscriber's own, which its first message shows, and length-prefixed before. */
  readonly framing?: SocketFraming | undefined;
  /** Ids of cases; undefined: all of the level. */
  readonly chosen: readonly string[] | undefined;
  /** Called with each result as soon as it is there. */
  readonly told: (result: CaseResult) => void;
}

/** Throws a Fault if the suite cannot listen at the endpoint, or cannot start the subscriber. */
export async function runSubscriberCases(run: SubscriberSuite): Promise<readonly CaseResult[]> {
  const { endpoint, chosen, level, told } = run;
  const listen = await listeningAt(endpoint, run.framing);
  const results: CaseResult[] = [];
  const shared: SharedReply = { confirmed: undefined };
  const cases = SUBSCRIBER_CASES.filter(({ id, level: own }) =>
    chosen === undefined ? own <= level : chosen.includes(id),
  );
  const first = createSubscriberStage(run, listen, shared);
  // One clear finding where the subscriber does not come, or says nothing: every case is skipped with it.
  const reason = await first.reasonNotToRun().finally(() => first.clear());
  for (const one of cases) {
    const from = performance.now();
    const stage = createSubscriberStage(run, listen, shared);
    const verdict = reason === undefined ? await verdictOf(one, stage) : { kind: "skipped" as const, reason };
    const result = { about: one, verdict, durationMs: performance.now() - from };
    results.push(result);
    told(result);
  }
  return results;
}

async function verdictOf(one: SubscriberCase, stage: SubscriberStage): Promise<Verdict> {
  try {
    return told(await one.run(stage).then((): Verdict => ({ kind: "passed" }), verdictIn), stage);
  } finally {
    await stage.clear();
  }
}

/** Adds to a verdict what the case did not see: the subscriber's death, or its slowness. */
function told(verdict: Verdict, stage: SubscriberStage): Verdict {
  const death = stage.death();
  if (verdict.kind === "failed" && death !== undefined)
    return { ...verdict, evidence: [...verdict.evidence, noted("the subscriber", deathWords(death))] };
  if (verdict.kind !== "skipped") return verdict;
  const advice = stage.hasRunOut() ? patienceAdvice(stage.patienceMs) : undefined;
  const more = death === undefined ? advice : deathWords(death);
  return more === undefined || verdict.reason.includes(more)
    ? verdict
    : { ...verdict, reason: `${verdict.reason} ${more}` };
}
