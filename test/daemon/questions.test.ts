// Questions over real connections, where more than one is concerned: replies that come together, agents that come back, sessions that are taken
// over, and connections that ask and answer.
import { describe, expect, test } from "vitest";
import { GRPC, serviceClient } from "../support/lanes.js";
import type { RpcPeer, Subscription } from "../support/peers/peers.js";
import { startAuditedRig } from "../support/rigs/audited-rig.js";
import { type DaemonRig, nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { listenListener } from "../support/services/service-peers.js";
import { partyOf } from "../support/services/service-stage.js";

type Message = Readonly<Record<string, unknown>>;

const CAPABLE = { supports_confirmation_reply: true, supports_clarification_reply: true };

async function subscribed(
  subscription: Subscription,
  name: string,
  capabilities: Message = CAPABLE,
): Promise<Subscription> {
  const answer = await subscription.subscribe(requestOf(capabilities, { subscriber_id: name }));
  expect(answer.type).toBe("subscription.accepted");
  return subscription;
}

test("R28: whoever asks for more open questions than fit an answer gets them a page at a time, on every path", async () => {
  const rig = await startRig({ services: { grpc: "unix" } });
  const plain = await rig.plain();
  await subscribed(plain, "plain");
  const rpc = await subscribed((await rig.rpc()).subscription(), "rpc");
  const typed = listenListener(partyOf(rig, serviceClient(rig, GRPC)));
  await typed.subscribe(requestOf(CAPABLE, { subscriber_id: "typed" }));
  const agent = await rig.rpc();
  const session_id = await startSession(agent);
  const context = { a: "💶".repeat(12_000) };
  const actions = Array.from({ length: 6 }, (_, index) => `Transfer ${index} euros.`);
  for (const action of actions) {
    void agent.request("aaep.confirm", confirmIn(session_id, { action, extra_context: context })).catch(() => {});
    await hearQuestion(plain);
  }
  for (const one of [plain, rpc, typed]) {
    expect((await one.listPending()).map(({ action }) => action)).toEqual(actions);
  }
  plain.say({ type: "aaepd.list_pending" });
  const page = await plain.answers.next();
  expect(page).toMatchObject({ next: expect.any(String), questions: expect.any(Array) });
  expect(JSON.stringify(page).length).toBeLessThan(66_000);
});

async function startSession(agent: RpcPeer): Promise<string> {
  return (await begun(agent)).session_id;
}

const confirmIn = (session_id: string, others: Message = {}): Message => ({
  session_id,
  action: "Transfer 500 euros.",
  consequence: "They are gone.",
  irreversible: true,
  risk_level: "high",
  timeout_seconds: 60,
  ...others,
});

const replyTo = (question: Message, decision: "accept" | "reject", others: Message = {}): Message => ({
  type: "confirmation.reply",
  reply_token: question.reply_token,
  decision,
  timestamp: new Date().toISOString(),
  ...others,
});

async function hearQuestion({ events }: Subscription): Promise<Message> {
  for (;;) {
    const event = await events.next("the question");
    if (isQuestion(event)) return event;
  }
}

async function hearOutcome({ events }: Subscription, question: Message): Promise<Message> {
  for (;;) {
    const event = await events.next("the outcome");
    const marks = (event.extensions as Record<string, Message> | undefined)?.aaepd;
    if (marks?.question === question.event_id && marks?.decision !== undefined) return event;
  }
}

const transferIn = (session_id: string): Message => ({
  type: "aaep:agent.tool.invoked",
  session_id,
  tool: "transfer",
  irreversible: true,
  summary_normal: "Transfers.",
});

describe("replies over real connections", () => {
  test("R19: one that names another connection's subscription has no answer and no effect", async () => {
    const rig = await startRig();
    const agent = await rig.rpc();
    const session = await startSession(agent);
    const person = await subscribed(await rig.plain(), "person");
    const plain = await rig.plain();
    await subscribed(plain, "plain");
    const rpc = await rig.rpc();
    await subscribed(rpc.subscription(), "rpc");
    const answer = agent.request("aaep.confirm", confirmIn(session));
    const asked = await hearQuestion(person);
    const stolen = replyTo(asked, "accept", { subscription_id: person.id() });
    plain.say(stolen);
    rpc.notify("aaep.reply", stolen);
    expect(await rpc.request("aaep.reply", stolen)).toEqual({ accepted: false });
    // What is answered always, and comes behind what would have been.
    expect(await plain.listPending()).toHaveLength(1);
    expect(await person.listPending()).toHaveLength(1);
    await person.reply(replyTo(asked, "reject"));
    expect(await answer).toMatchObject({ decision: "reject", resolved_by: "reply" });
  });
});

describe("agents over real connections", () => {
  test("cancelling the request takes the question back, and says so", async () => {
    const rig = await startRig();
    const agent = await rig.rpc();
    const session = await startSession(agent);
    const person = await subscribed(await rig.plain(), "person");
    const answer = agent.request("aaep.confirm", confirmIn(session));
    const asked = await hearQuestion(person);
    // The session's start was the agent's first request, and this its second.
    agent.notify("$/cancelRequest", { id: 2 });
    expect(await hearOutcome(person, asked)).toMatchObject({ extensions: { aaepd: { decision: "cancelled" } } });
    expect(await answer).toMatchObject({ resolved_by: "cancelled" });
    expect(await person.listPending()).toEqual([]);
  });

  test("R8: news of a question go to the connection that took its session over, though the first has not ended", async () => {
    const rig = await startRig();
    const stale = await rig.rpc();
    const { session_id: session, resume_token } = await begun(stale);
    const person = await subscribed(await rig.plain(), "person");
    const awaited = stale.request("aaep.confirm", confirmIn(session, { reply_token: "rpl_1" }));
    const questions = [await hearQuestion(person)];
    await stale.publish({
      type: "aaep:agent.awaiting.confirmation",
      ...confirmIn(session, { reply_token: "rpl_2", action: "Transfer 600 euros." }),
      default_decision: "reject",
    });
    questions.push(await hearQuestion(person));
    const heir = await rig.rpc();
    await heir.request("aaep.resume_session", { session_id: session, resume_token });
    expect((await stale.refusal("aaep.publish", transferIn(session))).code).toBe("session_not_yours");
    for (const question of questions) await person.reply(replyTo(question, "accept"));
    for (const { reply_token } of questions)
      expect(await heir.outcomes.next("the outcome")).toMatchObject({ reply_token, decision: "accept" });
    expect(await awaited).toMatchObject({ reply_token: "rpl_1", decision: "accept" });
    // Behind whatever it would have been told.
    await stale.request("aaep.ping");
    expect(stale.outcomes.rest()).toEqual([]);
  });
});

const isQuestion = ({ type }: Message): boolean => String(type).startsWith("aaep:agent.awaiting.");
/** A yes to the question of that token, over a subscription that it names. */
const yesOver = (token: unknown, { id }: Subscription): Message =>
  replyTo({ reply_token: token }, "accept", { subscription_id: id() });

async function begun(agent: RpcPeer) {
  const session_id = nextSession();
  const { resume_token } = await agent.publish({
    type: "aaep:agent.session.started",
    session_id,
    summary_normal: "Begins.",
  });
  return { session_id, resume_token };
}

const isNotice = ({ extensions }: Message): boolean =>
  (extensions as Record<string, Message> | undefined)?.aaepd?.asks === "confirmation";

/** Everything that it heard so far, after whatever is under way. */
async function heardBy(one: Subscription): Promise<readonly Message[]> {
  await one.listPending();
  return one.events.rest();
}

const PLACES: readonly (readonly [name: string, isStdio: boolean, open: (rig: DaemonRig) => Promise<RpcPeer>])[] = [
  ["a socket", false, (rig) => rig.rpc()],
  ["a socket, in headers", false, (rig) => rig.rpc("content-length")],
  ["memory", false, (rig) => rig.rpc("memory")],
  ["stdio", true, async (rig) => rig.parent()],
];

describe.each(PLACES)(
  "R5: no agent says yes to itself: one JSON-RPC connection over %s both asks and subscribes",
  (_, stdio, open) => {
    test("its reply does not count, another's does, and the audit log says why", async () => {
      const { rig, replies } = await startAuditedRig({ stdio });
      const both = await open(rig);
      const first = await subscribed(both.subscription(), "first");
      const second = await subscribed(both.subscription(), "second");
      const person = await subscribed(await rig.plain(), "person");
      const { session_id } = await begun(both);
      const outcome = both.request("aaep.confirm", confirmIn(session_id));
      const { reply_token: token } = await both.waiting.next("the token of the question");
      for (const own of [first, second]) {
        while (!isNotice(await own.events.next("the notice")));
        expect(await both.request("aaep.reply", yesOver(token, own))).toEqual({ accepted: false });
        expect(await own.listPending()).toEqual([]);
      }
      const asked = await hearQuestion(person);
      expect((await both.refusal("aaep.publish", transferIn(session_id))).code).toBe("confirmation_required");
      await person.reply(yesOver(asked.reply_token, person));
      expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
      await both.publish(transferIn(session_id));
      expect([...(await heardBy(first)), ...(await heardBy(second))].filter(isQuestion)).toEqual([]);
      expect((await replies()).map(({ fate }) => fate)).toEqual(["not_entitled", "not_entitled", "counted"]);
    });
  },
);

describe("R5: no agent says yes to itself: the ends of connections that both ask and subscribe", () => {
  test("R7, R8: its question is not taken for one that somebody left, and waits for its agent's return", async () => {
    const rig = await startRig({ clock: "hands", configuration: { confirmationGraceSeconds: 60 } });
    const both = await rig.rpc();
    for (const name of ["first", "second", "third"]) await subscribed(both.subscription(), name);
    const { session_id, resume_token } = await begun(both);
    const lost = both.request("aaep.confirm", confirmIn(session_id, { reply_token: "rpl_mine" })).catch(() => "lost");
    await both.request("aaep.ping");
    await both.close();
    expect(await lost).toBe("lost");
    await rig.advance(1000);
    const back = await rig.rpc();
    await back.request("aaep.resume_session", { session_id, resume_token });
    expect(await back.request("aaep.outcome_of", { reply_token: "rpl_mine" })).toMatchObject({ state: "open" });
    const person = await subscribed(await rig.plain(), "person");
    const asked = await hearQuestion(person);
    await person.reply({ ...yesOver("rpl_mine", person), timestamp: asked.timestamp });
    expect(await back.outcomes.next("the outcome")).toMatchObject({ decision: "accept", resolved_by: "reply" });
  });

  test("R8: a session is taken over while its question is open: neither its new owner nor its old one, which asked, can answer", async () => {
    const { rig, replies } = await startAuditedRig();
    const former = await rig.rpc();
    const heir = await rig.rpc();
    const ofFormer = await subscribed(former.subscription(), "former");
    const ofHeir = await subscribed(heir.subscription(), "heir");
    const person = await rig.rpc();
    const ofPerson = await subscribed(person.subscription(), "person");
    const { session_id, resume_token } = await begun(former);
    const outcome = former.request("aaep.confirm", confirmIn(session_id));
    const { reply_token: token } = await hearQuestion(ofHeir);
    await heir.request("aaep.resume_session", { session_id, resume_token });
    expect(await heir.request("aaep.reply", yesOver(token, ofHeir))).toEqual({ accepted: false });
    expect(await former.request("aaep.reply", yesOver(token, ofFormer))).toEqual({ accepted: false });
    expect(await person.request("aaep.reply", yesOver(token, ofPerson))).toEqual({ accepted: true });
    expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
    expect((await replies()).map(({ fate }) => fate)).toEqual(["not_entitled", "not_entitled", "counted"]);
  });
});
