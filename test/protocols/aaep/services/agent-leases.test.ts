// Agents by single calls beyond the number that is kept: the idle one that was used longest ago makes room (R8).
import { describe, expect, it } from "vitest";
import { MAX_LEASES } from "../../../../src/protocols/aaep/services/agent-leases.js";
import {
  AGENT_IDLE_MS,
  type AgentServiceRig,
  createAgentServiceRig,
  type Document,
  durableBy,
} from "../../../support/rigs/agent-service-rig.js";
import { session } from "../../../support/rigs/engine-rig.js";

/** An agent that has begun a session of that name, and nothing else. */
async function begun({ call }: AgentServiceRig, id: string) {
  const answer = await call("publishBatch", { publish: { events: [session(id).started()] } });
  return { agent_key: answer.agent_key, resume_token: (answer.receipt as Document).resume_token };
}

async function flood(service: AgentServiceRig, count: number): Promise<void> {
  const manifest = {
    type: "aaep:producer.manifest",
    agent_id: "flood",
    "@context": "https://aaep-protocol.org/context/v1",
  };
  for (let index = 0; index < count; index += 1) await service.call("setManifest", { manifest });
}

const progress = (id: string, claim: Document): Document => ({
  publish: { events: [session(id).progress(5)] },
  ...claim,
});

describe("R8: when as many agents by single calls are known as are kept", () => {
  it("a further one is let in, and the one that called longest ago begins anew", async () => {
    const service = createAgentServiceRig();
    const first = await begun(service, "sess_1");
    const second = await begun(service, "sess_2");
    await flood(service, MAX_LEASES - 2);
    // The first one is used again, so that the second is the one that was used longest ago.
    await service.call("publishBatch", progress("sess_1", { agent_key: first.agent_key }));
    const newcomer = await begun(service, "sess_3");
    expect(newcomer.agent_key).toEqual(expect.any(String));
    expect(service.service.leaseCount()).toBe(MAX_LEASES);
    expect(await service.refusalOf("publishBatch", progress("sess_2", { agent_key: second.agent_key }))).toMatchObject({
      code: "not_found",
      pointer: "/agent_key",
      sentence: expect.stringContaining("Begin anew without agent_key"),
    });
    await service.call("publishBatch", progress("sess_1", { agent_key: first.agent_key }));
    await service.call("publishBatch", progress("sess_3", { agent_key: newcomer.agent_key }));
  });

  it("nobody is let go of who has a call under way, nor whose session's token the call shows", async () => {
    let isSlow = true;
    const service = createAgentServiceRig(durableBy(() => (isSlow ? new Promise(() => {}) : undefined)));
    for (let index = 0; index < MAX_LEASES - 1; index += 1) void begun(service, `sess_busy${index}`);
    isSlow = false;
    const only = await begun(service, "sess_1");
    expect(service.service.leaseCount()).toBe(MAX_LEASES);
    const withToken = { publish: { events: [session("sess_1").progress(5)], resume_token: only.resume_token } };
    expect(await service.refusalOf("publishBatch", withToken)).toMatchObject({ code: "rate_limit" });
    await service.call("publishBatch", progress("sess_1", { agent_key: only.agent_key }));
    const newcomer = await begun(service, "sess_2");
    expect(await service.refusalOf("publishBatch", progress("sess_1", { agent_key: only.agent_key }))).toMatchObject({
      code: "not_found",
    });
    // The newcomer is idle now, and the others still have their calls under way.
    await service.advance(AGENT_IDLE_MS - 1);
    await service.call("publishBatch", progress("sess_2", { agent_key: newcomer.agent_key }));
    expect(service.service.leaseCount()).toBe(MAX_LEASES);
  });
});
