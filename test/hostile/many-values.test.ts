// Messages of many values, small in bytes: each is refused before anything is built of it, on every path, and others go on (R34).
import { describe, expect, it } from "vitest";
import { akashikPeer } from "../support/peers/akashik-peer.js";
import { nextSession, startRig } from "../support/rigs/daemon-rig.js";
import { jsonCall } from "../support/services/json-stream.js";

const many = (count: number): string => `[${Array(count).fill("1").join()}]`;

describe("R34: a message of too many values", () => {
  it("is told so under its id, over JSON-RPC, plain connections and Akashik, and the connection goes on", async () => {
    const rig = await startRig();
    const peer = await rig.rpc();
    peer.sendText(`{"jsonrpc":"2.0","id":7,"method":"aaep.publish","params":{"x":${many(40_000)}}}`);
    const error = { code: -32000, data: { code: "message_too_large", rule: "AAEP §3.7" } };
    expect(await peer.strays.next()).toMatchObject({ id: 7, error });
    expect(await peer.request("aaep.ping")).toEqual({});
    const plain = await rig.plain();
    plain.sendText(`{"type":"subscription.request","capabilities":{"x":${many(40_000)}}}`);
    expect(await plain.answers.next()).toMatchObject({ type: "aaepd.error", code: "message_too_large" });
    const member = akashikPeer(await rig.connect("newline"));
    member.sayText(`{"protocol":"akashik","id":"m","operation":"RECORD","payload":{"x":${many(40_000)}}}`);
    expect(await member.others.next()).toMatchObject({ id: "m", payload: { error: { code: "INVALID_TYPE" } } });
    await rig.expectOthersServed();
  });

  it("is told so in the JSON of the services, where a value costs most", async () => {
    const rig = await startRig({ services: { http: "unix" } });
    const call = (count: number) => {
      const event = `{"type":"acme:x","sessionId":"${nextSession()}","additional":{"x":${many(count)}}}`;
      return jsonCall(rig.serviceAddress("http"), "AgentService/PublishBatch", `{"publish":{"events":[${event}]}}`);
    };
    expect((await call(8000)).body.toString()).not.toContain("at most 8192");
    const { status, body } = await call(8192);
    expect([status, JSON.parse(body.toString())]).toMatchObject([429, { code: "resource_exhausted" }]);
    expect(body.toString()).toContain("at most 8192 members");
  });
});
