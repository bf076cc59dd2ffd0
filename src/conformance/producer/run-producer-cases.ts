// Runs the cases for producers: the active cases one after the other, then the watching cases over everything that came.
import { Fault } from "../../base/errors.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { ScenarioName } from "../drive/driver.js";
import { type CaseResult, type Verdict, verdictIn } from "../findings/finding.js";
import { noted } from "../wire/conversation.js";
import { isSetUpFault } from "../wire/endpoint-faults.js";
import { brokenContact, FLOOD, foreignVersion, NO_JSON, patienceAdvice, quote } from "../wire/first-contact.js";
import { PRODUCER_CASES } from "./all-cases.js";
import { ANSWERS } from "./asked-question.js";
import { WHOLE } from "./hearing.js";
import type { ActiveCase, ProducerCase } from "./producer-case.js";
import { sessionEnd } from "./session-on.js";
import {
  createStage,
  type Heard,
  isAnswer,
  type ProducerRun,
  type ProducerStage,
  REQUEST,
  type ShownSession,
} from "./stage.js";

export interface ProducerSuite extends ProducerRun {
  /** Sets of cases beyond the level. */
  readonly extensions: readonly string[];
  /** Ids of cases; undefined: all of the level. */
  readonly chosen: readonly string[] | undefined;
  /** Called with each result as soon as it is there. */
  readonly told: (result: CaseResult) => void;
}

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

export async function runProducerCases(run: ProducerSuite): Promise<readonly CaseResult[]> {
  const { links, driver, told, patienceMs } = run;
  const heard: Heard = { conversations: [], shown: new Map(), actions: new Set(), isLocal: links.isLocal === true };
  const stage = (): ProducerStage => createStage(run, heard);
  const cases = PRODUCER_CASES.filter((one) => isWanted(one, run));
  const results = new Map<string, CaseResult>();
  const finding = cases.length === 0 ? undefined : await findingOf(stage(), run);
  /** The one reason for which no case can judge the target any more. */
  const unreachable = (): string | undefined =>
    finding?.reason ?? (heard.conversations.some((conversation) => conversation.isFlooded()) ? FLOOD : undefined);
  if (finding === undefined) await driver.prepare?.();

  /** Judges a case, unless the target cannot be judged. Its finding is a case's own. */
  const judge = async (one: ProducerCase, judged: () => Verdict | Promise<Verdict>): Promise<void> => {
    const from = performance.now();
    const reason = finding?.foundBy === one.id ? undefined : unreachable();
    const verdict = reason === undefined ? await judged() : { kind: "skipped" as const, reason };
    const result = { about: one, verdict, durationMs: performance.now() - from };
    results.set(one.id, result);
    told(result);
  };
  for (const one of cases) if (one.kind === "active") await judge(one, () => verdictOf(one, stage()));
  const watching = cases.flatMap((one) => (one.kind === "watching" ? [one] : []));
  const missed = watching.length > 0 && unreachable() === undefined ? await showAll(stage()) : undefined;
  const advice = missed?.isSlow === true ? ` ${patienceAdvice(patienceMs)}` : "";
  /** Where no scenario was shown at all, the reason of that skips every case that saw nothing. */
  const nothingShown = heard.shown.size === 0 ? missed?.firstReason : undefined;
  for (const one of watching)
    await judge(one, () => {
      try {
        if (one.judge(heard) > 0) return { kind: "passed" };
        return { kind: "skipped", reason: nothingShown ?? `${one.unseen}${advice}` };
      } catch (caught) {
        return inScenariosOf(verdictIn(caught), heard.shown);
      }
    });
  return cases.flatMap(({ id }) => results.get(id) ?? []);
}

function isWanted({ id, level, extension }: ProducerCase, run: ProducerSuite): boolean {
  if (run.chosen !== undefined) return run.chosen.includes(id);
  if (extension !== undefined) return run.extensions.includes(extension);
  return level <= run.level;
}

/** The one reason for which every other case is skipped. */
interface Finding {
  readonly reason: string;
  /** The case whose rule it breaks: that one runs all the same, and finds it. */
  readonly foundBy: string | undefined;
}

/** Makes the first contact. Undefined: cases can judge the target. Throws a Fault for a wrong set-up. */
async function findingOf(
  stage: ProducerStage,
  { level, links, patienceMs }: ProducerRun,
): Promise<Finding | undefined> {
  const because = (reason: string | undefined): Finding | undefined =>
    reason === undefined ? undefined : { reason, foundBy: reason.startsWith(NO_JSON) ? "P1-json" : undefined };
  try {
    const first = await stage.connect();
    first.say({ ...REQUEST, capabilities: {} });
    const answer = await (level === 3 ? first.seek(isAnswer) : first.seek(() => true, { withinMs: GLANCE_MS }));
    // A flood shows itself after the answer.
    await stage.wait(GLANCE_MS);
    if (level === 3 && answer !== undefined && !first.isFlooded()) {
      if (answer.message?.type !== "subscription.accepted")
        return because(`The target does not accept the plainest request: ${quote(answer.text)}`);
      const foreign = foreignVersion(answer.message);
      if (foreign !== undefined) return because(foreign);
    }
    const broken = brokenContact(first);
    if (broken !== undefined || answer !== undefined || level < 3) return because(broken);
    const other = first.record.find(({ way }) => way === "received");
    const sentences = [
      "The target did not answer a subscription.request.",
      ...(other === undefined ? [links.silenceAdvice] : [`It sent something else: ${quote(other.text)}`]),
      patienceAdvice(patienceMs),
    ];
    return { reason: sentences.filter((one) => one !== undefined).join(" "), foundBy: "P3-answered-once" };
  } catch (caught) {
    if (!(caught instanceof Fault) || isSetUpFault(caught)) throw caught;
    return because(caught.sentence);
  } finally {
    await stage.clear();
  }
}

async function verdictOf(one: ActiveCase, stage: ProducerStage): Promise<Verdict> {
  const { promise: tooLong, resolve: tellTooLong } = withResolvers<Verdict>();
  const reason = `The case was not over after ${LONGEST_CASE_MS / 1000} seconds.`;
  const timer = setTimeout(() => tellTooLong({ kind: "skipped", reason }), LONGEST_CASE_MS);
  const judged = one.run(stage).then((): Verdict => ({ kind: "passed" }), verdictIn);
  const told = (verdict: Verdict): Verdict => {
    if (verdict.kind === "failed") return inScenarios(verdict, stage.asked);
    return verdict.kind === "skipped" ? { kind: "skipped", reason: withPatience(verdict.reason, stage) } : verdict;
  };
  try {
    const verdict = told(await Promise.race([judged, tooLong]));
    const rival = verdict.kind === "failed" ? stage.rival() : undefined;
    return verdict.kind === "failed" && rival !== undefined ? doubtful(verdict.seen, rival) : verdict;
  } finally {
    clearTimeout(timer);
    await stage.clear();
    // The stage that is cleared ends the case, so that it does not go on behind the next one.
    await judged;
  }
}

function doubtful(seen: string, rival: string): Verdict {
  const reason = `Another session, ${rival}, began beside that of the scenario, and the suite cannot tell whose this is: ${seen}`;
  return { kind: "skipped", reason };
}

/** Puts the names of scenarios in front of the evidence, so that the vendor can play them again. */
function inScenarios(verdict: Extract<Verdict, { kind: "failed" }>, names: readonly ScenarioName[]): Verdict {
  if (names.length === 0) return verdict;
  return { ...verdict, evidence: [noted("scenario", [...new Set(names)].join(", ")), ...verdict.evidence] };
}

/** The same for a watching case: its evidence has events of the sessions that scenarios began. */
function inScenariosOf(verdict: Verdict, shown: ReadonlyMap<string, ShownSession>): Verdict {
  if (verdict.kind !== "failed") return verdict;
  const ids = verdict.evidence.map(({ text = "" }) => /"session_id"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? "");
  return inScenarios(
    verdict,
    ids.flatMap((id) => shown.get(id)?.scenario ?? []),
  );
}

function withPatience(reason: string, stage: ProducerStage): string {
  return stage.hasRunOut() ? `${reason} ${patienceAdvice(stage.patienceMs)}` : reason;
}

interface Missed {
  /** Something was waited for in vain. */
  readonly isSlow: boolean;
  /** The reason for which the first scenario was not shown; undefined: all were. */
  readonly firstReason: string | undefined;
}

/** Shows the scenarios that watching cases judge. One subscription is owed all of them whole. */
async function showAll(stage: ProducerStage): Promise<Missed> {
  let firstReason: string | undefined;
  await stage.subscribe(WHOLE).catch(verdictIn);
  for (const scenario of SHOWN) {
    try {
      const listener = await stage.subscribe(scenario === "cancel-question" ? ANSWERS : {});
      const { sessionId, done } = await stage.show(scenario, listener);
      await done;
      await sessionEnd(listener, sessionId);
    } catch (caught) {
      // A scenario that cannot be shown is missed by the cases that would have judged it.
      const verdict = verdictIn(caught);
      if (verdict.kind === "skipped") firstReason ??= withPatience(verdict.reason, stage);
    }
  }
  await stage.wait(AFTERMATH_MS);
  const isSlow = stage.hasRunOut();
  await stage.clear();
  return { isSlow, firstReason };
}
