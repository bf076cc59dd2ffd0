// A number that a double does not carry, over every path on which JSON comes in: it is refused at its place, and arrives nowhere as another one.
import { describe, expect, it } from "vitest";
import { a2ePeer, a2eProvider } from "../support/peers/a2e-peer.js";
import { akashikPeer } from "../support/peers/akashik-peer.js";
import { startAuditedRig } from "../support/rigs/audited-rig.js";
import { nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { jsonCall } from "../support/services/json-stream.js";

const CAPABLE = { supports_confirmation_reply: true };
const CHANGED = ["9007199254740993", "-9007199254740993.0", "1e400"];

describe("R41: JSON-RPC", () => {
  it("refuses it in an event, in a question, and as an id, under an id that is not another one", async () => {
    const rig = await startRig();
    const peer = await rig.rpc();
    const listener = await rig.plain();
    await listener.subscribe(requestOf(CAPABLE));
    const session_id = nextSession();
    await peer.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
    const asks = `"method":"aaep.confirm","params":{"session_id":"${session_id}","action":"Pay.","consequence":"c","timeout_seconds":5`;
    const event = `"method":"aaep.publish","params":[{"type":"aaep:agent.tool.invoked","session_id":"${session_id}","tool":"pay"`;
    for (const number of CHANGED) {
      for (const [rest, pointer] of [
        [`${asks},"extra_context":{"account":${number}}}`, "/params/extra_context/account"],
        [`${event},"extensions":{"acme":{"a":[1,${number}]}}}]`, "/params/0/extensions/acme/a/1"],
        [`"method":"aaep.ping","params":{"x":${number}}`, "/params/x"],
      ] as const) {
        peer.sendText(`{"jsonrpc":"2.0","id":"a",${rest}}`);
        const error = { data: { code: "invalid_message", pointer, rule: "R41" } };
        expect(await peer.strays.next()).toMatchObject({ id: "a", error });
      }
      peer.sendText(`{"jsonrpc":"2.0","method":"aaep.ping","id":${number}}`);
      expect(await peer.strays.next()).toMatchObject({ id: null, error: { data: { pointer: "/id", rule: "R41" } } });
      peer.sendText(`{"jsonrpc":"2.0","id":5,"method":"aaep.publish","params":{"x":${number}},"more":{}}`);
      expect(await peer.strays.next()).toMatchObject({ id: 5 });
    }
    const summary = { session_id, summary_normal: "Ends." };
    await peer.publish({ type: "aaep:agent.session.completed", ...summary });
    const heard = [await listener.events.next(), await listener.events.next()];
    expect(heard.map(({ type }) => type)).toEqual(["aaep:agent.session.started", "aaep:agent.session.completed"]);
  });
});

describe("R41: plain connections", () => {
  it("refuse it, and a reply with it does not count", async () => {
    const { rig, replies } = await startAuditedRig();
    const person = await rig.plain("newline");
    person.sendText('{"type":"subscription.request","capabilities":{"max_events_per_second":1e999}}');
    expect(await person.answers.next()).toMatchObject({
      type: "aaepd.error",
      code: "invalid_message",
      pointer: "/capabilities/max_events_per_second",
      rule: "R41",
    });
    await person.subscribe(requestOf(CAPABLE));
    const reply = '{"type":"confirmation.reply","reply_token":"rpl_1","decision":"accept","x":9007199254740993}';
    person.sendText(reply);
    expect(await person.listPending()).toEqual([]);
    expect(await replies()).toMatchObject([{ fate: "malformed", reply_token: "rpl_1", text: reply }]);
  });
});

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
