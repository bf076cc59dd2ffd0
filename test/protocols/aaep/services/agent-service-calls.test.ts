// The single calls of AgentService, and agents that are known between them by a lease (R8, R29, AAEP ch. 6).
import { describe, expect, it } from "vitest";
import { MAX_LEASES } from "../../../../src/protocols/aaep/services/agent-leases.js";
import { CallSignal } from "../../../../transports/json-rpc/call-signal.js";
import {
  AGENT_IDLE_MS,
  type AgentServiceRig,
  createAgentServiceRig,
  type Document,
  durableBy,
  type MethodName,
} from "../../../support/rigs/agent-service-rig.js";
import { session } from "../../../support/rigs/engine-rig.js";
import { ABLE, decision } from "../../../support/rigs/question-rig.js";

const GRACE_MS = 5000;
const CONFIRM = {
  type: "aaep:agent.awaiting.confirmation",
  session_id: "sess_1",
  action: "Send it.",
  consequence: "It is sent.",
};
const CLARIFY = { type: "aaep:agent.awaiting.clarification", session_id: "sess_1", question: "Which?" };
const MANIFEST = {
  type: "aaep:producer.manifest",
  "@context": "https://aaep-protocol.org/context/v1",
  agent_id: "writer",
};

interface Known {
  readonly agent_key: string;
  readonly resume_token: string;
}

/** An agent by single calls that has begun a session. */
async function begun({ call }: AgentServiceRig, id = "sess_1"): Promise<Known> {
  const answer = await call("publishBatch", { publish: { events: [session(id).started()] } });
  const receipt = answer.receipt as Document;
  return { agent_key: String(answer.agent_key), resume_token: String(receipt.resume_token) };
}

const batch = (claim: Document, ...events: readonly Document[]): Document => {
  const { resume_token, ...key } = claim;
  return { publish: { events, ...(resume_token === undefined ? {} : { resume_token }) }, ...key };
};

/** A session of an agent on a stream, and its token. */
async function streaming(service: AgentServiceRig) {
  const agent = service.stream();
  agent.send({ publish: { events: [session().started()] } });
  await service.settle();
  const receipt = agent.heard()[0]?.receipt as Document | undefined;
  return { agent, resume_token: String(receipt?.resume_token) };
}

describe("PublishBatch", () => {
  it.each<[string, Document, Document]>([
    ["no batch", {}, { code: "invalid_message", pointer: "/publish" }],
    ["513 events", batch({}, ...Array.from({ length: 513 }, () => ({}))), { code: "message_too_large" }],
    ["an event of nothing", batch({}, {}), { code: "invalid_event", pointer: "/0/type" }],
  ])("refuses %s", async (_, request, refusal) => {
    expect(await createAgentServiceRig().refusalOf("publishBatch", request)).toMatchObject(refusal);
  });
});

describe("an agent by single calls", () => {
  it("is kept for a while beyond the end of its last call, then its sessions have their grace (R8)", async () => {
    const service = createAgentServiceRig();
    const listener = service.rig.listen();
    const { agent_key } = await begun(service);
    await service.advance(AGENT_IDLE_MS - 1);
    await service.call("publishBatch", batch({ agent_key }, session().progress(5)));
    await service.advance(AGENT_IDLE_MS - 1);
    expect(service.service.leaseCount()).toBe(1);
    await service.advance(1);
    expect(service.service.leaseCount()).toBe(0);
    expect(service.rig.engine.status().openSessionCount).toBe(1);
    await service.advance(GRACE_MS);
    expect(service.rig.engine.status().openSessionCount).toBe(0);
    expect(listener.received.at(-1)?.event).toMatchObject({
      error_category: "transient",
      error_code: "AGENT_DISCONNECTED",
    });
  });

  it("whose key is not known is told what to show in its place", async () => {
    const service = createAgentServiceRig();
    const { agent_key, resume_token } = await begun(service);
    await service.advance(AGENT_IDLE_MS);
    const refusal = await service.refusalOf("publishBatch", batch({ agent_key, resume_token }, session().progress(5)));
    expect(refusal).toMatchObject({
      code: "not_found",
      pointer: "/agent_key",
      sentence: `No agent has this agent_key: an agent loses it after ${AGENT_IDLE_MS / 1000} s without a call, or when ${MAX_LEASES} other agents have called since. Begin anew without agent_key; show resume_token to go on with a session that is open.`,
    });
    // Within the grace it goes on as another agent.
    const answer = await service.call("publishBatch", batch({ resume_token }, session().progress(5)));
    expect(answer.agent_key).not.toBe(agent_key);
    await service.advance(GRACE_MS);
    expect(service.rig.engine.status().openSessionCount).toBe(1);
  });

  it.each<[MethodName, Document]>([
    ["publishBatch", { publish: { events: [] } }],
    ["confirm", { event: CONFIRM }],
    ["clarify", { event: CLARIFY }],
    ["cancel", { reply_token: "rpl_1" }],
    ["getOutcome", { reply_token: "rpl_1" }],
    ["resumeSession", { session: { session_id: "sess_1", resume_token: "rst_1" } }],
    ["setManifest", { manifest: MANIFEST }],
  ])("cannot be reached by a guess, in %s", async (name, request) => {
    const service = createAgentServiceRig();
    await begun(service);
    expect(await service.refusalOf(name, { ...request, agent_key: "0".repeat(32) })).toMatchObject({
      code: "not_found",
    });
  });

  it("who leaves nothing behind is forgotten at once, and gets no key", async () => {
    const service = createAgentServiceRig();
    const { resume_token } = await streaming(service);
    const answer = await service.call("publishBatch", batch({ resume_token }, session().progress(5)));
    expect(answer.agent_key).toBeUndefined();
    const whole = await service.call(
      "publishBatch",
      batch({}, session("sess_2").started(), session("sess_2").completed()),
    );
    expect(whole.agent_key).toBeUndefined();
    expect(service.service.leaseCount()).toBe(0);
  });
});

describe("ResumeSession", () => {
  it.each<[string, Document, Document]>([
    ["nothing", {}, { code: "invalid_message", pointer: "/session" }],
    ["no token", { session: { session_id: "sess_1" } }, { code: "invalid_message" }],
    ["another's token", { session: { session_id: "sess_1", resume_token: "rst_1" } }, { code: "session_not_yours" }],
    ["no such session", { session: { session_id: "sess_9", resume_token: "rst_1" } }, { code: "session_not_started" }],
  ])("refuses %s, and keeps nobody for it", async (_, request, refusal) => {
    const service = createAgentServiceRig();
    await begun(service);
    expect(await service.refusalOf("resumeSession", request)).toMatchObject(refusal);
    expect(service.service.leaseCount()).toBe(1);
  });
});

describe("Confirm and Clarify", () => {
  it("take the type from the payload, and refuse another's", async () => {
    const service = createAgentServiceRig();
    const { agent_key } = await begun(service);
    expect(await service.refusalOf("confirm", { event: CLARIFY, agent_key })).toMatchObject({
      code: "invalid_message",
      pointer: "/type",
    });
    expect(await service.refusalOf("clarify", { event: CONFIRM, agent_key })).toMatchObject({
      code: "invalid_message",
      pointer: "/type",
    });
    expect(await service.refusalOf("confirm", { agent_key })).toMatchObject({
      code: "invalid_message",
      pointer: "/event",
    });
    const { type: _, ...untyped } = CONFIRM;
    // Nobody listens, so the default applies at once.
    const answer = service.call("confirm", { event: untyped, agent_key });
    await service.settle();
    expect(await answer).toMatchObject({ outcome: { decision: "reject", resolved_by: "no_subscriber" } });
  });

  it("cancelling the call takes the question back", async () => {
    const service = createAgentServiceRig();
    service.rig.listen(ABLE);
    const { agent_key } = await begun(service);
    const signal = new CallSignal();
    const answer = service.call("confirm", { event: { ...CONFIRM, reply_token: "rpl_1" }, agent_key }, signal);
    await service.settle();
    signal.abort("cancelled");
    await answer;
    expect(service.rig.engine.status().openQuestionCount).toBe(0);
    expect(await service.call("getOutcome", { reply_token: "rpl_1", agent_key })).toMatchObject({
      outcome: { resolved_by: "cancelled" },
    });
  });

  it("nor is a question asked for long by a call that was cancelled before", async () => {
    const service = createAgentServiceRig();
    service.rig.listen(ABLE);
    const { agent_key } = await begun(service);
    const answer = service.call(
      "confirm",
      { event: CONFIRM, agent_key },
      Object.assign(new CallSignal(), { reason: "cancelled" } as const),
    );
    expect(await answer).toMatchObject({ outcome: { resolved_by: "cancelled" } });
    expect(service.rig.engine.status().openQuestionCount).toBe(0);
  });

  it("keep their agent while a person is waited for, and from their end on no longer than any call (R8)", async () => {
    const service = createAgentServiceRig();
    service.rig.listen(ABLE);
    const { agent_key } = await begun(service);
    const signal = new CallSignal();
    void service.call("confirm", { event: { ...CONFIRM, timeout_seconds: 3600 }, agent_key }, signal);
    await service.advance(10 * AGENT_IDLE_MS);
    expect(service.service.leaseCount()).toBe(1);
    signal.abort("ended");
    await service.advance(AGENT_IDLE_MS - 1);
    expect(service.service.leaseCount()).toBe(1);
    await service.advance(1);
    expect(service.service.leaseCount()).toBe(0);
    await service.advance(GRACE_MS);
    expect(service.rig.engine.status()).toMatchObject({ openSessionCount: 0, openQuestionCount: 0 });
  });
});

describe("Cancel and GetOutcome", () => {
  it("know nothing of a question that never was, or has no name", async () => {
    const service = createAgentServiceRig();
    const { agent_key } = await begun(service);
    for (const request of [{ agent_key }, { reply_token: "rpl_9", agent_key }]) {
      expect(await service.refusalOf("getOutcome", request)).toMatchObject({
        code: "not_found",
        pointer: "/reply_token",
      });
      expect(await service.call("cancel", request)).toEqual({ cancelled: false, agent_key });
    }
  });
});

describe("the daemon's end", () => {
  it("a reply that has just been given reaches its agent", async () => {
    const held = { settle: (): void => {} };
    let isSlow = false;
    const slow = () => new Promise<void>((resolve) => Object.assign(held, { settle: resolve }));
    const service = createAgentServiceRig(durableBy(() => (isSlow ? slow() : undefined)));
    const listener = service.rig.listen(ABLE);
    const { agent_key } = await begun(service);
    const answer = service.call("confirm", { event: { ...CONFIRM, reply_token: "rpl_1" }, agent_key });
    await service.settle();
    isSlow = true;
    expect(listener.subscription.listener.reply(decision(service.rig, "rpl_1", "accept"), {})).toBe(true);
    isSlow = false;
    void service.rig.engine.endSessions();
    service.service.close();
    held.settle();
    expect(await answer).toMatchObject({ outcome: { decision: "accept", resolved_by: "reply" } });
    expect(service.service.leaseCount()).toBe(0);
  });
});
