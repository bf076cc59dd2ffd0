// R29 as agents see it: what they are told is safe, and where it cannot be made so they are told that, and nobody else is concerned.
import { describe, expect, it } from "vitest";
import { Fault } from "../../../../src/base/errors.js";
import { CallSignal } from "../../../../transports/json-rpc/call-signal.js";
import { rpcCall } from "../../../support/peers/rpc-call.js";
import { createAgentServiceRig } from "../../../support/rigs/agent-service-rig.js";
import { createKeptDisk, type DurableRing } from "../../../support/rigs/durable-ring.js";
import { createEngineRig, type EngineRig, type RigOptions, session } from "../../../support/rigs/engine-rig.js";
import { ABLE, confirmation, give } from "../../../support/rigs/question-rig.js";
import { told } from "../../../support/rigs/restart-rig.js";
import { openRpcPeer } from "../../../support/rigs/rpc-peer.js";

type Message = Readonly<Record<string, unknown>>;

interface Disk {
  readonly options: RigOptions;
  readonly setFailing: (isFailing: boolean) => void;
  readonly flush: () => Promise<void>;
}

function createDisk(): Disk {
  const disk = createKeptDisk();
  let journal: DurableRing | undefined;
  return {
    options: {
      openJournal: (clock) => {
        journal = disk.open(clock);
        return journal;
      },
    },
    setFailing: disk.setFailing,
    flush: async () => {
      journal?.flush();
      await told();
    },
  };
}

function createPeer(rig: EngineRig) {
  const { session: peer, told: notified } = openRpcPeer(rig);
  const handlers = peer;
  return {
    notified,
    /** How the questions ended that it was told of. */
    outcomes: () => notified.flatMap(({ method, params }) => (method === "aaep.outcome" ? [params.resolved_by] : [])),
    /** What has become of the call by now. */
    call: (method: string, params: unknown, signal?: CallSignal) => {
      const answer: { value: unknown } = { value: "none yet" };
      const codeOf = (caught: unknown) => (caught instanceof Fault ? caught.code : caught);
      try {
        void Promise.resolve(handlers.request(rpcCall(method, params, signal ?? new CallSignal()))).then(
          (value) => (answer.value = value),
          (caught) => (answer.value = codeOf(caught)),
        );
      } catch (caught) {
        answer.value = codeOf(caught);
      }
      return answer;
    },
    tell: (method: string, params: unknown) => handlers.notification(rpcCall(method, params, new CallSignal())),
    hangUp: () => peer.ended(),
  };
}

describe("R29: over JSON-RPC", () => {
  it("every answer waits until what it says is safe", async () => {
    const disk = createDisk();
    const rig = createEngineRig(disk.options);
    const [agent, heir] = [createPeer(rig), createPeer(rig)];
    const person = rig.listen(ABLE);
    const started = agent.call("aaep.publish", session().started());
    await told();
    expect(started.value).toBe("none yet");
    await disk.flush();
    await told();
    const { resume_token } = started.value as Message;
    expect(resume_token).toMatch(/^rst_/);

    agent.tell("aaep.publish", confirmation("rpl_1"));
    agent.tell("aaep.publish", confirmation("rpl_2"));
    rig.clock.settle();
    const cancelled = agent.call("aaep.cancel", { reply_token: "rpl_1" });
    give(rig, person, "rpl_2", "accept");
    const resumed = heir.call("aaep.resume_session", { session_id: "sess_1", resume_token });
    await told();
    expect([cancelled.value, resumed.value]).toEqual(["none yet", "none yet"]);
    expect(heir.call("aaep.outcome_of", { reply_token: "rpl_2" }).value).toBe("none yet");
    await disk.flush();
    expect(cancelled.value).toEqual({ cancelled: true });
    // Who took the session over behind the outcomes has them with the answer, when they are safe.
    const outcomes = [
      { reply_token: "rpl_1", outcome: "cancelled" },
      { reply_token: "rpl_2", outcome: "accepted" },
    ];
    expect(resumed.value).toMatchObject({ outcomes, open_questions: [] });
    expect(heir.outcomes()).toEqual([]);
  });

  it("that a reply counted is told when its outcome is safe", async () => {
    const disk = createDisk();
    const rig = createEngineRig(disk.options);
    const [agent, person] = [createPeer(rig), createPeer(rig)];
    const accepted = person.call("aaep.subscribe", {
      type: "subscription.request",
      aaep_version: "1.0.0",
      subscriber_id: "person",
      capabilities: { supports_confirmation_reply: true },
    });
    agent.tell("aaep.publish", session().started());
    agent.tell("aaep.publish", confirmation("rpl_1"));
    await disk.flush();
    const { subscription_id } = accepted.value as Message;
    const listed = person.call("aaep.list_pending", { subscription_id });
    await disk.flush();
    const [question] = (listed.value as { readonly questions: readonly Message[] }).questions;
    const reply = {
      type: "confirmation.reply",
      subscription_id,
      reply_token: question?.reply_token,
      decision: "accept",
      timestamp: question?.timestamp,
    };
    const counted = person.call("aaep.reply", reply);
    const late = person.call("aaep.reply", reply);
    await told();
    expect([counted.value, late.value]).toEqual(["none yet", { accepted: false }]);
    await disk.flush();
    expect(counted.value).toEqual({ accepted: true });
  });

  it("a flush that fails is a typed error to those who waited, and the others go on", async () => {
    const disk = createDisk();
    const rig = createEngineRig(disk.options);
    const [agent, other] = [createPeer(rig), createPeer(rig)];
    const person = rig.listen(ABLE);
    const started = agent.call("aaep.publish", session().started());
    const second = other.call("aaep.publish", session("sess_2").started());
    await disk.flush();
    await disk.flush();
    const resume = { session_id: "sess_1", resume_token: (started.value as Message).resume_token };
    expect((second.value as Message).resume_token).toMatch(/^rst_/);
    const signal = new CallSignal();
    const { reply_token: _, ...question } = confirmation("rpl_1");
    const asking = agent.call("aaep.confirm", question, signal);
    disk.setFailing(true);
    const late = agent.call("aaep.publish", session().progress(1));
    await disk.flush();
    expect(late.value).toBe("storage_unavailable");
    for (const [method, params] of [
      ["aaep.publish", session("sess_2").progress(2)],
      ["aaep.resume_session", resume],
    ] as const) {
      const refused = other.call(method, params);
      await told();
      expect([method, refused.value]).toEqual([method, "storage_unavailable"]);
    }
    agent.tell("aaep.publish", session().progress(3));
    expect(agent.notified.filter(({ method }) => method === "aaep.error")).toMatchObject([
      { params: { code: "storage_unavailable" } },
    ]);
    // Nobody can take it back now, and so it waits.
    signal.abort("cancelled");
    await told();
    expect(asking.value).toBe("none yet");
    // What was accepted is delivered.
    rig.clock.settle();
    expect(person.received.map(({ event }) => event.progress)).toContainEqual({ percent: 1 });
    disk.setFailing(false);
    await disk.flush();
    rig.advance(301_000);
    await disk.flush();
    await told();
    expect(asking.value).toMatchObject({ resolved_by: "timeout", decision: "reject" });
  });

  it("a cancellation by notification that cannot be made safe is told as an error", async () => {
    const disk = createDisk();
    const rig = createEngineRig(disk.options);
    const agent = createPeer(rig);
    rig.listen(ABLE);
    agent.call("aaep.publish", session().started());
    agent.call("aaep.publish", confirmation("rpl_1"));
    await disk.flush();
    disk.setFailing(true);
    agent.tell("aaep.cancel", { reply_token: "rpl_1" });
    await disk.flush();
    expect(agent.notified).toContainEqual({
      method: "aaep.error",
      params: expect.objectContaining({ code: "storage_unavailable" }),
    });
  });
});

it.each(["a disk", "memory"])(
  "R8: a start by notification tells nobody the token, also not who repeats it: %s",
  async (kind) => {
    const disk = createDisk();
    const rig = createEngineRig(kind === "memory" ? {} : disk.options);
    const flush = async () => {
      for (let count = 0; count < 2; count += 1) await disk.flush();
    };
    const [agent, next] = [createPeer(rig), createPeer(rig)];
    const start = { ...session().started(), event_id: "evt_started" };
    agent.tell("aaep.publish", start);
    await flush();
    agent.hangUp();
    const claimed = next.call("aaep.publish", start);
    await flush();
    await told();
    expect(claimed.value).toMatchObject({ events: [{ event_id: "evt_started" }] });
    expect(claimed.value).toMatchObject({ resume_token: undefined });
  },
);

describe("R29: over services", () => {
  it("a session is taken over when that is safe, by a call and on a stream; while the disk takes nothing, not at all", async () => {
    const disk = createDisk();
    const { rig, stream, call, refusalOf, settle } = createAgentServiceRig(disk.options);
    const receipt = rig.agent.publish([{ fields: session().started() }], false);
    const claim = { session_id: "sess_1", resume_token: receipt.resumeToken };
    const agent = stream();
    agent.send({ request_id: "mine", resume: claim });
    const called = call("resumeSession", { session: claim });
    await settle();
    expect(agent.heard()).toEqual([]);
    await disk.flush();
    await settle();
    expect(agent.heard()).toMatchObject([{ request_id: "mine", session: { session_id: "sess_1" } }]);
    expect(await called).toMatchObject({ session: { session_id: "sess_1" } });

    disk.setFailing(true);
    const { agent_key } = await called;
    const publishing = refusalOf("publishBatch", {
      agent_key,
      publish: { events: [session().progress(1)], resume_token: claim.resume_token },
    });
    await settle();
    await disk.flush();
    expect(await publishing).toMatchObject({ code: "storage_unavailable" });
    agent.send({ request_id: "again", resume: claim });
    await settle();
    expect(agent.heard().at(-1)).toMatchObject({ request_id: "again", error: { code: "storage_unavailable" } });
    expect(await refusalOf("resumeSession", { session: claim })).toMatchObject({ code: "storage_unavailable" });
  });

  it("R8: who ends a stream before its start is answered is told the token, and nobody else", async () => {
    const disk = createDisk();
    const { rig, stream, settle, advance } = createAgentServiceRig(disk.options);
    const [agent, other] = [stream(), stream()];
    const start = { publish: { events: [{ ...session().started(), event_id: "evt_started" }] } };
    agent.send({ request_id: "mine", ...start });
    agent.halfClose();
    await settle();
    other.send({ request_id: "theirs", ...start });
    await settle();
    expect([agent.heard(), other.heard()]).toEqual([[], []]);
    for (let count = 0; count < 2; count += 1) {
      await disk.flush();
      await settle();
    }
    expect(agent.heard()).toMatchObject([{ request_id: "mine", receipt: { resume_token: expect.any(String) } }]);
    expect(agent.status()).toBe("OK");
    other.send({ request_id: "again", ...start });
    await settle();
    const [theirs, again] = other.heard();
    for (const heard of [theirs, again]) expect(heard?.receipt).not.toHaveProperty("resume_token");
    // Its grace began once it was told.
    await advance(5000);
    expect(rig.engine.status().openSessionCount).toBe(0);
  });
});
