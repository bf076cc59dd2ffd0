// Runs the cases for producers: the active cases one after the other, then the watching cases over everything that came.
import type { Timers } from "../../client/platform-clock.js";
import type { Millis } from "../../contracts/clock.js";
import type { Driver } from "../drive/driver.js";
import type { ScenarioName } from "../drive/scenarios.js";
import type { CaseResult, Level, Verdict } from "../findings/finding.js";
import { verdictIn } from "../findings/verdicts.js";
import type { Conversation } from "../wire/conversation.js";
import type { Links } from "../wire/link.js";
import { describeCase, PRODUCER_CASES } from "./all-cases.js";
import { ANSWERS } from "./asking.js";
import type { ActiveCase, ProducerCase } from "./producer-case.js";
import { sessionEnd } from "./session-on.js";
import type { ShownSession } from "./shown-session.js";
import { createStage, isAnswer, type ProducerStage, REQUEST } from "./stage.js";

export interface ProducerRun {
  readonly links: Links;
  readonly driver: Driver;
  readonly timers: Timers;
  readonly level: Level;
  /** Sets of cases beyond the level. */
  readonly extensions: readonly string[];
  /** Ids of cases; undefined: all of the level. */
  readonly chosen: readonly string[] | undefined;
  /** How long something that must come may take, ms. The producer may be slow, and the machine too. */
  readonly patienceMs: Millis;
  /** Called with each result as soon as it is there. */
  readonly told: (result: CaseResult) => void;
}

const SILENCE = "The target did not answer a request in time.";
const FLOOD = "The target sent more on one connection than the suite keeps.";
const LONGEST_QUOTE = 200;
/** A look at a producer that need not say anything, ms. */
const GLANCE_MS = 300;
/** Time for something that must not come after the last scenario, ms. */
const AFTERMATH_MS = 1000;
/** The longest that one case may take, ms. */
const LONGEST_CASE_MS = 60_000;
/** Scenarios that watching cases want to see. The first is the one after whose end the longest time is left for something that must not come. */
const SHOWN: readonly ScenarioName[] = [
  "cancel-question",
  "session",
  "text",
  "tool-failure",
  "cancel",
  "error",
  "handoff",
];

export async function runProducerCases(run: ProducerRun): Promise<readonly CaseResult[]> {
  const { links, driver, timers, told, patienceMs } = run;
  const stage = (): ProducerStage =>
    createStage({ links, driver, timers, all, shown, patienceMs, answersRequests: run.level === 3 });
  const cases = PRODUCER_CASES.filter((one) => isWanted(one, run));
  const all: Conversation[] = [];
  const shown = new Map<string, ShownSession>();
  const results = new Map<string, CaseResult>();
  const add = (one: ProducerCase, verdict: Verdict, from: number): void => {
    const result = { about: describeCase(one), verdict, durationMs: timers.now() - from };
    results.set(one.id, result);
    told(result);
  };

  const isFlooded = (): boolean => all.some((conversation) => conversation.isFlooded());
  let unreachable = cases.length === 0 ? undefined : await reasonNotToRun(stage(), run.level);
  for (const one of cases) {
    if (one.kind !== "active") continue;
    const from = timers.now();
    if (isFlooded()) unreachable ??= FLOOD;
    // Silence is against a rule of its own, so that case finds it.
    if (unreachable === undefined || (unreachable === SILENCE && one.id === "P3-answered-once"))
      add(one, await verdictOf(one, stage(), timers), from);
    else add(one, { kind: "skipped", reason: unreachable }, from);
  }
  if (isFlooded()) unreachable ??= FLOOD;
  const watching = cases.flatMap((one) => (one.kind === "watching" ? [one] : []));
  if (watching.length > 0 && unreachable === undefined) await showAll(stage());
  for (const one of watching) {
    const from = timers.now();
    if (unreachable !== undefined) {
      add(one, { kind: "skipped", reason: unreachable }, from);
      continue;
    }
    let verdict: Verdict = { kind: "passed" };
    try {
      if (one.judge({ conversations: all, shown }) === 0) verdict = { kind: "skipped", reason: one.unseen };
    } catch (caught) {
      verdict = verdictIn(caught);
    }
    add(one, verdict, from);
  }
  return cases.flatMap(({ id }) => results.get(id) ?? []);
}

function isWanted({ id, level, extension }: ProducerCase, run: ProducerRun): boolean {
  if (run.chosen !== undefined) return run.chosen.includes(id);
  if (extension !== undefined) return run.extensions.includes(extension);
  return level <= run.level;
}

/** One clear finding where the target cannot be reached, or says nothing: every case is skipped with it. */
async function reasonNotToRun(stage: ProducerStage, level: Level): Promise<string | undefined> {
  try {
    const first = await stage.connect();
    first.say({ ...REQUEST, capabilities: {} });
    const answer = await (level === 3 ? first.seek(isAnswer) : first.seek(() => true, { withinMs: GLANCE_MS }));
    // A flood shows itself after the answer.
    await stage.wait(GLANCE_MS);
    if (first.isFlooded()) return FLOOD;
    if (level === 3 && answer !== undefined && answer.message?.type !== "subscription.accepted")
      return `The target does not accept the plainest request: ${answer.text.slice(0, LONGEST_QUOTE)}`;
    if (first.isOver()) return `The target ended the connection at once. ${first.accident() ?? ""}`.trim();
    const [strange] = first.record.filter(({ way, message }) => way === "received" && message === undefined);
    if (strange !== undefined && answer === undefined)
      return `The target sends something that is no JSON object: ${strange.text.slice(0, LONGEST_QUOTE)}`;
    if (answer === undefined && level === 3) return SILENCE;
    return undefined;
  } catch (caught) {
    const verdict = verdictIn(caught);
    return verdict.kind === "skipped" ? verdict.reason : "The target cannot be judged.";
  } finally {
    await stage.clear();
  }
}

async function verdictOf(one: ActiveCase, stage: ProducerStage, timers: Timers): Promise<Verdict> {
  let cancel = (): void => {};
  const tooLong = new Promise<Verdict>((resolve) => {
    const reason = `The case was not over after ${LONGEST_CASE_MS} ms.`;
    cancel = timers.wakeAt(timers.now() + LONGEST_CASE_MS, () => resolve({ kind: "skipped", reason }));
  });
  const judged = one.run(stage).then((): Verdict => ({ kind: "passed" }), verdictIn);
  try {
    return await Promise.race([judged, tooLong]);
  } finally {
    cancel();
    await stage.clear();
    // The stage that is cleared ends the case, so that it does not go on behind the next one.
    await judged;
  }
}

async function showAll(stage: ProducerStage): Promise<void> {
  for (const scenario of SHOWN) {
    try {
      const listener = await stage.subscribe(scenario === "cancel-question" ? ANSWERS : {});
      const { sessionId, done } = await stage.show(scenario, listener);
      await done;
      await sessionEnd(listener, sessionId);
    } catch (caught) {
      // A scenario that cannot be shown is missed by the cases that would have judged it.
      verdictIn(caught);
    }
  }
  await stage.wait(AFTERMATH_MS);
  await stage.clear();
}
