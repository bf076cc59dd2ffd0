// A2E through a real daemon, over each transport of bytes (R23).
import { describe, expect, it } from "vitest";
import { exchangeLanes } from "../../support/lanes.js";
import { a2eAgent, a2eProvider } from "../../support/peers/a2e-peer.js";
import { A2E_STREAM } from "../../support/peers/a2e-service.js";
import { requestOf, startRig } from "../../support/rigs/daemon-rig.js";

const WAYS = exchangeLanes(A2E_STREAM);

describe.each(WAYS)("over %s", (name, open) => {
  const isStdio = name === "stdio";
  const isService = /gRPC|HTTP/.test(name);
  const start = () => startRig({ stdio: isStdio, ...(isService ? { services: { grpc: "unix", http: "unix" } } : {}) });

  it("a call goes to its provider and back, with its events, and is heard", async () => {
    const rig = await start();
    const listener = await rig.plain();
    await listener.subscribe(requestOf({ coalesce_boundaries: ["none"] }));
    const provider = await a2eProvider(await rig.connect("newline"));
    const agent = await a2eAgent(await open(rig));
    const answer = agent.ask("tool/call/req", { tool_name: "search", arguments: { query: "cats" } });
    const call = await provider.messages.next("the call");
    expect(call).toMatchObject({ type: "tool/call/req", tool_name: "search", arguments: { query: "cats" } });
    provider.say("invoke/event", { req_id: call.id, kind: "progress", data: { pct: 50, message: "Half." }, seq: 0 });
    expect(await agent.events.next("the event")).toMatchObject({ kind: "progress", seq: 0 });
    provider.say("tool/call/resp", { req_id: call.id, data: ["Tom"] });
    expect(await answer).toMatchObject({ type: "tool/call/resp", data: ["Tom"] });
    agent.say("shutdown", { timeout: 1 });
    await agent.closed;
    for (const type of ["session.started", "tool.invoked", "progress.updated", "tool.completed", "session.completed"])
      expect((await listener.events.next(type)).type).toBe(`aaep:agent.${type}`);
  });
});

describe("beside other protocols", () => {
  it("R5: no other way of writing a name or a type gets past the question", async () => {
    const rig = await startRig({ configuration: { a2eIrreversibleTools: ["delete_file"] } });
    const provider = await a2eProvider(await rig.connect("newline"));
    const agent = await a2eAgent(await rig.connect("newline"));
    for (const tool_name of [
      "Delete_File",
      "delete_file ",
      "/delete-file",
      "deleteFile",
      "delete\u200b_file",
      "ｄｅｌｅｔｅ＿ｆｉｌｅ",
      `read_file${"_".repeat(300)}`,
    ])
      expect(await agent.ask("tool/call/req", { tool_name }), tool_name).toMatchObject({
        detail: "confirmation_rejected",
      });
    for (const type of ["Tool/Call/req", "tool/call/req ", "tool/CALL/req", "tool/run", "mine/call/req"])
      for (const tool_name of ["delete_file", ["delete_file"]])
        expect(await agent.ask(type, { tool_name }), type).toMatchObject({ code: "invalid_message" });
    const elsewhere = [
      { name: "Delete-File" },
      { Tool_Name: "delete_file" },
      { toolName: "delete_file" },
      { tool: ["delete_file"] },
      { data: { tool_name: "delete_file" } },
      { Params: { name: "delete_file" } },
      { tool: { name: "delete_file" } },
      { payload: { method: "tools/call", params: { name: "delete_file" } } },
      { tool_calls: [{ function: { name: "delete_file", arguments: "{}" } }] },
      { calls: [{ tool_name: "read_file" }, { tool_name: "delete_file" }] },
      { tools: ["delete_file"] },
      { toolId: "delete_file" },
      { function_call: { name: "delete_file" } },
      { payload: { params: { call: { name: "delete_file" } } } },
    ];
    for (const fields of elsewhere)
      expect(await agent.ask("mine/run/req", fields), JSON.stringify(fields)).toMatchObject({
        code: "invalid_message",
      });
    for (const fields of elsewhere)
      expect(await agent.ask("tool/call/req", { tool_name: "read_file", ...fields })).toMatchObject({
        code: "invalid_message",
      });
    expect(
      await agent.ask("tool/call/req", { tool_name: "delete_file", calls: [{ tool_name: "Delete-File" }] }),
    ).toMatchObject({ code: "invalid_message" });
    void agent.ask("mine/run/req", { name: "read_file", data: { text: "delete_file" } });
    expect(await provider.messages.next("a request of another type")).toMatchObject({ name: "read_file" });
    const call = { tool_name: "read_file", arguments: { name: "delete_file" } };
    void agent.ask("tool/call/req", call);
    expect(await provider.messages.next("the one call")).toMatchObject(call);
  });

  it("a request that names no time has that of the configuration", async () => {
    const rig = await startRig({ clock: "hands", configuration: { a2eRequestTimeoutSeconds: 3 } });
    await a2eProvider(await rig.connect("newline"), ["tools"]);
    const agent = await a2eAgent(await rig.connect("newline"));
    const answered = agent.ask("tool/list/req");
    let isAnswered = false;
    void answered.then(() => {
      isAnswered = true;
    });
    await agent.ask("ping");
    await rig.advance(2999);
    await agent.ask("ping");
    expect(isAnswered).toBe(false);
    await rig.advance(1);
    expect(await answered).toMatchObject({ type: "error", code: "timeout" });
  });

  it("the status names the protocol, its agents and its providers once it is used", async () => {
    const rig = await startRig();
    const asker = await rig.rpc();
    expect(await asker.request("aaepd.status", {})).not.toHaveProperty("a2e");
    await a2eProvider(await rig.connect("newline"), ["tools", "mcp"], { name: "files", priority: 2 });
    await a2eAgent(await rig.connect("newline"));
    expect(await asker.request("aaepd.status", {})).toMatchObject({
      a2e: {
        agents: 1,
        providers: [
          { name: "files", kind: "peer", state: "ready", priority: 2, capabilities: ["tools", "mcp"], requests: 0 },
        ],
      },
    });
  });
});
