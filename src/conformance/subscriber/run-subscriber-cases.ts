// Runs the cases for subscribers, one after the other, each with a subscriber that is started for it.
import type { Timers } from "../../client/platform-clock.js";
import type { Millis } from "../../contracts/clock.js";
import type { CaseDescription, CaseResult, Level, Verdict } from "../findings/finding.js";
import { verdictIn } from "../findings/verdicts.js";
import type { Endpoint } from "../wire/endpoint.js";
import { listeningAt } from "../wire/listen-for-links.js";
import { ANSWERING_CASES } from "./answering-cases.js";
import { HEARING_CASES } from "./hearing-cases.js";
import { NEGOTIATING_CASES } from "./negotiating-cases.js";
import type { ScriptServices } from "./script.js";
import { createSubscriberStage } from "./stage.js";
import type { SubscriberCase } from "./subscriber-case.js";
import type { SubscriberHooks } from "./tested-subscriber.js";

/** All cases for subscribers, in the order of the report. */
export const SUBSCRIBER_CASES: readonly SubscriberCase[] = [...HEARING_CASES, ...ANSWERING_CASES, ...NEGOTIATING_CASES];

export interface SubscriberRun extends ScriptServices {
  /** Where the suite listens. */
  readonly endpoint: Endpoint;
  readonly hooks: SubscriberHooks;
  readonly timers: Timers;
  readonly level: Level;
  /** Ids of cases; undefined: all of the level. */
  readonly chosen: readonly string[] | undefined;
  /** How long something that must come may take, ms. A subscriber may start slowly. */
  readonly patienceMs: Millis;
  /** Called with each result as soon as it is there. */
  readonly told: (result: CaseResult) => void;
}

/** Throws a Fault "usage" if the suite can listen at no such endpoint. */
export async function runSubscriberCases(run: SubscriberRun): Promise<readonly CaseResult[]> {
  const { endpoint, chosen, level, timers, told } = run;
  const listen = await listeningAt(endpoint);
  const results: CaseResult[] = [];
  for (const one of SUBSCRIBER_CASES) {
    if (chosen === undefined ? one.level > level : !chosen.includes(one.id)) continue;
    const from = timers.now();
    const stage = createSubscriberStage({ ...run, listen });
    const verdict = await one
      .run(stage)
      .then((): Verdict => ({ kind: "passed" }), verdictIn)
      .finally(() => stage.clear());
    const result = { about: describeSubscriberCase(one), verdict, durationMs: timers.now() - from };
    results.push(result);
    told(result);
  }
  return results;
}

/** A case as reports and tables name it. */
export function describeSubscriberCase({ id, title, paragraphs, level, severity }: SubscriberCase): CaseDescription {
  return { id, title, paragraphs, role: "subscriber", level, severity };
}
