// A number that a double does not carry, over every path on which JSON comes in: it is refused at its place, and arrives nowhere as another one.
import { describe, expect, it } from "vitest";
import { a2ePeer, a2eProvider } from "../support/peers/a2e-peer.js";
import { akashikPeer } from "../support/peers/akashik-peer.js";
import { startRig } from "../support/rigs/daemon-rig.js";
import { jsonCall } from "../support/services/json-stream.js";

const CHANGED = ["9007199254740993", "-9007199254740993.0", "1e400"];

describe("R41: A2E and Akashik", () => {
  it("refuse it with the place in the sentence, under the message's id", async () => {
    const rig = await startRig();
    const sentence = expect.stringMatching(/^1e400 at \/data\/x is no number/);
    const agent = a2ePeer(await rig.connect("newline"));
    agent.sayText('{"a2e":"1.0","version":"1.0","type":"tool/call/req","id":"m1","data":{"x":1e400}}');
    expect(await agent.messages.next()).toMatchObject({ code: "invalid_message", req_id: "m1", message: sentence });
    // What a tool answers goes on as it came.
    const provider = await a2eProvider(await rig.connect("newline"));
    await agent.ask("handshake/req", { agent_id: "a", agent_caps: ["tools"], auth_token: "" });
    const answer = agent.ask("tool/call/req", { tool_name: "find", arguments: {} });
    const { id } = await provider.messages.next();
    provider.sayText(`{"type":"tool/call/resp","id":"r","req_id":"${id}","data":{"id":9007199254740993}}`);
    expect(await answer).toMatchObject({ type: "tool/call/resp", id: "r" });
    const member = akashikPeer(await rig.connect("newline"));
    member.sayText('{"protocol":"akashik","id":"m2","operation":"RECORD","data":{"x":1e400}}');
    expect(await member.others.next()).toMatchObject({
      id: "m2",
      payload: { error: { code: "INVALID_TYPE", message: sentence } },
    });
  });
});

describe("R41: the JSON of the services", () => {
  it("is refused before protobuf takes its nearest double", async () => {
    const rig = await startRig({ services: { http: "unix" } });
    for (const number of CHANGED) {
      const text = `{"batch":{"events":[{"type":"acme:x","sessionId":"s","additional":{"account":${number}}}]}}`;
      const answer = await jsonCall(rig.serviceAddress("http"), "AgentService/PublishBatch", text);
      const place = expect.stringContaining(" at /batch/events/0/additional/account is no number");
      expect([answer.status, answer.body.toString()]).toEqual([400, place]);
    }
  });
});
