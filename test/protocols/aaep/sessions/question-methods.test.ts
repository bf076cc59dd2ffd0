// Questions and replies as messages: what an agent may call and is told, and what a reply must look like to be one.
import { describe, expect, test } from "vitest";
import type { Fault } from "../../../../src/base/errors.js";
import type { AbortSignalLike } from "../../../../src/contracts/rpc.js";
import { formatTimestamp } from "../../../../src/engine/event/timestamps.js";
import { MAX_AWAITED_COUNT } from "../../../../src/protocols/aaep/agent/agent-handler.js";
import { RPC_METHODS } from "../../../../src/protocols/aaep/sessions/rpc-session.js";
import { CallSignal } from "../../../../transports/json-rpc/call-signal.js";
import { faultOf } from "../../../support/fault-of.js";
import { rpcCall } from "../../../support/peers/rpc-call.js";
import { createEngineRig, type EngineRig } from "../../../support/rigs/engine-rig.js";
import { countedIds, openRpcPeer, type RpcPeer } from "../../../support/rigs/rpc-peer.js";

type Message = Readonly<Record<string, unknown>>;

interface Peer extends RpcPeer {
  readonly call: (method: string, params?: unknown, signal?: AbortSignalLike) => unknown;
  readonly tell: (method: string, params?: unknown) => void;
}

interface Stage {
  readonly rig: EngineRig;
  readonly peer: () => Peer;
}

function createStage(): Stage {
  const rig = createEngineRig();
  const ids = countedIds();
  const peer = (): Peer => {
    const { session, told } = openRpcPeer(rig, ids);
    return {
      session,
      told,
      call: (method, params, signal = new CallSignal()) => session.request(rpcCall(method, params, signal)),
      tell: (method, params) => session.notification(rpcCall(method, params, new CallSignal())),
    };
  };
  return { rig, peer };
}

const CAPABLE = { supports_confirmation_reply: true, supports_clarification_reply: true };

interface Conversation extends Stage {
  readonly agent: Peer;
  readonly listener: Peer;
  readonly subscriptionId: string;
  readonly resumeToken: unknown;
}

function conversation(): Conversation {
  const stage = createStage();
  const [agent, listener] = [stage.peer(), stage.peer()];
  const { resume_token: resumeToken } = agent.call("aaep.publish", {
    type: "aaep:agent.session.started",
    session_id: "sess_1",
    summary_normal: "Begins.",
  }) as Message;
  const accepted = listener.call("aaep.subscribe", {
    type: "subscription.request",
    aaep_version: "1.0.0",
    subscriber_id: "listener",
    capabilities: CAPABLE,
  }) as Message;
  return { ...stage, agent, listener, subscriptionId: String(accepted.subscription_id), resumeToken };
}

const CONFIRM = { session_id: "sess_1", action: "Send it.", consequence: "It is sent." };
const CLARIFY = { session_id: "sess_1", question: "Which?" };

const questionsOf = ({ listener }: Conversation) =>
  (listener.call("aaep.list_pending", {}) as { readonly questions: readonly Message[] }).questions;

function replyTo(stage: Conversation, question: Message | undefined, changes: Message = {}): Message {
  const isConfirmation = question?.action !== undefined;
  return {
    type: isConfirmation ? "confirmation.reply" : "clarification.reply",
    reply_token: question?.reply_token,
    subscription_id: stage.subscriptionId,
    timestamp: formatTimestamp(stage.rig.clock.wallTime()),
    ...(isConfirmation ? { decision: "accept" } : { response: "Tuesday" }),
    ...changes,
  };
}

/** What the call was refused with. */
async function refusalOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (caught) {
    return caught;
  }
  throw new Error("nothing was refused");
}

describe("aaep.confirm, aaep.clarify", () => {
  test("answer with the outcome, everything that was said with it, and no more", async () => {
    const stage = conversation();
    const outcome = stage.agent.call("aaep.confirm", CONFIRM);
    const [question] = questionsOf(stage);
    expect(question).toMatchObject({
      type: "aaep:agent.awaiting.confirmation",
      urgency: "critical",
      timeout_seconds: 300,
      default_decision: "reject",
      reply_token: expect.stringMatching(/^rpl_[0-9a-f]{32}$/),
    });
    expect(stage.listener.call("aaep.list_pending", { after: String(2 ** 40) })).toEqual({ questions: [] });
    const reply = replyTo(stage, question, { decided_by: "Ada", decision_rationale: "Why not?" });
    expect(stage.listener.call("aaep.reply", reply)).toEqual({ accepted: true });
    expect(await outcome).toEqual({
      decision: "accept",
      resolved_by: "reply",
      decided_by: "Ada",
      decision_rationale: "Why not?",
      event_id: question?.event_id,
      reply_token: question?.reply_token,
    });
  });

  test("a clarification's answer, with how sure it is; a token of the agent's own", async () => {
    const stage = conversation();
    const outcome = stage.agent.call("aaep.clarify", {
      ...CLARIFY,
      reply_token: "rpl_mine",
      accepted_response_kinds: ["numeric", "yes_no"],
    });
    const [question] = questionsOf(stage);
    const refused = replyTo(stage, question, { response: "4" });
    expect(stage.listener.call("aaep.reply", refused)).toEqual({ accepted: false });
    const reply = replyTo(stage, question, { response: 4, confidence: 0.5 });
    expect(stage.listener.call("aaep.reply", reply)).toEqual({ accepted: true });
    expect(await outcome).toMatchObject({
      response: 4,
      resolved_by: "reply",
      confidence: 0.5,
      reply_token: "rpl_mine",
    });
    expect(await outcome).not.toHaveProperty("decision");
  });

  test("a timeout, an absence and a withdrawal are told as what they are", async () => {
    const stage = conversation();
    const timedOut = stage.agent.call("aaep.confirm", { ...CONFIRM, timeout_seconds: 5 });
    const withdrawn = stage.agent.call("aaep.clarify", { ...CLARIFY, reply_token: "rpl_1" });
    const alone = stage.agent.call("aaep.clarify", { ...CLARIFY, question: "When?", default_response: "now" });
    stage.rig.advance(5000);
    expect(await timedOut).toMatchObject({ decision: "reject", resolved_by: "timeout" });
    expect(stage.agent.call("aaep.cancel", { reply_token: "rpl_1" })).toEqual({ cancelled: true });
    expect(stage.agent.call("aaep.cancel", { reply_token: "rpl_1" })).toEqual({ cancelled: false });
    expect(await withdrawn).toEqual({ resolved_by: "cancelled", reply_token: "rpl_1", event_id: expect.any(String) });
    stage.listener.call("aaep.close", { type: "subscription.close", subscription_id: stage.subscriptionId });
    expect(await alone).toMatchObject({ response: "now", resolved_by: "subscription_ended" });
    expect(await stage.agent.call("aaep.confirm", CONFIRM)).toMatchObject({
      decision: "reject",
      resolved_by: "no_subscriber",
    });
  });

  test("waiting for a person is told, begin and end, and the outcome only once", async () => {
    const stage = conversation();
    const outcome = stage.agent.call("aaep.confirm", { ...CONFIRM, reply_token: "rpl_1" });
    expect(stage.agent.told).toMatchObject([
      { method: "aaep.waiting", params: { reply_token: "rpl_1", session_id: "sess_1", waiting: true } },
    ]);
    stage.listener.call("aaep.reply", replyTo(stage, questionsOf(stage)[0]));
    await outcome;
    expect(stage.agent.told.map(({ method, params }) => [method, params.waiting])).toEqual([
      ["aaep.waiting", true],
      ["aaep.waiting", false],
    ]);
  });

  test("cancelling the request takes the question back; the end of its connection does not yet (R8)", async () => {
    const stage = conversation();
    const [cancel, end] = [new CallSignal(), new CallSignal()];
    const cancelled = stage.agent.call("aaep.confirm", CONFIRM, cancel);
    cancel.abort("cancelled");
    expect(await cancelled).toMatchObject({ resolved_by: "cancelled" });
    stage.agent.call("aaep.confirm", { ...CONFIRM, reply_token: "rpl_1" }, end);
    end.abort("ended");
    stage.agent.session.ended();
    expect(questionsOf(stage)).toHaveLength(1);
    stage.rig.advance(5000);
    expect(questionsOf(stage)).toHaveLength(0);
    const resume_token = stage.resumeToken;
    expect(stage.peer().call("aaep.outcome_of", { reply_token: "rpl_1", resume_token })).toMatchObject({
      state: "resolved",
      resolved_by: "cancelled",
    });
  });

  test("a request that was cancelled before it was looked at asks nobody for long", async () => {
    const stage = conversation();
    const outcome = stage.agent.call(
      "aaep.confirm",
      CONFIRM,
      Object.assign(new CallSignal(), { reason: "cancelled" } as const),
    );
    expect(await outcome).toMatchObject({ resolved_by: "cancelled" });
  });

  test.each([undefined, null, [], "Send it?", [CONFIRM]])("params %j are refused", async (params) => {
    const stage = conversation();
    for (const method of ["aaep.confirm", "aaep.clarify"]) {
      expect(await refusalOf(() => stage.agent.call(method, params))).toMatchObject({
        code: "invalid_params",
        pointer: "",
      });
    }
  });

  const WRONG: readonly (readonly [string, Message, string])[] = [
    ["aaep.confirm", { session_id: undefined }, "/session_id"],
    ["aaep.confirm", { timeout_seconds: 0 }, "/timeout_seconds"],
    ["aaep.confirm", { reply_token: "token" }, "/reply_token"],
    ["aaep.clarify", { accepted_response_kinds: ["gesture"] }, "/accepted_response_kinds/0"],
    ["aaep.clarify", { default_response: 5 }, "/default_response"],
  ];
  test.each(WRONG)(
    "%s with %j is refused where it is wrong, and nothing is asked",
    async (method, changes, pointer) => {
      const stage = conversation();
      const fields = { ...(method === "aaep.confirm" ? CONFIRM : CLARIFY), ...changes };
      const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
      expect(await refusalOf(() => stage.agent.call(method, given))).toMatchObject({ code: "invalid_event", pointer });
      expect(questionsOf(stage)).toEqual([]);
      expect(stage.agent.told).toEqual([]);
    },
  );

  test.each(["aaep.confirm", "aaep.clarify", "aaep.outcome_of"])(
    "%s without an id is refused: nobody would hear its answer",
    async (method) => {
      const stage = conversation();
      stage.agent.tell(method, { session_id: 5 });
      // A promise that nobody holds would end the process here.
      await new Promise(setImmediate);
      expect(stage.agent.told).toMatchObject([
        { method: "aaep.error", params: { code: "invalid_message", pointer: "/id" } },
      ]);
    },
  );
});

describe("R20: an agent that asks too much", () => {
  test("is refused before its connection is read no further, and can take back what it asked", async () => {
    const stage = conversation();
    const sessions = new Set<string>();
    const ask = (index: number) => {
      const session_id = `sess_many${Math.floor(index / 64)}`;
      if (!sessions.has(session_id)) {
        sessions.add(session_id);
        const started = { type: "aaep:agent.session.started", session_id, summary_normal: "Begins." };
        stage.agent.call("aaep.publish", started);
      }
      const action = `Do ${index}.`;
      return stage.agent.call("aaep.confirm", { ...CONFIRM, session_id, action, reply_token: `rpl_${index}` });
    };
    for (let index = 0; index < MAX_AWAITED_COUNT; index += 1) void ask(index);
    expect(stage.rig.engine.status().openQuestionCount).toBe(MAX_AWAITED_COUNT);
    expect(await refusalOf(() => ask(MAX_AWAITED_COUNT))).toMatchObject({ code: "rate_limit" });
    // What was refused for itself was never counted, and other connections have room.
    const refused = { ...CONFIRM, session_id: "sess_other" };
    expect(await refusalOf(() => stage.peer().call("aaep.confirm", refused))).toMatchObject({
      code: "session_not_started",
    });
    expect(stage.agent.call("aaep.cancel", { reply_token: "rpl_7" })).toEqual({ cancelled: true });
    for (let index = 0; index < 3; index += 1) {
      expect(await refusalOf(() => stage.agent.call("aaep.confirm", refused))).toMatchObject({
        code: "session_not_started",
      });
    }
    void ask(MAX_AWAITED_COUNT);
    expect(stage.rig.engine.status().openQuestionCount).toBe(MAX_AWAITED_COUNT);
    expect(await refusalOf(() => ask(MAX_AWAITED_COUNT + 1))).toMatchObject({ code: "rate_limit" });
  });
});

describe("aaep.cancel, aaep.outcome_of", () => {
  test.each([undefined, {}, { reply_token: 5 }, [], "rpl_1"])("params %j are refused", (params) => {
    const stage = conversation();
    for (const method of ["aaep.cancel", "aaep.outcome_of"]) {
      expect(() => stage.agent.call(method, params)).toThrow(/invalid_params/);
    }
  });

  test("another agent cannot cancel, nor can a subscriber", () => {
    const stage = conversation();
    stage.agent.call("aaep.confirm", { ...CONFIRM, reply_token: "rpl_1" });
    expect(stage.peer().call("aaep.cancel", { reply_token: "rpl_1" })).toEqual({ cancelled: false });
    expect(stage.listener.call("aaep.cancel", { reply_token: "rpl_1" })).toEqual({ cancelled: false });
    expect(questionsOf(stage)).toHaveLength(1);
  });

  test("open, resolved, and never heard of", () => {
    const stage = conversation();
    stage.agent.call("aaep.confirm", { ...CONFIRM, reply_token: "rpl_1" });
    const outcome = () => stage.agent.call("aaep.outcome_of", { reply_token: "rpl_1" });
    expect(outcome()).toEqual({ state: "open", reply_token: "rpl_1" });
    stage.listener.call("aaep.reply", replyTo(stage, questionsOf(stage)[0], { decision: "reject" }));
    expect(outcome()).toMatchObject({ state: "resolved", decision: "reject", resolved_by: "reply" });
    expect(() => stage.agent.call("aaep.outcome_of", { reply_token: "rpl_2" })).toThrow(/not_found/);
  });

  test("R19: to another connection a token that is known and one that is not are the same", async () => {
    const stage = conversation();
    stage.agent.call("aaep.confirm", { ...CONFIRM, reply_token: "rpl_1" });
    const stranger = stage.peer();
    const refused = (params: Message) => refusalOf(() => stranger.call("aaep.outcome_of", params));
    const unknown = await refused({ reply_token: "rpl_2" });
    expect(unknown).toMatchObject({ code: "not_found", pointer: "/reply_token" });
    expect(await refused({ reply_token: "rpl_1" })).toEqual(unknown);
    expect(await refused({ reply_token: "rpl_1", resume_token: "rst_guessed" })).toEqual(unknown);
    stage.listener.call("aaep.reply", replyTo(stage, questionsOf(stage)[0]));
    expect(await refused({ reply_token: "rpl_1" })).toEqual(unknown);
    expect(await refused({ reply_token: "rpl_1", resume_token: 5 })).toMatchObject({
      code: "invalid_params",
      pointer: "/resume_token",
    });
    const { resumeToken } = stage;
    expect(stranger.call("aaep.outcome_of", { reply_token: "rpl_1", resume_token: resumeToken })).toMatchObject({
      state: "resolved",
      decision: "accept",
    });
  });
});

describe("AAEP §6.3.4, R19: a reply that is none", () => {
  test.each<readonly [method: string, field: string, value: unknown]>([
    ["aaep.confirm", "type", "confirmation.answer"],
    ["aaep.confirm", "reply_token", undefined],
    ["aaep.confirm", "subscription_id", "listener"],
    ["aaep.confirm", "timestamp", "2026-02-30T14:00:00.000Z"],
    ["aaep.confirm", "decided_by", "x".repeat(20_000)],
    ["aaep.confirm", "decision", "ACCEPT"],
    ["aaep.confirm", "modified_action", "cheaper"],
    ["aaep.clarify", "type", undefined],
    ["aaep.clarify", "timestamp", 1_779_632_531],
    ["aaep.clarify", "response", ["Tuesday"]],
    ["aaep.clarify", "confidence", 1.1],
  ])("%s: %s %j", (method, field, value) => {
    const stage = conversation();
    stage.agent.call(method, method === "aaep.confirm" ? CONFIRM : CLARIFY);
    const [question] = questionsOf(stage);
    const reply = replyTo(stage, question, { [field]: value });
    const sent = Object.fromEntries(Object.entries(reply).filter(([, given]) => given !== undefined));
    expect(stage.listener.call("aaep.reply", sent)).toEqual({ accepted: false });
    // Over the notification there is not even that.
    stage.listener.tell("aaep.reply", sent);
    expect(stage.listener.told).toEqual([]);
    // Only the audit log says why, and where.
    const replies = stage.rig.audit.filter(({ kind }) => kind === "reply");
    expect(replies).toMatchObject([0, 1].map(() => ({ fate: "malformed", pointer: `/${field}` })));
    expect(questionsOf(stage)).toHaveLength(1);
    // And the good one counts.
    expect(stage.listener.call("aaep.reply", replyTo(stage, question))).toEqual({ accepted: true });
  });

  test.each([undefined, null, [], 5, "accept", {}])("%j as a whole", (message) => {
    const stage = conversation();
    stage.agent.call("aaep.confirm", CONFIRM);
    expect(stage.listener.call("aaep.reply", message)).toEqual({ accepted: false });
    expect(questionsOf(stage)).toHaveLength(1);
  });

  test("R19: over another connection, over none, and in another's name, it has the same answer", () => {
    const stage = conversation();
    stage.agent.call("aaep.confirm", CONFIRM);
    const [question] = questionsOf(stage);
    const reply = replyTo(stage, question);
    const other = stage.peer();
    expect(other.call("aaep.reply", reply)).toEqual({ accepted: false });
    const theirs = other.call("aaep.subscribe", {
      type: "subscription.request",
      aaep_version: "1.0.0",
      subscriber_id: "other",
      capabilities: CAPABLE,
    }) as Message;
    expect(other.call("aaep.reply", reply)).toEqual({ accepted: false });
    expect(stage.listener.call("aaep.reply", { ...reply, subscription_id: theirs.subscription_id })).toEqual({
      accepted: false,
    });
    const fates = stage.rig.audit.flatMap((entry) => (entry.kind === "reply" ? [entry.fate] : []));
    expect(fates).toEqual(["wrong_subscription", "wrong_subscription", "wrong_subscription"]);
    other.call("aaep.list_pending", {});
    expect(other.call("aaep.reply", { ...reply, subscription_id: theirs.subscription_id })).toEqual({ accepted: true });
  });
});

describe("methods", () => {
  test("an unknown one is refused with the nearest known one", () => {
    const { agent } = conversation();
    const fault = faultOf(() => agent.call("aaep.confrm", CONFIRM));
    expect([fault.code, fault.sentence]).toEqual([
      "unknown_method",
      'There is no method "aaep.confrm". Did you mean aaep.confirm?',
    ]);
    expect(faultOf(() => agent.call("publish")).sentence).toMatch(/Did you mean aaep\.publish\?$/);
    expect(faultOf(() => agent.call("tools/list")).sentence).toBe('There is no method "tools/list".');
  });

  test.each([...RPC_METHODS, "aaepd.skip"])("%s is known", (method) => {
    const { listener } = conversation();
    try {
      void Promise.resolve(listener.call(method, {})).catch(() => {});
    } catch (caught) {
      expect((caught as Fault).code).not.toBe("unknown_method");
    }
  });
});
