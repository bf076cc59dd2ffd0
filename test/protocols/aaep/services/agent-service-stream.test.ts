import { describe, expect, it } from "vitest";
import {
  type AgentServiceRig,
  createAgentServiceRig,
  type Document,
  durableBy,
  HANDSHAKE_TIMEOUT_MS,
  type PublishStream,
} from "../../../support/rigs/agent-service-rig.js";
import { session } from "../../../support/rigs/engine-rig.js";
import { ABLE, confirmation } from "../../../support/rigs/question-rig.js";

const publish = (request_id: string, ...events: readonly Document[]) => ({ request_id, publish: { events } });

/** What each answer or news is, with the id of its request. */
const kindsOf = (agent: PublishStream) =>
  agent.heard().map(({ request_id, ...answer }) => [request_id, Object.keys(answer).join()].filter(Boolean).join(" "));

const errorOf = (heard: Document | undefined) => heard?.error as Document | undefined;

/** A stream on which sess_1 has begun. */
async function speaking(service: AgentServiceRig): Promise<{ readonly agent: PublishStream }> {
  const agent = service.stream();
  agent.send(publish("start", session().started()));
  await service.settle();
  return { agent };
}

describe("Publish answers", () => {
  it("bytes that are no message, without losing what comes after them", async () => {
    const service = createAgentServiceRig();
    const { agent } = await speaking(service);
    agent.sendBytes(new Uint8Array([0xff, 0xff, 0xff]));
    agent.sendBytes(new Uint8Array([0x0a, 0x03, 0x6a, 0x75, 0x6e, 0x12, 0x05, 0x0a]));
    agent.send(publish("good", session().progress(7)));
    await service.settle();
    expect(kindsOf(agent)).toEqual(["start receipt", "error", "jun error", "good receipt"]);
    expect(errorOf(agent.heard()[1])).toMatchObject({ code: "invalid_message" });
    expect(errorOf(agent.heard()[2])).toMatchObject({ code: "invalid_message" });
  });

  it("a request that asks for nothing, or for two things", async () => {
    const { stream, settle } = createAgentServiceRig();
    const agent = stream();
    agent.send({ request_id: "none" }, { request_id: "both", publish: { events: [] }, manifest: {} });
    await settle();
    expect(kindsOf(agent)).toEqual(["none error", "both error"]);
    for (const heard of agent.heard())
      expect(errorOf(heard)).toMatchObject({
        code: "invalid_message",
        message: expect.stringContaining("Send one of"),
      });
  });

  it("once what was published is safe, and still in order (R29)", async () => {
    const settlers: (() => void)[] = [];
    const { stream, settle } = createAgentServiceRig(durableBy(() => new Promise((resolve) => settlers.push(resolve))));
    const agent = stream();
    agent.send(publish("a", session().started()), publish("b", session().progress(5)), { request_id: "c" });
    await settle();
    expect(agent.heard()).toEqual([]);
    settlers[1]?.();
    await settle();
    expect(agent.heard()).toEqual([]);
    settlers[0]?.();
    await settle();
    expect(kindsOf(agent)).toEqual(["a receipt", "b receipt", "c error"]);
  });

  it("with an error what could not be made safe (R29)", async () => {
    const { stream, settle } = createAgentServiceRig(durableBy(() => Promise.reject(new Error("the disk is full"))));
    const agent = stream();
    agent.send(publish("a", session().started()));
    await settle();
    expect(kindsOf(agent)).toEqual(["a error"]);
    expect(errorOf(agent.heard()[0])).toMatchObject({ code: "internal" });
    expect(JSON.stringify(agent.heard())).not.toContain("disk");
  });
});

describe("the end of a stream", () => {
  it("by its client waits for what is not safe yet", async () => {
    let settler = (): void => {};
    const safe = new Promise<void>((resolve) => {
      settler = resolve;
    });
    const { stream, settle } = createAgentServiceRig(durableBy(() => safe));
    const agent = stream();
    agent.send(publish("a", session().started()));
    agent.halfClose();
    await settle();
    expect([agent.heard(), agent.status()]).toEqual([[], undefined]);
    settler();
    await settle();
    expect([kindsOf(agent), agent.status()]).toEqual([["a receipt"], "OK"]);
  });

  it("by a client that is gone: its sessions have their grace, and nobody else feels it", async () => {
    const service = createAgentServiceRig();
    const { rig, advance, settle } = service;
    const { agent } = await speaking(service);
    const other = service.stream();
    agent.hangUp();
    await settle();
    await agent.served.done;
    await advance(5000);
    expect(rig.engine.status().openSessionCount).toBe(0);
    other.send(publish("a", session("sess_2").started()));
    await settle();
    expect(kindsOf(other)).toEqual(["a receipt"]);
  });

  it("by the daemon's: outcomes are told, then the status says why (R8a, R8b)", async () => {
    const service = createAgentServiceRig();
    const { rig, settle } = service;
    rig.listen(ABLE);
    const { agent } = await speaking(service);
    agent.send(publish("ask", confirmation("rpl_1")));
    await settle();
    void rig.engine.endSessions();
    await agent.served.finish("producer_shutdown");
    await settle();
    expect(kindsOf(agent).slice(2)).toEqual(["waiting", "closing", "waiting", "outcome"]);
    expect(agent.heard().at(-1)).toMatchObject({ outcome: { resolved_by: "cancelled" } });
    expect(agent.status()).toBe("shutting_down");
    await agent.served.inputEnded;
    await agent.served.done;
  });

  it("by the daemon's does not wait for an agent that does not read, nor for what is not safe", async () => {
    const { stream, settle } = createAgentServiceRig(durableBy(() => new Promise(() => {})));
    const agent = stream();
    agent.stopReading();
    agent.send(publish("a", session().started()), publish("b", session().progress(5)));
    await settle();
    await agent.served.finish("producer_shutdown");
    agent.readOn();
    await settle();
    expect([agent.heard(), agent.status()]).toEqual([[], "shutting_down"]);
  });

  it.each([["lagging"], ["producer_error"]] as const)("by %s says so", async (reason) => {
    const { stream } = createAgentServiceRig();
    const agent = stream();
    await agent.served.finish(reason);
    expect(agent.status()).toBe(reason === "lagging" ? "lagging" : "internal");
  });

  it("without a request comes in time; junk is none (R22)", async () => {
    const service = createAgentServiceRig();
    const [silent, junk] = [service.stream(), service.stream()];
    const { agent } = await speaking(service);
    junk.sendBytes(new Uint8Array([0xff]));
    await service.advance(HANDSHAKE_TIMEOUT_MS - 1);
    expect([silent.status(), junk.status()]).toEqual([undefined, undefined]);
    await service.advance(1);
    expect([silent.status(), junk.status(), agent.status()]).toEqual(["timed_out", "timed_out", undefined]);
    expect(kindsOf(junk)).toEqual(["error"]);
  });
});

describe("a stream that is faster than what it talks to", () => {
  it("whose client does not read its answers is not read from either", async () => {
    const service = createAgentServiceRig();
    const { agent } = await speaking(service);
    const before = service.rig.engine.status().head;
    agent.stopReading();
    for (let index = 0; index < 500; index += 1) agent.send(publish(`${index}`, session().progress(index / 10)));
    await service.settle();
    const taken = service.rig.engine.status().head - before;
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(20);
    agent.readOn();
    await service.settle();
    await service.settle();
    expect(service.rig.engine.status().head - before).toBe(500);
    expect(kindsOf(agent).slice(1)).toEqual(Array.from({ length: 500 }, (_, index) => `${index} receipt`));
  });

  it("waits for what is not safe yet after 1,024 requests", async () => {
    const settlers: (() => void)[] = [];
    const { stream, settle, rig } = createAgentServiceRig(
      durableBy(() => new Promise((resolve) => settlers.push(resolve))),
    );
    const agent = stream();
    agent.send(publish("a", session().started()));
    for (let index = 0; index < 1100; index += 1) agent.send(publish(`${index}`, session().progress(index / 20)));
    await settle();
    expect(rig.engine.status().head - 999).toBe(1024);
    for (const safe of settlers.splice(0)) safe();
    await settle();
    for (const safe of settlers.splice(0)) safe();
    await settle();
    expect(agent.heard()).toHaveLength(1101);
  });

  it("has 256 requests handled a turn, and none once its client is gone", async () => {
    const { stream, settle, rig } = createAgentServiceRig();
    const agent = stream();
    const flow = async (): Promise<void> => {
      for (let count = 0; count < 4; count += 1) await new Promise(setImmediate);
    };
    const openCount = () => rig.engine.status().openSessionCount;
    const begin = (from: number, to: number): void => {
      for (let index = from; index < to; index += 1)
        agent.send(publish(`${index}`, session(`sess_${index}`).started()));
    };
    begin(0, 300);
    await flow();
    const first = openCount();
    expect(first).toBeGreaterThan(200);
    expect(first).toBeLessThanOrEqual(256);
    await settle();
    expect(openCount()).toBe(300);
    begin(300, 600);
    await flow();
    const second = openCount();
    agent.hangUp();
    await settle();
    expect(openCount()).toBe(second);
  });
});
