// Everything that can happen to one question that two subscriptions can answer, in every order: an exhaustive walk over all sequences of up to five
// actions, each played against a real engine and a real desk. What should come of a sequence is said by `expectedOf`, which knows only the actions.
import { expect, onTestFinished, test } from "vitest";
import { Fault } from "../../src/base/errors.js";
import { BOUNDARIES } from "../../src/engine/terms.js";
import { formatTimestamp } from "../../src/engine/timestamps.js";
import { createSubscriptionDesk, type OpenSubscription } from "../../src/protocols/aaep/subscription-desk.js";
import { createEngineRig, type EngineRig, type RigAgent, SILENT_LOG, session } from "../support/engine-rig.js";

const LONGEST = 5;
const TIMEOUT_SECONDS = 60;
const AGENT_GRACE_MS = 1000;

/**
 * What can happen. A accepts where it answers, B rejects, so that it shows who was first. A goes by breaking off and B by closing in order: both end
 * a subscription by the same function, so that the other two ways round add nothing.
 */
const ACTIONS = [
  "A accepts",
  "B rejects",
  "the last reply again",
  "A forges a token",
  "B replies as A",
  "A replies with an expired time",
  "A disconnects",
  "B closes",
  "B gives up replies",
  "time runs out",
  "the agent cancels",
  "the agent dies",
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
    case "the last reply again": {
      const last = before.findLast((one) => one === "A accepts" || one === "B rejects");
      return last !== undefined && !had(last === "A accepts" ? "A disconnects" : "B closes");
    }
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
    if (action === "the agent cancels" || action === "the agent dies" || action === "the daemon stops")
      return "cancelled";
    if (action === "A disconnects") canA = false;
    if (action === "B closes" || action === "B gives up replies") canB = false;
    if (!canA && !canB) return "subscription_ended";
  }
  return "open";
}

/** What a sequence leaves as it was, the next one uses again: thousands of questions in one session are asked of the same subscriptions. */
interface Stage {
  readonly rig: EngineRig;
  readonly desk: ReturnType<typeof createSubscriptionDesk>;
  agent: { readonly handle: RigAgent; readonly sessionId: string } | undefined;
  a: OpenSubscription | undefined;
  b: OpenSubscription | undefined;
}

function createStage(): Stage {
  const rig = createEngineRig({
    engine: { agentGraceMs: AGENT_GRACE_MS, endedRetentionMs: 600_000 },
    journal: { maxEvents: 64 },
  });
  let keys = 0;
  const desk = createSubscriptionDesk({
    engine: rig.engine,
    ids: { hex: (bytes) => String(++keys).padStart(bytes * 2, "0") },
    offer: {
      maxEventsPerSecond: undefined,
      languages: undefined,
      coalesceBoundaries: BOUNDARIES,
      conformanceLevels: [1, 2],
      signedManifest: false,
      burst: 1,
    },
    producer: () => ({ agent_id: "daemon" }),
    manifestUri: () => undefined,
    log: SILENT_LOG,
  });
  return { rig, desk, agent: undefined, a: undefined, b: undefined };
}

function subscribe({ desk }: Stage, name: string): OpenSubscription {
  const request = {
    type: "subscription.request",
    aaep_version: "1.0.0",
    subscriber_id: name,
    capabilities: { supports_confirmation_reply: true },
  };
  const outcome = desk.request(request, { wake: () => undefined, expelled: () => undefined });
  if (outcome.kind !== "accepted") throw new Error(JSON.stringify(outcome.message));
  return outcome.open;
}

interface Play {
  readonly agent: RigAgent;
  readonly token: string;
  readonly sessionId: string;
  readonly a: OpenSubscription;
  readonly b: OpenSubscription;
  readonly askedAt: number;
  /** The last reply that was given: who gave it and what. */
  last: { readonly by: OpenSubscription; readonly message: object } | undefined;
}

function reply(play: Play, by: OpenSubscription, decision: "accept" | "reject", changes: object = {}): void {
  const message = {
    type: "confirmation.reply",
    reply_token: play.token,
    subscription_id: by.id,
    decision,
    timestamp: formatTimestamp(play.askedAt + 1000),
    ...changes,
  };
  if (Object.keys(changes).length === 0) play.last = { by, message };
  by.reply(message);
}

const DO: Readonly<Record<Action, (play: Play, stage: Stage) => void>> = {
  "A accepts": (play) => reply(play, play.a, "accept"),
  "B rejects": (play) => reply(play, play.b, "reject"),
  "the last reply again": ({ last }) => void last?.by.reply(last.message),
  "A forges a token": (play) => reply(play, play.a, "accept", { reply_token: `${play.token}x` }),
  "B replies as A": (play) => reply(play, play.b, "accept", { subscription_id: play.a.id }),
  "A replies with an expired time": (play) =>
    reply(play, play.a, "accept", { timestamp: formatTimestamp(play.askedAt + TIMEOUT_SECONDS * 1000) }),
  "A disconnects": ({ a }) => a.engine.close(),
  "B closes": ({ b }) =>
    b.close({ type: "subscription.close", subscription_id: b.id, reason_code: "subscriber_shutdown" }),
  "B gives up replies": ({ b }) => {
    const capabilities = { supports_confirmation_reply: false };
    b.renegotiate({ type: "subscription.renegotiate", subscription_id: b.id, capabilities });
  },
  "time runs out": (_, { rig }) => rig.advance(TIMEOUT_SECONDS * 1000),
  "the agent cancels": ({ agent, token }) => void agent.cancel(token),
  "the agent dies": ({ agent }, { rig }) => {
    agent.close();
    rig.advance(AGENT_GRACE_MS);
  },
  "the daemon stops": ({ a, b }, { rig }) => {
    rig.engine.endSessions();
    for (const { engine } of [a, b]) {
      engine.drain();
      engine.close();
    }
  },
};

/** Whether an irreversible action is let through now. */
function isLetThrough(play: Play): boolean {
  try {
    play.agent.publish(
      [{ fields: { ...session(play.sessionId).invoked("transfer", `call_${calls++}`), irreversible: true } }],
      false,
    );
    return true;
  } catch (caught) {
    if (!(caught instanceof Fault)) throw caught;
    if (!["confirmation_required", "session_ended", "session_not_yours"].includes(caught.code)) throw caught;
    return false;
  }
}

let calls = 0;

function outcomesIn(rig: EngineRig, from: number): readonly string[] {
  return rig.audit.slice(from).flatMap((entry) => {
    if (entry.kind !== "outcome") return [];
    const { decision, resolved_by: by } = entry.outcome;
    if (by === "reply") return [`${String(decision)} by reply`];
    return [by === "timeout" ? `${String(decision)} by timeout` : String(by)];
  });
}

function setUp(stage: Stage, serial: number): Play {
  const { rig } = stage;
  const sessionId = `sess_${serial}`;
  const token = `rpl_${serial}`;
  const a = stage.a ?? subscribe(stage, "A");
  const b = stage.b ?? subscribe(stage, "B");
  const isNew = stage.agent === undefined;
  const agent = stage.agent ?? { handle: rig.openAgent(), sessionId };
  Object.assign(stage, { a, b, agent });
  const asked = session(agent.sessionId).confirmation(token, { timeout_seconds: TIMEOUT_SECONDS });
  if (isNew) agent.handle.publish([{ fields: session(sessionId).started() }], false);
  agent.handle.publish([{ fields: asked }], false);
  for (const one of [a, b]) drain(one);
  return {
    agent: agent.handle,
    token,
    sessionId: agent.sessionId,
    a,
    b,
    askedAt: rig.clock.wallTime(),
    last: undefined,
  };
}

function drain({ engine }: OpenSubscription): void {
  while (engine.take().kind === "run");
}

function tearDown(stage: Stage, actions: readonly Action[]): void {
  const has = (...some: readonly Action[]): boolean => some.some((one) => actions.includes(one));
  const isOver = has("the daemon stops");
  for (const one of [stage.a, stage.b]) if (one !== undefined && !one.engine.isClosed()) drain(one);
  if (isOver || has("A disconnects")) stage.a = undefined;
  if (isOver || has("B closes", "B gives up replies")) {
    stage.b?.engine.close();
    stage.b = undefined;
  }
  if (isOver || has("the agent dies")) stage.agent = undefined;
}

function playOut(stage: Stage, serial: number, actions: readonly Action[]): readonly string[] {
  const { rig } = stage;
  const auditFrom = rig.audit.length;
  const play = setUp(stage, serial);
  const { agent } = play;
  const toldFrom = agent.outcomes.length;

  const faults: string[] = [];
  for (const action of actions) DO[action](play, stage);
  const expected = expectedOf(actions);
  const soFar = outcomesIn(rig, auditFrom);
  if (soFar.join() !== (expected === "open" ? "" : expected)) faults.push(`${expected}, but came ${soFar.join()}`);

  const isAlive = !actions.includes("the agent dies") && !actions.includes("the daemon stops");
  const mayGo = expected === "accept by reply" && isAlive;
  if (isLetThrough(play) !== mayGo) faults.push(mayGo ? "the action was held back" : "the action was let through");

  rig.advance(TIMEOUT_SECONDS * 1000);
  const final = outcomesIn(rig, auditFrom);
  if (final.length !== 1) faults.push(`${final.length} outcomes: ${final.join()}`);
  if (rig.engine.status().openQuestionCount !== 0) faults.push("a question waits for ever");
  if (isLetThrough(play)) faults.push("the action was let through in the end, or twice");
  // Told once; after its death nobody is there to be told.
  const told = agent.outcomes.length - toldFrom;
  const diedOfIt = expectedOf(actions.slice(0, actions.indexOf("the agent dies"))) === "open";
  const toldExpected = actions.includes("the agent dies") && diedOfIt ? 0 : 1;
  if (told !== toldExpected) faults.push(`its agent was told ${told} times`);
  tearDown(stage, actions);
  return faults.map((fault) => `${actions.join(", ")}: ${fault}`);
}

test("AAEP §6.5, R5, R7, H7, H8: one question, two subscriptions, every sequence of up to five actions: one outcome, the first legal one", {
  timeout: 300_000,
}, () => {
  let stage = createStage();
  let serial = 0;
  let longestCount = 0;
  const faults: string[] = [];
  const outcomes = new Map<string, number>();
  const walk = (actions: readonly Action[]): void => {
    serial += 1;
    if (actions.length === LONGEST) longestCount += 1;
    // What the engine remembers of earlier sequences is of no use to later ones.
    if (serial % 500 === 0) stage = createStage();
    const expected = expectedOf(actions);
    outcomes.set(expected, (outcomes.get(expected) ?? 0) + 1);
    if (faults.length < 20) faults.push(...playOut(stage, serial, actions));
    if (actions.length === LONGEST) return;
    for (const action of ACTIONS) if (canFollow(actions, action)) walk([...actions, action]);
  };
  const started = performance.now();
  // Most sequences end in a refusal; nobody reads where it was thrown.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  walk([]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const spread = [...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(", ");
  process.stdout.write(
    `${serial} sequences, ${longestCount} of them of ${LONGEST} actions, in ${seconds} s: ${spread}\n`,
  );
  expect(faults).toEqual([]);
  expect(serial).toBeGreaterThan(100_000);
});
