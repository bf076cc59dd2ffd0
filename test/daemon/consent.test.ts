// R5, S2: nobody consents to what the same connection asked, over real connections.
import { describe, expect, test } from "vitest";
import type { RpcPeer, Subscription } from "../support/peers/peers.js";
import { startAuditedRig } from "../support/rigs/audited-rig.js";
import { type DaemonRig, nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";

type Message = Readonly<Record<string, unknown>>;

const CAPABLE = { supports_confirmation_reply: true, supports_clarification_reply: true };

async function subscribed(subscription: Subscription, name: string): Promise<Subscription> {
  const answer = await subscription.subscribe(requestOf(CAPABLE, { subscriber_id: name }));
  expect(answer).toMatchObject({ type: "subscription.accepted" });
  return subscription;
}

async function start(agent: RpcPeer) {
  const id = nextSession();
  const { resume_token } = await agent.publish({
    type: "aaep:agent.session.started",
    session_id: id,
    summary_normal: "Begins.",
  });
  return { session_id: id, resume_token };
}

const transfer = (session_id: string, others: Message = {}): Message => ({
  session_id,
  action: "Transfer 500 euros.",
  consequence: "They are gone.",
  irreversible: true,
  risk_level: "high",
  timeout_seconds: 60,
  ...others,
});

const invoked = (session_id: string): Message => ({
  type: "aaep:agent.tool.invoked",
  session_id,
  tool: "transfer",
  irreversible: true,
  summary_normal: "Transfers.",
});

const yesTo = (token: unknown, { id }: Subscription, decision = "accept"): Message => ({
  type: "confirmation.reply",
  reply_token: token,
  subscription_id: id(),
  decision,
  timestamp: new Date().toISOString(),
});

const isQuestion = ({ type }: Message): boolean => String(type).startsWith("aaep:agent.awaiting.");

async function next({ events }: Subscription, is: (event: Message) => boolean, what: string): Promise<Message> {
  for (;;) {
    const event = await events.next(what);
    if (is(event)) return event;
  }
}

const hearQuestion = (one: Subscription) => next(one, isQuestion, "the question");

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

describe.each(PLACES)("R5, S2: one JSON-RPC connection over %s both asks and subscribes", (_, stdio, open) => {
  test("its reply does not count, another's does, and the audit log says why", async () => {
    const { rig, replies } = await startAuditedRig({ stdio });
    const both = await open(rig);
    const first = await subscribed(both.subscription(), "first");
    const second = await subscribed(both.subscription(), "second");
    const person = await subscribed(await rig.plain(), "person");
    const { session_id } = await start(both);
    const outcome = both.request("aaep.confirm", transfer(session_id));
    const { reply_token: token } = await both.waiting.next("the token of the question");
    for (const own of [first, second]) {
      await next(own, isNotice, "the notice");
      expect(await both.request("aaep.reply", yesTo(token, own))).toEqual({ accepted: false });
      expect(await own.listPending()).toEqual([]);
    }
    const asked = await hearQuestion(person);
    expect((await both.refusal("aaep.publish", invoked(session_id))).code).toBe("confirmation_required");
    await person.reply(yesTo(asked.reply_token, person));
    expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
    await both.publish(invoked(session_id));
    expect([...(await heardBy(first)), ...(await heardBy(second))].filter(isQuestion)).toEqual([]);
    expect((await replies()).map(({ fate }) => fate)).toEqual(["not_entitled", "not_entitled", "counted"]);
  });

  test("with nobody else there, the default applies at once", async () => {
    const rig = await startRig({ stdio });
    const both = await open(rig);
    const own = await subscribed(both.subscription(), "own");
    const { session_id } = await start(both);
    expect(await both.request("aaep.confirm", transfer(session_id))).toMatchObject({
      decision: "reject",
      resolved_by: "no_subscriber",
    });
    expect((await heardBy(own)).filter(isQuestion)).toEqual([]);
    expect((await both.refusal("aaep.publish", invoked(session_id))).code).toBe("confirmation_required");
  });
});

describe("R5, S2: the ends of connections that both ask and subscribe", () => {
  test("R7, R8: its question is not taken for one that somebody left, and waits for its agent's return", async () => {
    const rig = await startRig({ clock: "hands", configuration: { confirmationGraceSeconds: 60 } });
    const both = await rig.rpc();
    for (const name of ["first", "second", "third"]) await subscribed(both.subscription(), name);
    const { session_id, resume_token } = await start(both);
    const lost = both.request("aaep.confirm", transfer(session_id, { reply_token: "rpl_mine" })).catch(() => "lost");
    await both.request("aaep.ping");
    await both.close();
    expect(await lost).toBe("lost");
    await rig.advance(1000);
    const back = await rig.rpc();
    await back.request("aaep.resume_session", { session_id, resume_token });
    expect(await back.request("aaep.outcome_of", { reply_token: "rpl_mine" })).toMatchObject({ state: "open" });
    const person = await subscribed(await rig.plain(), "person");
    const asked = await hearQuestion(person);
    await person.reply({ ...yesTo("rpl_mine", person), timestamp: asked.timestamp });
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
    const { session_id, resume_token } = await start(former);
    const outcome = former.request("aaep.confirm", transfer(session_id));
    const { reply_token: token } = await hearQuestion(ofHeir);
    await heir.request("aaep.resume_session", { session_id, resume_token });
    expect(await heir.request("aaep.reply", yesTo(token, ofHeir))).toEqual({ accepted: false });
    expect(await former.request("aaep.reply", yesTo(token, ofFormer))).toEqual({ accepted: false });
    expect(await person.request("aaep.reply", yesTo(token, ofPerson))).toEqual({ accepted: true });
    expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
    expect((await replies()).map(({ fate }) => fate)).toEqual(["not_entitled", "not_entitled", "counted"]);
  });
});
