// What the resume_token of a session opens in single calls, which is that session and nothing else, and who learns an agent_key (R8, R19).
import { describe, expect, it } from "vitest";
import {
  AGENT_IDLE_MS,
  type AgentServiceRig,
  createAgentServiceRig,
  type Document,
} from "../../../support/rigs/agent-service-rig.js";
import { session, textOf } from "../../../support/rigs/engine-rig.js";
import { ABLE, confirmation, give } from "../../../support/rigs/question-rig.js";

const GRACE_MS = 5000;
const CONFIRM = {
  type: "aaep:agent.awaiting.confirmation",
  session_id: "sess_1",
  action: "Send it.",
  consequence: "It is sent.",
  reply_token: "rpl_1",
};

const batch = (resume_token: string | undefined, ...events: readonly Document[]): Document => ({
  publish: { events, ...(resume_token === undefined ? {} : { resume_token }) },
});

/** One whose calls have their turns. */
function createRig(): AgentServiceRig {
  const rig = createAgentServiceRig();
  const inTurn = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const settled = Promise.allSettled([answer]);
    await rig.settle();
    await settled;
    return await answer;
  };
  return {
    ...rig,
    call: (...of) => inTurn(rig.call(...of)),
    refusalOf: (...of) => inTurn(rig.refusalOf(...of)),
  };
}

/** An agent that has begun two sessions: its key and the token of each. */
async function begunTwice({ call }: AgentServiceRig) {
  const first = await call("publishBatch", batch(undefined, session("sess_1").started()));
  const { agent_key } = first;
  const second = await call("publishBatch", { ...batch(undefined, session("sess_2").started()), agent_key });
  const tokenOf = ({ receipt }: Document): string => String((receipt as Document).resume_token);
  return { agent_key: String(agent_key), tokens: [tokenOf(first), tokenOf(second)] as const };
}

describe("a stranger with the token of one session", () => {
  it("learns no key by any call, and leaves nobody behind", async () => {
    const service = createRig();
    service.rig.listen(ABLE);
    const { agent_key, tokens } = await begunTwice(service);
    const [resume_token] = tokens;
    await service.call("publishBatch", { ...batch(undefined, confirmation("rpl_9")), agent_key });
    const asking = service.call("confirm", { event: CONFIRM, resume_token });
    await service.settle();
    const answers = [
      await service.call("publishBatch", batch(resume_token)),
      await service.call("publishBatch", batch(resume_token, session("sess_1").progress(5))),
      await service.call("getOutcome", { reply_token: "rpl_9", resume_token }),
      await service.call("cancel", { reply_token: "rpl_1", resume_token }),
      await asking,
    ];
    expect(answers.map((answer) => answer.agent_key)).toEqual(answers.map(() => undefined));
    expect(service.service.leaseCount()).toBe(1);
  });

  it("is given the key of an agent of its own where it begins something, which opens nothing else", async () => {
    const service = createRig();
    const { agent_key, tokens } = await begunTwice(service);
    const answer = await service.call("publishBatch", batch(tokens[0], session("sess_3").started()));
    expect(answer.agent_key).toEqual(expect.any(String));
    expect(answer.agent_key).not.toBe(agent_key);
    const other = { ...batch(undefined, session("sess_1").progress(5)), agent_key: answer.agent_key };
    expect(await service.refusalOf("publishBatch", other)).toMatchObject({ code: "session_not_yours" });
  });

  it("reaches no other session of the same agent: neither its events nor its questions", async () => {
    const service = createRig();
    service.rig.listen(ABLE);
    const { agent_key, tokens } = await begunTwice(service);
    const [resume_token] = tokens;
    const question = { ...confirmation("rpl_2"), session_id: "sess_2" };
    await service.call("publishBatch", { ...batch(undefined, question), agent_key });
    const refused = { code: "session_not_yours" };
    for (const event of [session("sess_2").progress(5), session("sess_2").completed()])
      expect(await service.refusalOf("publishBatch", batch(resume_token, event))).toMatchObject(refused);
    const event = { ...CONFIRM, session_id: "sess_2" };
    expect(await service.refusalOf("confirm", { event, resume_token })).toMatchObject(refused);
    const claim = { session: { session_id: "sess_2", resume_token } };
    expect(await service.refusalOf("resumeSession", claim)).toMatchObject(refused);
    expect(await service.call("cancel", { reply_token: "rpl_2", resume_token })).toEqual({ cancelled: false });
    expect(await service.refusalOf("getOutcome", { reply_token: "rpl_2", resume_token })).toMatchObject({
      code: "not_found",
    });
    const { outcome } = await service.call("getOutcome", { reply_token: "rpl_2", agent_key });
    expect(outcome).toBeUndefined();
    expect(service.rig.engine.status().openQuestionCount).toBe(1);
    expect(service.service.leaseCount()).toBe(1);
  });
});

describe("an agent that lost its key", () => {
  it("goes on with its session by the token, which keeps it", async () => {
    const service = createRig();
    const listener = service.rig.listen();
    const [resume_token] = (await begunTwice(service)).tokens;
    await service.call("publishBatch", batch(resume_token, session("sess_1").chunk("Hel")));
    await service.advance(AGENT_IDLE_MS - 1);
    await service.call("publishBatch", batch(resume_token, session("sess_1").chunk("lo.", true)));
    await service.advance(AGENT_IDLE_MS - 1);
    expect(service.rig.engine.status().openSessionCount).toBe(2);
    expect(textOf(listener.received, "out_1")).toBe("Hello.");
  });

  it("takes its sessions over, each by its token, and has a key again that stands for both", async () => {
    const service = createRig();
    const listener = service.rig.listen(ABLE);
    const { agent_key: lost, tokens } = await begunTwice(service);
    await service.call("publishBatch", { ...batch(undefined, confirmation("rpl_1")), agent_key: lost });
    const claimOf = (index: 0 | 1) => ({ session_id: `sess_${index + 1}`, resume_token: tokens[index] });
    const first = await service.call("resumeSession", { session: claimOf(0) });
    const { agent_key } = first;
    expect(first.session).toMatchObject({ open_questions: [{ reply_token: "rpl_1" }] });
    expect(await service.call("resumeSession", { session: claimOf(1), agent_key })).toMatchObject({ agent_key });
    // The agent that has nothing any more goes; the sessions stay with this one.
    for (let round = 0; round < 3; round += 1) {
      await service.advance(AGENT_IDLE_MS - 1);
      await service.call("getOutcome", { reply_token: "rpl_1", agent_key });
    }
    expect(service.service.leaseCount()).toBe(1);
    give(service.rig, listener, "rpl_1", "accept");
    expect(await service.call("getOutcome", { reply_token: "rpl_1", agent_key })).toMatchObject({
      outcome: { reply_token: "rpl_1" },
    });
    await service.advance(AGENT_IDLE_MS + GRACE_MS);
    expect(service.rig.engine.status().openSessionCount).toBe(0);
  });
});
