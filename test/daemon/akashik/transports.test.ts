// Akashik through a real daemon, over each transport of bytes (R23): the page's own example, and notifications from one agent to another.
import { describe, expect, it } from "vitest";
import { PAGE_REQUEST } from "../../protocols/akashik/messages/envelopes.js";
import { exchangeLanes } from "../../support/lanes.js";
import { a2ePeer } from "../../support/peers/a2e-peer.js";
import { akashikAgent, unit } from "../../support/peers/akashik-peer.js";
import { AKASHIK_STREAM } from "../../support/peers/akashik-service.js";
import { startRig } from "../../support/rigs/daemon-rig.js";

const WAYS = exchangeLanes(AKASHIK_STREAM);

const ALL = { action: "subscribe", subscription: { events: ["memory.recorded", "memory.superseded"] } };

describe.each(WAYS)("over %s", (name, open) => {
  const isService = /gRPC|HTTP/.test(name);
  const start = () =>
    startRig({ stdio: name === "stdio", ...(isService ? { services: { grpc: "unix", http: "unix" } } : {}) });

  it("the page's example is answered as on the page, and notifications have the page's form", async () => {
    const rig = await start();
    const strategist = await akashikAgent(await open(rig), "strategist-01", "strategist", ["market prices"]);
    // One line, because lines are frames on some of these connections.
    strategist.sayText(PAGE_REQUEST.replaceAll("\n", " "));
    const answer = await strategist.others.next("the answer");
    expect(answer).toMatchObject({
      protocol: "akashik",
      id: "msg-030",
      operation: "SUBSCRIBE",
      agent_id: "strategist-01",
    });
    expect(answer.payload).toEqual({ status: "ok", subscription_id: expect.any(String) });
    const watcher = await akashikAgent(await rig.connect("newline"), "watcher-01");
    const { memory_unit_id: id, epoch } = await watcher.ask("RECORD", unit("Market prices rose."));
    expect(await strategist.notifications.next("the notification")).toEqual({
      ...(answer.payload as object),
      status: undefined,
      event: "memory.recorded",
      epoch,
      relevance_score: 0.7,
      summary: "watcher-01 recorded: Market prices rose.",
      memory_unit_id: id,
      conflict_id: null,
      requires_action: false,
    });
  });
});

describe("beside other protocols", () => {
  it("a message of another protocol is answered in Akashik, and one of Akashik in the other's", async () => {
    const rig = await startRig();
    const agent = await akashikAgent(await rig.connect("newline"), "one");
    for (const message of [
      { a2e: "1.0", type: "ping", id: "p" },
      { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "x" },
      { jsonrpc: "2.0", id: 1, method: "aaep.ping" },
    ]) {
      agent.sayText(JSON.stringify(message));
      const { payload } = await agent.others.next("the error");
      expect(payload).toMatchObject({ status: "error", error: { code: "INVALID_TYPE" } });
    }
    const other = a2ePeer(await rig.connect("newline"));
    await other.ask("ping");
    other.sayText(JSON.stringify({ protocol: "akashik", id: "x", operation: "DETECT" }));
    expect(await other.messages.next("the error")).toMatchObject({ type: "error", code: "invalid_message" });
  });

  it("sessions of AAEP are heard as events of the Field", async () => {
    const rig = await startRig();
    const agent = await akashikAgent(await rig.connect("newline"), "watcher");
    const events = [
      "agent.joined",
      "agent.failed",
      "session.paused",
      "session.ended",
      "task.state_changed",
      "task.completed",
      "handoff.incoming",
    ];
    await agent.ask("SUBSCRIBE", { action: "subscribe", subscription: { events } });
    const publisher = await rig.rpc();
    const session_id = "sess_1";
    for (const event of [
      { type: "aaep:agent.session.started", session_id, summary_normal: "Cleans up the photos." },
      { type: "aaep:agent.state.changed", session_id, from_state: "idle", to_state: "thinking" },
      { type: "aaep:agent.tool.invoked", session_id, tool: "list", tool_call_id: "call_1", summary_normal: "Lists." },
      { type: "aaep:agent.tool.completed", session_id, tool: "list", tool_call_id: "call_1", status: "success" },
      { type: "aaep:agent.session.completed", session_id, summary_normal: "Done." },
    ])
      await publisher.request("aaep.publish", event);
    const heard = [];
    for (let count = 0; count < 4; count += 1) heard.push(await agent.notifications.next("an event"));
    expect(heard.map(({ event, summary }) => [event, summary])).toEqual([
      ["agent.joined", "Cleans up the photos."],
      ["task.state_changed", expect.any(String)],
      ["task.completed", expect.any(String)],
      ["session.ended", "Done."],
    ]);
  });

  it("a question of a session pauses it, in the question's words", async () => {
    const rig = await startRig();
    const agent = await akashikAgent(await rig.connect("newline"), "watcher");
    const events = ["session.paused", "handoff.incoming"];
    await agent.ask("SUBSCRIBE", { action: "subscribe", subscription: { events } });
    const publisher = await rig.rpc();
    const session_id = "sess_1";
    await publisher.request("aaep.publish", {
      type: "aaep:agent.session.started",
      session_id,
      summary_normal: "Starts.",
    });
    await publisher.request("aaep.clarify", { session_id, question: "Which year?", timeout_seconds: 30 });
    const paused = await agent.notifications.next("the pause");
    expect(paused).toMatchObject({ event: "session.paused", requires_action: true });
    expect(paused.summary).toContain("Which year?");
    const question = { action: "Delete nine photos.", consequence: "They are gone.", default_decision: "reject" };
    await publisher.request("aaep.confirm", { session_id, ...question, timeout_seconds: 30 });
    expect((await agent.notifications.next("the pause")).summary).toContain("Delete nine photos.");
    await publisher.request("aaep.publish", {
      type: "aaep:agent.handoff.requested",
      session_id,
      urgency: "critical",
      reason: "It is about taxes.",
      target_kind: "human",
      summary_normal: "A person takes over.",
    });
    expect(await agent.notifications.next("the handoff")).toMatchObject({ event: "handoff.incoming" });
  });

  it("the status names the Field once it is used, and the manifest always", async () => {
    const rig = await startRig({ configuration: { akashikMaxUnits: 2 } });
    const asker = await rig.rpc();
    expect(await asker.request("aaepd.status", {})).not.toHaveProperty("akashik");
    const agent = await akashikAgent(await rig.connect("newline"), "one");
    await agent.ask("SUBSCRIBE", ALL);
    for (const expected of ["recorded", "recorded", "error"])
      expect(await agent.ask("RECORD", unit("The price."))).toMatchObject({ status: expected });
    expect(await asker.request("aaepd.status", {})).toMatchObject({
      akashik: { units: 2, max_units: 2, agents: 1, subscriptions: 1, conflicts: 0, waiting_notifications: 0 },
    });
  });
});
