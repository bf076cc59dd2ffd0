// Everything that can happen to one question that two subscriptions can answer, in every order: an exhaustive walk over all sequences of up to five
// actions, each played against a real engine and real handlers. What should come of a sequence is said by `expectedOf`, which knows only the actions.
//
// A message that has to be ignored after two actions or more is played where it stands, and the engine must be as it was before, to the last
// journaled event and pending wake-up. What follows it is then what follows without it, which the walk plays as a shorter sequence: so it is
// counted, and not played again.
import { expect, onTestFinished, test } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { formatTimestamp } from "../../../src/engine/event/timestamps.js";
import {
  SubscriptionHandler,
  type SubscriptionHandlerServices,
} from "../../../src/protocols/aaep/subscriber/subscription-handler.js";
import { SAME_USER_MAY_ALL } from "../../../src/security/access.js";
import { drained } from "../../support/drained.js";
import { isWhole } from "../../support/extent.js";
import { createEngineRig, type EngineRig, type RigAgent, SILENT_LOG, session } from "../../support/rigs/engine-rig.js";
import { countedIds, OFFER } from "../../support/rigs/rpc-peer.js";

const ACCESS = SAME_USER_MAY_ALL.of({ label: "peer", trust: "same-user" });

const LONGEST = isWhole ? 5 : 3;
/** How many actions are played in every order whatever comes of them. */
const ALWAYS_PLAYED = 2;
/** How long the question has: less than the agent's grace, so that it can run out within it; more where the grace is to be over first. */
const TIMEOUT_SECONDS = { short: 20, long: 60 };
const AGENT_GRACE_MS = 30_000;
/** Whatever is open, nothing of it is after this time. */
const FINALE_MS = 100_000;

/**
 * What can happen. A accepts where it answers, B rejects, so that it shows who was first. A goes by breaking off and B by closing in order: both end
 * a subscription by the same function, so that the other two ways round add nothing. A reply that is given twice is the same message again.
 */
const ACTIONS = [
  "A accepts",
  "B rejects",
  "A forges a token",
  "B replies as A",
  "A replies with an expired time",
  "A disconnects",
  "B closes",
  "B gives up replies",
  "time runs out",
  "the agent cancels",
  "the agent dies",
  "its grace is over",
  "the daemon stops",
] as const;
type Action = (typeof ACTIONS)[number];

/** Whether an action can follow: nobody speaks over a connection that is gone, and nothing follows the end of the daemon. */
function canFollow(before: readonly Action[], action: Action): boolean {
  const had = (one: Action): boolean => before.includes(one);
  if (had("the daemon stops")) return false;
  switch (action) {
    case "A accepts":
    case "A forges a token":
    case "A replies with an expired time":
    case "A disconnects":
      return !had("A disconnects");
    case "B rejects":
    case "B replies as A":
    case "B closes":
      return !had("B closes");
    case "B gives up replies":
      return !had("B closes") && !had("B gives up replies");
    case "the agent cancels":
    case "the agent dies":
      return !had("the agent dies");
    case "its grace is over":
      return had("the agent dies") && !had("its grace is over");
    case "time runs out":
    case "the daemon stops":
      return true;
  }
}

type Expected =
  | "accept by reply"
  | "reject by reply"
  | "reject by timeout"
  | "subscription_ended"
  | "cancelled"
  | "open";

/** What must have come of it: the first legal outcome. */
function expectedOf(actions: readonly Action[]): Expected {
  let canA = true;
  let canB = true;
  for (const action of actions) {
    if (action === "A accepts" && canA) return "accept by reply";
    if (action === "B rejects" && canB) return "reject by reply";
    if (action === "time runs out") return "reject by timeout";
    if (action === "the agent cancels" || action === "its grace is over" || action === "the daemon stops")
      return "cancelled";
    if (action === "A disconnects") canA = false;
    if (action === "B closes" || action === "B gives up replies") canB = false;
    if (!canA && !canB) return "subscription_ended";
  }
  return "open";
}

/** Messages: where they have to be ignored they leave everything as it was. */
const MESSAGES: ReadonlySet<Action> = new Set<Action>([
  "A accepts",
  "B rejects",
  "A forges a token",
  "B replies as A",
  "A replies with an expired time",
  "the agent cancels",
]);

function timeoutSecondsFor(actions: readonly Action[]): number {
  const [over, timeout] = [actions.indexOf("its grace is over"), actions.indexOf("time runs out")];
  return over >= 0 && (timeout < 0 || over < timeout) ? TIMEOUT_SECONDS.long : TIMEOUT_SECONDS.short;
}

/** Whether the session has ended, so that nothing is done in it any more. */
function hasEnded(actions: readonly Action[]): boolean {
  const died = actions.indexOf("the agent dies");
  if (actions.includes("the daemon stops")) return true;
  if (died < 0) return false;
  const since = actions.slice(died);
  const timeouts = since.filter((action) => action === "time runs out").length;
  return since.includes("its grace is over") || timeouts * timeoutSecondsFor(actions) * 1000 >= AGENT_GRACE_MS;
}

/** What a sequence leaves as it was, the next one uses again: thousands of questions in one session are asked of the same subscriptions. */
interface Stage {
  readonly rig: EngineRig;
  readonly services: SubscriptionHandlerServices;
  agent: { readonly handle: RigAgent; readonly sessionId: string; readonly resumeToken: string } | undefined;
  a: SubscriptionHandler | undefined;
  b: SubscriptionHandler | undefined;
}

function createStage(): Stage {
  const rig = createEngineRig({
    engine: { agentGraceMs: AGENT_GRACE_MS, endedRetentionMs: 600_000 },
    journal: { maxEvents: 64 },
  });
  const services: SubscriptionHandlerServices = {
    engine: rig.engine,
    ids: countedIds(),
    offer: OFFER,
    producer: () => ({ agent_id: "daemon" }),
    manifestUri: () => undefined,
    log: SILENT_LOG,
  };
  return { rig, services, agent: undefined, a: undefined, b: undefined };
}

function subscribe({ services }: Stage, name: string): SubscriptionHandler {
  const request = {
    type: "subscription.request",
    aaep_version: "1.0.0",
    subscriber_id: name,
    capabilities: { supports_confirmation_reply: true },
  };
  const events = { wake: () => undefined, access: ACCESS, terminated: () => undefined };
  const handler = new SubscriptionHandler(services, events);
  const outcome = handler.request(request);
  if (outcome.kind !== "accepted") throw new Error(JSON.stringify(outcome.message));
  return handler;
}

interface Play {
  readonly agent: RigAgent;
  readonly token: string;
  readonly sessionId: string;
  readonly a: SubscriptionHandler;
  readonly b: SubscriptionHandler;
  readonly askedAt: number;
  readonly timeoutMs: number;
  readonly resumeToken: string;
}

function reply(play: Play, by: SubscriptionHandler, decision: "accept" | "reject", changes: object = {}): void {
  by.reply({
    type: "confirmation.reply",
    reply_token: play.token,
    subscription_id: by.id,
    decision,
    timestamp: formatTimestamp(play.askedAt + 1000),
    ...changes,
  });
}

const DO: Readonly<Record<Action, (play: Play, stage: Stage) => void>> = {
  "A accepts": (play) => reply(play, play.a, "accept"),
  "B rejects": (play) => reply(play, play.b, "reject"),
  "A forges a token": (play) => reply(play, play.a, "accept", { reply_token: `${play.token}x` }),
  "B replies as A": (play) => reply(play, play.b, "accept", { subscription_id: play.a.id }),
  "A replies with an expired time": (play) =>
    reply(play, play.a, "accept", { timestamp: formatTimestamp(play.askedAt + play.timeoutMs) }),
  "A disconnects": ({ a }) => a.subscription?.close(),
  "B closes": ({ b }) => b.subscription?.close(),
  "B gives up replies": ({ b }) => {
    const capabilities = { supports_confirmation_reply: false };
    b.renegotiate({ type: "subscription.renegotiate", subscription_id: b.id, capabilities });
  },
  "time runs out": ({ timeoutMs }, { rig }) => rig.advance(timeoutMs),
  "the agent cancels": ({ agent, token }) => void agent.cancel(token),
  "the agent dies": ({ agent }) => agent.close(),
  "its grace is over": (_, { rig }) => rig.advance(AGENT_GRACE_MS),
  "the daemon stops": ({ a, b }, { rig }) => {
    void rig.engine.endSessions();
    for (const { subscription } of [a, b]) {
      if (subscription === undefined) continue;
      drained(subscription);
      subscription.close();
    }
  },
};

/** Whether an irreversible action is let through now: by its agent, or by one that comes back in its place. */
function isLetThrough(play: Play, by: RigAgent): boolean {
  const invoked = session(play.sessionId).invoked("transfer", `call_${calls++}`);
  try {
    by.publish([{ fields: { ...invoked, irreversible: true } }], false, play.resumeToken);
    return true;
  } catch (caught) {
    if (!(caught instanceof Fault)) throw caught;
    if (!["confirmation_required", "session_ended", "shutting_down"].includes(caught.code)) throw caught;
    return false;
  }
}

let calls = 0;

function outcomesIn(rig: EngineRig, from: number): readonly string[] {
  const outcomes: string[] = [];
  for (let index = from; index < rig.audit.length; index += 1) {
    const entry = rig.audit[index];
    if (entry?.kind !== "outcome") continue;
    const { decision, resolved_by: by } = entry.outcome;
    outcomes.push(by === "reply" || by === "timeout" ? `${String(decision)} by ${by}` : String(by));
  }
  return outcomes;
}

/** Everything by which it would show that something has happened. */
function fingerprint({ rig }: Stage, { agent }: Play): string {
  const { head, openQuestionCount, openSessionCount } = rig.engine.status();
  const { outcomes, waiting } = agent;
  return [head, openQuestionCount, openSessionCount, rig.clock.pending(), outcomes.length, waiting.length].join();
}

function setUp(stage: Stage, serial: number, timeoutSeconds: number): Play {
  const { rig } = stage;
  const sessionId = `sess_${serial}`;
  const token = `rpl_${serial}`;
  const a = stage.a ?? subscribe(stage, "A");
  const b = stage.b ?? subscribe(stage, "B");
  const agent = stage.agent ?? startAgent(rig, sessionId);
  Object.assign(stage, { a, b, agent });
  const asked = session(agent.sessionId).confirmation(token, { timeout_seconds: timeoutSeconds });
  agent.handle.publish([{ fields: asked }], false);
  for (const one of [a, b]) drain(one);
  return {
    agent: agent.handle,
    token,
    sessionId: agent.sessionId,
    a,
    b,
    askedAt: rig.clock.wallTime(),
    timeoutMs: timeoutSeconds * 1000,
    resumeToken: agent.resumeToken,
  };
}

function startAgent(rig: EngineRig, sessionId: string): NonNullable<Stage["agent"]> {
  const handle = rig.openAgent();
  const { resumeToken } = handle.publish([{ fields: session(sessionId).started() }], false);
  return { handle, sessionId, resumeToken: String(resumeToken) };
}

function drain(handler: SubscriptionHandler): void {
  while (handler.take().kind === "batch");
}

function tearDown(stage: Stage, actions: readonly Action[]): void {
  const has = (...some: readonly Action[]): boolean => some.some((one) => actions.includes(one));
  const isOver = has("the daemon stops");
  for (const one of [stage.a, stage.b]) if (one !== undefined && one.subscription?.isClosed() === false) drain(one);
  if (isOver || has("A disconnects")) stage.a = undefined;
  if (isOver || has("B closes", "B gives up replies")) {
    stage.b?.subscription?.close();
    stage.b = undefined;
  }
  if (isOver || has("the agent dies")) stage.agent = undefined;
}

/** Plays a sequence, and after it each of the messages that have to be ignored then. */
function playOut(
  stage: Stage,
  serial: number,
  actions: readonly Action[],
  ignored: readonly Action[],
): readonly string[] {
  const { rig } = stage;
  const auditFrom = rig.audit.length;
  const play = setUp(stage, serial, timeoutSecondsFor(actions));
  const { agent } = play;
  const toldFrom = agent.outcomes.length;

  const faults: string[] = [];
  for (const action of actions) DO[action](play, stage);
  const expected = expectedOf(actions);
  const soFar = outcomesIn(rig, auditFrom);
  if (soFar.join() !== (expected === "open" ? "" : expected)) faults.push(`${expected}, but came ${soFar.join()}`);
  const before = ignored.length === 0 ? "" : fingerprint(stage, play);
  for (const message of ignored) {
    DO[message](play, stage);
    if (fingerprint(stage, play) !== before) faults.push(`then "${message}" was not ignored`);
  }

  const isDead = actions.includes("the agent dies");
  const runner = isDead ? rig.openAgent() : agent;
  const mayGo = expected === "accept by reply" && !hasEnded(actions);
  if (isLetThrough(play, runner) !== mayGo)
    faults.push(mayGo ? "the action was held back" : "the action was let through");

  rig.advance(FINALE_MS);
  const final = outcomesIn(rig, auditFrom);
  if (final.length !== 1) faults.push(`${final.length} outcomes: ${final.join()}`);
  if (rig.engine.status().openQuestionCount !== 0) faults.push("a question waits for ever");
  if (isLetThrough(play, runner)) faults.push("the action was let through in the end, or twice");
  // Told once; after its death nobody is there to be told.
  const told = agent.outcomes.length - toldFrom;
  const diedBefore = isDead && expectedOf(actions.slice(0, actions.indexOf("the agent dies"))) === "open";
  if (told !== (diedBefore ? 0 : 1)) faults.push(`its agent was told ${told} times`);
  if (isDead) {
    // Its heir leaves a session that nobody else ends.
    runner.close();
    rig.advance(AGENT_GRACE_MS);
  }
  tearDown(stage, actions);
  return faults.map((fault) => `${actions.join(", ")}: ${fault}`);
}

test(`AAEP §6.5, R5, R7, R8, H7, H8: one question, two subscriptions, every sequence of up to ${LONGEST} actions: one outcome, the first legal one`, {
  timeout: 300_000,
}, () => {
  let stage = createStage();
  let playedCount = 0;
  let longestCount = 0;
  const faults: string[] = [];
  const outcomes = new Map<Expected, number>();
  const nextOf = (actions: readonly Action[]): readonly Action[] =>
    actions.length === LONGEST ? [] : ACTIONS.filter((action) => canFollow(actions, action));
  const count = (actions: readonly Action[]): void => {
    if (actions.length === LONGEST) longestCount += 1;
    const expected = expectedOf(actions);
    outcomes.set(expected, (outcomes.get(expected) ?? 0) + 1);
  };
  const countAll = (actions: readonly Action[]): void => {
    count(actions);
    for (const action of nextOf(actions)) countAll([...actions, action]);
  };
  const play = (actions: readonly Action[], ignored: readonly Action[]): void => {
    playedCount += 1;
    // What the engine remembers of earlier sequences is of no use to later ones.
    if (playedCount % 500 === 0) stage = createStage();
    if (faults.length < 20) faults.push(...playOut(stage, playedCount, actions, ignored));
    // That was its end.
    if (actions.includes("the daemon stops")) stage = createStage();
  };
  const walk = (actions: readonly Action[]): void => {
    count(actions);
    const next = nextOf(actions);
    const expected = expectedOf(actions);
    const isIgnored = (action: Action): boolean =>
      actions.length >= ALWAYS_PLAYED && MESSAGES.has(action) && expectedOf([...actions, action]) === expected;
    const ignored = next.filter(isIgnored);
    play(actions, ignored);
    for (const action of ignored) countAll([...actions, action]);
    for (const action of next) if (!isIgnored(action)) walk([...actions, action]);
  };
  const { user: before } = process.cpuUsage();
  // Most sequences end in a refusal; nobody reads where it was thrown.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  walk([]);
  const seconds = ((process.cpuUsage().user - before) / 1_000_000).toFixed(1);
  const sum = [...outcomes.values()].reduce((one, other) => one + other, 0);
  const spread = [...outcomes].map(([outcome, of]) => `${outcome} ${of}`).join(", ");
  process.stdout.write(
    `${sum} sequences, ${longestCount} of them of ${LONGEST} actions, in ${playedCount} plays and ${seconds} s of CPU: ${spread}\n`,
  );
  expect(faults).toEqual([]);
  expect(sum).toBeGreaterThan(isWhole ? 60_000 : 1000);
});
