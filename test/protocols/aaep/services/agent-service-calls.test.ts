// The single calls of AgentService, and agents that are known between them by a lease (R8, R29, AAEP ch. 6).
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { PublishBatchRequestSchema } from "#gen/aaep/v1/agent_service_pb.js";
import type { Journal } from "../../../../src/contracts/journal.js";
import { MAX_LEASES } from "../../../../src/protocols/aaep/services/agent-leases.js";
import { CallSignal } from "../../../../transports/json-rpc/call-signal.js";
import {
  AGENT_IDLE_MS,
  type AgentServiceRig,
  createAgentServiceRig,
  type Document,
  type MethodName,
} from "../../../support/rigs/agent-service-rig.js";
import { session, textOf } from "../../../support/rigs/engine-rig.js";
import { ABLE, confirmation, decision, give } from "../../../support/rigs/question-rig.js";

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
  it("answers with places, a token where a session started, and a key that the next call shows", async () => {
    const service = createAgentServiceRig();
    const listener = service.rig.listen();
    const answer = await service.call("publishBatch", batch({}, session().started(), session().chunk("Hel")));
    expect(answer).toEqual({
      receipt: {
        events: [
          { event_id: expect.stringMatching(/^evt_/), epoch: 1000, resume_token: expect.stringMatching(/^rst_/) },
          { event_id: expect.stringMatching(/^evt_/), epoch: 1001 },
        ],
        resume_token: expect.stringMatching(/^rst_/),
      },
      agent_key: expect.stringMatching(/^.{32}$/),
    });
    const { agent_key } = answer;
    const next = await service.call("publishBatch", batch({ agent_key }, session().chunk("lo.", true)));
    expect(next.agent_key).toBe(agent_key);
    service.rig.clock.settle();
    expect(textOf(listener.received, "out_1")).toBe("Hello.");
    expect(service.service.leaseCount()).toBe(1);
  });

  it("takes a chunk that does not say that it is the last as one that is not, by calls and on a stream", async () => {
    const service = createAgentServiceRig();
    const listener = service.rig.listen({ coalesceBoundaries: ["none"] });
    const { complete: _, ...chunk } = session().chunk("Hel");
    const { agent_key } = await service.call("publishBatch", batch({}, session().started(), chunk));
    await service.call(
      "publishBatch",
      batch({ agent_key: String(agent_key) }, { ...session().chunk("lo."), complete: true }),
    );
    const agent = service.stream();
    agent.send({ publish: { events: [session("sess_2").started(), { ...chunk, session_id: "sess_2" }] } });
    await service.settle();
    const heard = listener.received.flatMap(({ event }) => (event.chunk === undefined ? [] : [event.complete]));
    expect(heard).toEqual([false, true, false]);
  });

  it("publishes all or none, and keeps nobody who published nothing (R3)", async () => {
    const service = createAgentServiceRig();
    expect(
      await service.refusalOf("publishBatch", batch({}, session().started(), session("sess_2").progress(5))),
    ).toMatchObject({
      code: "session_not_started",
      pointer: "/1/session_id",
    });
    expect(service.rig.engine.status().openSessionCount).toBe(0);
    expect(service.service.leaseCount()).toBe(0);
  });

  it.each<[string, Document, Document]>([
    ["no batch", {}, { code: "invalid_message", pointer: "/publish" }],
    ["513 events", batch({}, ...Array.from({ length: 513 }, () => ({}))), { code: "message_too_large" }],
    ["an event of nothing", batch({}, {}), { code: "invalid_event", pointer: "/0/type" }],
  ])("refuses %s", async (_, request, refusal) => {
    expect(await createAgentServiceRig().refusalOf("publishBatch", request)).toMatchObject(refusal);
  });

  it("refuses bytes that are none", async () => {
    const { callBytes, settle } = createAgentServiceRig();
    await expect(callBytes("publishBatch", new Uint8Array([0xff, 0xff]))).rejects.toMatchObject({
      code: "invalid_message",
    });
    const event = {
      sessionId: "sess_1",
      payload: { case: "sessionStarted" as const, value: { summaryNormal: "Begins." } },
    };
    const answer = await callBytes(
      "publishBatch",
      toBinary(PublishBatchRequestSchema, create(PublishBatchRequestSchema, { publish: { events: [event] } })),
    );
    await settle();
    expect(answer.agent_key).toEqual(expect.any(String));
  });

  it("is answered once what was published is safe (R29)", async () => {
    let settler = (): void => {};
    const around = (journal: Journal) => ({
      append: (events: Parameters<Journal["append"]>[0]) => ({
        ...journal.append(events),
        durable: new Promise<void>((resolve) => {
          settler = resolve;
        }),
      }),
    });
    const { call, settle } = createAgentServiceRig({ around });
    let isAnswered = false;
    const answer = call("publishBatch", batch({}, session().started())).then(() => {
      isAnswered = true;
    });
    await settle();
    expect(isAnswered).toBe(false);
    settler();
    await answer;
    expect(isAnswered).toBe(true);
  });

  it("takes turns where it costs much, and is not made any more where nobody waits for it", async () => {
    const service = createAgentServiceRig();
    const keys = await Promise.all([begun(service, "sess_1"), begun(service, "sess_2"), begun(service, "sess_3")]);
    const gone = new CallSignal();
    const ends = keys.map(({ agent_key }, index) =>
      service.call(
        "publishBatch",
        batch({ agent_key }, session(`sess_${index + 1}`).completed()),
        index === 1 ? gone : undefined,
      ),
    );
    expect(service.rig.engine.status().openSessionCount).toBe(2);
    gone.abort("ended");
    const settled = Promise.allSettled(ends);
    await service.settle();
    expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(service.rig.engine.status().openSessionCount).toBe(1);
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

  it("names itself, for all that it publishes then; an empty identity keeps nobody", async () => {
    const service = createAgentServiceRig();
    const listener = service.rig.listen();
    const { agent_key } = await service.call("setManifest", { manifest: MANIFEST });
    await service.call("publishBatch", batch({ agent_key }, session().started()));
    service.rig.clock.settle();
    expect(listener.received[0]?.event.producer).toEqual({ agent_id: "writer" });
    expect(await service.refusalOf("setManifest", {})).toMatchObject({ code: "invalid_message", pointer: "/manifest" });
    expect(await service.refusalOf("setManifest", { manifest: { agent_version: "1" } })).toMatchObject({
      code: "invalid_message",
    });
    expect(service.service.leaseCount()).toBe(1);
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
  it("takes over a session of a stream that went away, and says where it stands", async () => {
    const service = createAgentServiceRig();
    service.rig.listen(ABLE);
    const { agent, resume_token } = await streaming(service);
    agent.send({ publish: { events: [session().chunk("Hel"), confirmation("rpl_1")] } });
    await service.settle();
    agent.hangUp();
    await service.settle();
    const resumed = service.call("resumeSession", { session: { session_id: "sess_1", resume_token } });
    const { session: summary, agent_key } = await resumed;
    expect(summary).toMatchObject({
      session_id: "sess_1",
      open_outputs: [{ output_id: "out_1", position: 3 }],
      open_questions: [{ reply_token: "rpl_1" }],
    });
    await service.advance(GRACE_MS);
    await service.call("publishBatch", batch({ agent_key }, session().chunk("lo.", true)));
    expect(service.rig.engine.status().openSessionCount).toBe(1);
  });

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

  it("ask in a session of a stream, whose agent hears that a person is waited for", async () => {
    const service = createAgentServiceRig();
    const listener = service.rig.listen(ABLE);
    const { agent, resume_token } = await streaming(service);
    expect(await service.refusalOf("confirm", { event: CONFIRM })).toMatchObject({ code: "session_not_yours" });
    const answer = service.call("confirm", { event: { ...CONFIRM, reply_token: "rpl_1" }, resume_token });
    await service.settle();
    give(service.rig, listener, "rpl_1", "accept");
    expect(await answer).toEqual({ outcome: expect.objectContaining({ decision: "accept" }) });
    await service.settle();
    expect(
      agent
        .heard()
        .slice(1)
        .map(({ waiting }) => (waiting as Document).waiting),
    ).toEqual([true, false]);
    expect(service.service.leaseCount()).toBe(0);
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

  it("a deadline leaves it open, and GetOutcome tells the outcome", async () => {
    const service = createAgentServiceRig();
    const listener = service.rig.listen(ABLE);
    const { agent_key } = await begun(service);
    const signal = new CallSignal();
    void service.call("confirm", { event: { ...CONFIRM, reply_token: "rpl_1" }, agent_key }, signal);
    await service.settle();
    signal.abort("ended");
    await service.settle();
    expect(await service.call("getOutcome", { reply_token: "rpl_1", agent_key })).toEqual({ agent_key });
    give(service.rig, listener, "rpl_1", "accept");
    expect(await service.call("getOutcome", { reply_token: "rpl_1", agent_key })).toMatchObject({
      outcome: { decision: "accept", resolved_by: "reply" },
    });
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
  it("take back a question of one's own, once, and tell how it ended", async () => {
    const service = createAgentServiceRig();
    service.rig.listen(ABLE);
    const { agent_key } = await begun(service);
    await service.call("publishBatch", batch({ agent_key }, confirmation("rpl_1")));
    expect(await service.call("getOutcome", { reply_token: "rpl_1", agent_key })).toEqual({ agent_key });
    expect(await service.call("cancel", { reply_token: "rpl_1", agent_key })).toEqual({ cancelled: true, agent_key });
    expect(await service.call("cancel", { reply_token: "rpl_1", agent_key })).toEqual({ cancelled: false, agent_key });
    expect(await service.call("getOutcome", { reply_token: "rpl_1", agent_key })).toEqual({
      outcome: { event_id: expect.stringMatching(/^evt_/), reply_token: "rpl_1", resolved_by: "cancelled" },
      agent_key,
    });
  });

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
  it("answers a Confirm that is under way with its outcome, then takes no more calls", async () => {
    const service = createAgentServiceRig();
    service.rig.listen(ABLE);
    const { agent_key } = await begun(service);
    const answer = service.call("confirm", { event: CONFIRM, agent_key });
    await service.settle();
    void service.rig.engine.endSessions();
    service.service.close();
    expect(await answer).toMatchObject({ outcome: { resolved_by: "cancelled" } });
    expect(service.service.leaseCount()).toBe(0);
    expect(await service.refusalOf("publishBatch", batch({}, session("sess_2").started()))).toMatchObject({
      code: "shutting_down",
    });
    expect(service.rig.clock.pending()).toBeLessThanOrEqual(1);
  });

  it("a reply that has just been given reaches its agent", async () => {
    let settler = (): void => {};
    let isSlow = false;
    const around = (journal: Journal) => ({
      append: (events: Parameters<Journal["append"]>[0]) => {
        const appended = journal.append(events);
        if (!isSlow) return appended;
        return {
          ...appended,
          durable: new Promise<void>((resolve) => {
            settler = resolve;
          }),
        };
      },
    });
    const service = createAgentServiceRig({ around });
    const listener = service.rig.listen(ABLE);
    const { agent_key } = await begun(service);
    const answer = service.call("confirm", { event: { ...CONFIRM, reply_token: "rpl_1" }, agent_key });
    await service.settle();
    isSlow = true;
    expect(listener.subscription.listener.reply(decision(service.rig, "rpl_1", "accept"), {})).toBe(true);
    isSlow = false;
    void service.rig.engine.endSessions();
    service.service.close();
    settler();
    expect(await answer).toMatchObject({ outcome: { decision: "accept", resolved_by: "reply" } });
    expect(service.service.leaseCount()).toBe(0);
  });
});
