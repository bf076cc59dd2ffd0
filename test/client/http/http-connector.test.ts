// A listener over HTTP, by nothing but `fetch`, with a real daemon on a loopback port.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { AaepdError, Capabilities, Envelope } from "#gen/aaep/types.js";
import { type AgentClient, createAgentClient } from "../../../src/client/agent-client.js";
import type { ReceivedEvent } from "../../../src/client/events.js";
import { httpConnector } from "../../../src/client/http/http-connector.js";
import type { Connector, SubscribeOptions } from "../../../src/client/listener/listener-types.js";
import { subscribe } from "../../../src/client/listener/subscribe.js";
import { ipcConnector, ipcRpcConnector } from "../../../src/client/node.js";
import type { SubscriberState } from "../../../src/client/subscriber-states.js";
import { eventually } from "../../cli/command-stage.js";
import { shared } from "../../support/lifetime.js";
import { httpDaemon } from "./http-daemon.js";

const SESSION = "sess_http";
const event = (kind: string, members: Readonly<Record<string, unknown>> = {}) => ({
  type: `aaep:agent.${kind}`,
  session_id: SESSION,
  ...members,
});
const begin = event("session.started", { summary_terse: "Trains.", summary_normal: "Looks up trains." });
const text = (output_id: string, chunk: string, complete = false) =>
  event("output.streaming", { output_id, chunk, complete });

function listen(connect: Connector, terms: Capabilities = {}, options: SubscribeOptions = {}) {
  const events: Envelope[] = [];
  const states: SubscriberState[] = [];
  const errors: AaepdError[] = [];
  const notTaken: string[] = [];
  const cursors: string[] = [];
  const subscription = subscribe(connect, terms, {
    backOff: { firstMs: 10, longestMs: 50 },
    onState: (state) => void states.push(state),
    onError: (error) => void errors.push(error),
    onReplyNotTaken: (token) => void notTaken.push(token),
    onCursor: (cursor) => void cursors.push(cursor),
    ...options,
  });
  onTestFinished(() => subscription.close());
  const ended = (async () => {
    for await (const received of subscription) events.push(received);
    return "over";
  })().catch((caught: unknown) => caught);
  const active = (count = 1) =>
    eventually(() => expect(states.filter(({ kind }) => kind === "active")).toHaveLength(count));
  return { subscription, events, states, errors, notTaken, cursors, ended, active };
}

/** For the tests that leave no session in it, and leave it running. */
const sharedDaemon = shared(() => httpDaemon());

type Daemon = Awaited<ReturnType<typeof httpDaemon>>;

/** Listens over HTTP to a daemon that is there. */
async function listening(daemon: Daemon, terms: Capabilities = {}, options: SubscribeOptions = {}) {
  const heard = listen(httpConnector(daemon.address, { token: daemon.token }), terms, options);
  await heard.active();
  return heard;
}

async function agentAt({ socketPath }: Daemon): Promise<AgentClient> {
  const agent = await createAgentClient(ipcRpcConnector(socketPath), { backOff: { firstMs: 10, longestMs: 50 } });
  onTestFinished(() => agent.close());
  await agent.setManifest({ agent_id: "conductor", agent_name: "Conductor" });
  return agent;
}

/** The events from the beginning of the session on, which all listeners have in common. */
async function fromBeginning({ events }: { readonly events: readonly Envelope[] }, count: number) {
  const since = () => events.slice(events.findIndex(({ type }) => type === begin.type));
  await eventually(() => expect(since()).toHaveLength(count));
  return since();
}

test("events are those of the local socket, member by member", async () => {
  const daemon = await sharedDaemon();
  const terms: Capabilities = {
    coalesce_boundaries: ["none"],
    supports_clarification_reply: true,
    supported_extensions: ["https://acme.example/ns"],
    event_filters: { include: ["aaep:agent.*", "acme:*"] },
  };
  const overHttp = await listening(daemon, terms);
  const overSocket = listen(ipcConnector(daemon.socketPath), terms);
  await overSocket.active();
  const agent = await agentAt(daemon);
  const said = [
    { ...begin, expected_duration_ms: 2000, tools_available: ["timetable"], summary_normal_yo: "Ó ń wá ọkọ̀ ojú irin." },
    event("state.changed", { from_state: "idle", to_state: "thinking", correlation_id: "corr_1" }),
    event("tool.invoked", { tool: "timetable", tool_call_id: "call_1", summary_normal: "Asks.", risk_level: "low" }),
    event("tool.completed", { tool: "timetable", tool_call_id: "call_1", status: "error", error_message: "Closed." }),
    event("progress.updated", { progress: { percent: 12.5, step: 1, total_steps: 8, description_yo: "Ìkan." } }),
    text("out_1", "Ọkọ̀ kan 🚆 "),
    { ...text("out_1", "at LEVEL_HIGH.", true), language: "en", content_type: "text/plain" },
    {
      type: "acme:mood.changed",
      session_id: SESSION,
      "@context": ["https://aaep-protocol.org/context/v1", "https://acme.example/ns"],
      position: "9",
      mood: { isCalm: true, urgency: "URGENCY_NORMAL" },
      extensions: { acme: { scoreNow: 0.5 } },
    },
    event("session.completed", { summary_normal: "Done.", tool_invocations_count: 1 }),
  ];
  for (const one of said) await agent.publishUntyped(one);
  const heard = await fromBeginning(overHttp, said.length);
  expect(heard).toEqual(await fromBeginning(overSocket, said.length));
  expect(heard[5]).toMatchObject({ chunk: "Ọkọ̀ kan 🚆 ", position: 0, complete: false });
  expect(heard[6]).toMatchObject({ position: [..."Ọkọ̀ kan 🚆 "].length });
});

test("R19, R28: asks, lists, answers once, and is told of an answer that did not count", async () => {
  const daemon = await httpDaemon();
  const { subscription, events, notTaken } = await listening(daemon, { supports_confirmation_reply: true });
  const agent = await agentAt(daemon);
  expect(await subscription.listPending()).toEqual([]);
  await agent.publishUntyped(begin);
  const outcome = agent.confirm({
    session_id: SESSION,
    action: "Buy a ticket.",
    consequence: "It costs 12.50.",
    risk_level: "high",
    reply_token: "rpl_0123456789abcdef",
  });
  const isQuestion = ({ type }: Envelope) => type === "aaep:agent.awaiting.confirmation";
  await eventually(() => expect(events.some(isQuestion)).toBe(true));
  const question = events.find(isQuestion);
  expect(question).toMatchObject({ urgency: "critical", risk_level: "high", default_decision: "reject" });
  expect(await subscription.listPending()).toEqual([question]);
  const reply_token = String(question?.reply_token);
  expect(subscription.reply({ reply_token, decision: "accept", decided_by: "user:ada" })).toBe(true);
  expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply", decided_by: "user:ada" });
  expect(subscription.reply({ reply_token, decision: "reject" })).toBe(true);
  await eventually(() => expect(notTaken).toEqual([reply_token]));
  const clarified = agent.clarify({ session_id: SESSION, question: "Which?", accepted_response_kinds: ["numeric"] });
  // Nobody said that this listener answers those.
  expect(await clarified).toMatchObject({ resolved_by: "no_subscriber" });
});

test("R26, R28, R32: renegotiates, repeats and skips, and is told what the daemon refuses", async () => {
  const daemon = await httpDaemon();
  const { subscription, events, errors, states } = await listening(daemon, { coalesce_boundaries: ["none"] });
  const agent = await agentAt(daemon);
  await agent.publishUntyped(begin);
  await eventually(() => expect(events.at(-1)).toMatchObject({ summary_normal: "Looks up trains." }));
  const [first] = events.slice(-1) as [Envelope];

  expect(await subscription.renegotiate({ preferred_verbosity: "terse", pace_wpm: 200 })).toMatchObject([
    { honored_capabilities: { preferred_verbosity: "terse", pace_wpm: 200, coalesce_boundaries: ["none"] } },
  ]);
  await expect(subscription.renegotiate({ pace_wpm: 3 })).rejects.toMatchObject({
    code: expect.any(String),
    pointer: "/capabilities/pace_wpm",
  });
  expect(errors).toEqual([]);

  const before = events.length;
  expect(subscription.repeat(first)).toBe(true);
  await eventually(() => expect(events.length).toBeGreaterThan(before));
  const [again] = events.slice(-1) as [Envelope];
  expect([again.event_id, subscription.isRepeated(again)]).toEqual([first.event_id, true]);
  expect(subscription.repeat({ event_id: "evt_nobodys", session_id: SESSION })).toBe(true);
  await eventually(() => expect(errors.at(-1)).toMatchObject({ answers: "aaepd.repeat", event_id: "evt_nobodys" }));

  await agent.publishUntyped(text("out_a", "Long "));
  await eventually(() => expect(events.at(-1)).toMatchObject({ chunk: "Long " }));
  expect(subscription.skip(events.at(-1) as ReceivedEvent)).toBe(true);
  // The answer to a later call: the skip has been carried out.
  await subscription.listPending();
  await agent.publishUntyped([text("out_a", "story.", true), text("out_b", "Next.", true)]);
  await eventually(() => expect(events.at(-1)).toMatchObject({ output_id: "out_b", chunk: "Next." }));
  expect(events.at(-2)).toMatchObject({ output_id: "out_a", chunk: "", complete: true });

  await subscription.renegotiate({ aaepd: { paused: true } });
  await agent.publishUntyped(text("out_c", "Nobody hears this.", true));
  expect(subscription.skip()).toBe(true);
  await subscription.renegotiate({ aaepd: { paused: false } });
  await agent.publishUntyped(text("out_d", "But this.", true));
  await eventually(() => expect(events.at(-1)).toMatchObject({ output_id: "out_d" }));
  expect(events.map(({ output_id }) => output_id)).not.toContain("out_c");
  expect(states.map(({ kind }) => kind)).not.toContain("waiting");
});

async function subscriptionCount({ address, token }: Daemon): Promise<number> {
  const answer = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${token()}` } });
  return Number(/^aaepd_subscriptions (\d+)$/m.exec(await answer.text())?.[1]);
}

test("AAEP §5.8: closes its subscription, and none is left", async () => {
  const daemon = await httpDaemon();
  const { subscription, ended, states } = await listening(daemon);
  expect(await subscriptionCount(daemon)).toBe(1);
  await subscription.close("Good night.");
  expect(await ended).toBe("over");
  expect(states.at(-1)).toEqual({ kind: "ended", because: { kind: "asked" } });
  expect(await subscriptionCount(daemon)).toBe(0);
});

test("R20: rejected terms end the iteration with what to do", async () => {
  const daemon = await sharedDaemon();
  const { ended } = listen(httpConnector(daemon.address, { token: daemon.token }), { pace_wpm: 3 });
  expect(await ended).toMatchObject({
    code: "capabilities_incompatible",
    sentence: expect.stringContaining("pace_wpm"),
  });
});

test.each(["kill", "terminate"] as const)(
  "R17: over a %s, with another token, it goes on at its place, and hears each word once",
  async (how) => {
    const daemon = await httpDaemon();
    const { events, cursors, states, active } = await listening(daemon, { coalesce_boundaries: ["none"] });
    const agent = await agentAt(daemon);
    // Counted before: the checkpoint of both events may come with them.
    const places = cursors.length;
    await agent.publishUntyped([begin, text("out_1", "One ")]);
    await eventually(() => expect(events.at(-1)).toMatchObject({ chunk: "One " }));
    await eventually(() => expect(cursors.length).toBeGreaterThan(places));
    await agent.publishUntyped(text("out_1", "two "));
    await daemon[how]();
    await eventually(() => expect(states.at(-1)?.kind).toBe("waiting"));
    const late = agent.publishUntyped([
      text("out_1", "three.", true),
      event("session.completed", { summary_normal: "D." }),
    ]);
    await daemon.again();
    await active(2);
    await late;
    await eventually(() => expect(events.at(-1)).toMatchObject({ type: "aaep:agent.session.completed" }));
    expect(events.map(({ chunk }) => chunk ?? "").join("")).toBe("One two three.");
    const last = states.findLast((state) => state.kind === "active");
    expect(last).toMatchObject({ isResumed: true, accepted: { honored_capabilities: { aaepd: { resumed: "all" } } } });
  },
);

test("R17: a listener that is started again goes on at the cursor that it stored", async () => {
  const daemon = await httpDaemon();
  const first = await listening(daemon, { coalesce_boundaries: ["none"] });
  const agent = await agentAt(daemon);
  // Counted before: the checkpoint of both events may come with them.
  const places = first.cursors.length;
  await agent.publishUntyped([begin, text("out_1", "One ")]);
  await eventually(() => expect(first.events.at(-1)).toMatchObject({ chunk: "One " }));
  await eventually(() => expect(first.cursors.length).toBeGreaterThan(places));
  await first.subscription.close();
  await agent.publishUntyped(text("out_1", "two.", true));
  const cursor = first.cursors.at(-1) ?? "";
  const second = await listening(daemon, { coalesce_boundaries: ["none"] }, { cursor });
  await eventually(() => expect(second.events).toMatchObject([{ chunk: "two.", position: 4 }]));
});

test("a new token of the running daemon is fetched for the next call; the stream stays", async () => {
  const daemon = await httpDaemon();
  const { subscription, states } = await listening(daemon);
  const former = daemon.token();
  daemon.reload();
  await eventually(() => expect(daemon.token()).not.toBe(former));
  expect(await subscription.listPending()).toEqual([]);
  expect(await subscription.renegotiate({ pace_wpm: 200 })).toHaveLength(1);
  expect(states.map(({ kind }) => kind)).toEqual(["connecting", "active"]);
});

test("AAEP §8.2.7: a token that is wrong for good ends the iteration; one that is fetched may change", async () => {
  const daemon = await sharedDaemon();
  const wrong = listen(httpConnector(daemon.address, { token: "guessed" }));
  expect(await wrong.ended).toMatchObject({ code: "unauthenticated", rule: "AAEP §8.2.7" });
  let token = "guessed";
  const { states, active } = listen(httpConnector(daemon.address, { token: async () => token }));
  await eventually(() =>
    expect(states.at(-1)).toMatchObject({ kind: "waiting", because: { fault: { code: "unauthenticated" } } }),
  );
  token = daemon.token();
  await active();
});

test("a function for the token that fails counts as an interruption", async () => {
  const daemon = await sharedDaemon();
  let isThere = false;
  const { states, active } = listen(
    httpConnector(`${daemon.address}/`, {
      token: () => (isThere ? daemon.token() : Promise.reject(new Error("Not there."))),
    }),
  );
  await eventually(() => expect(states.at(-1)).toMatchObject({ kind: "waiting", because: { kind: "fault" } }));
  isThere = true;
  await active();
});

test("an address where nobody or somebody else listens is told, and tried again", async () => {
  const server = createServer((_, response) => response.writeHead(404, { "content-type": "text/html" }).end("No."));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const other = listen(httpConnector(address, { token: "any" }));
  await eventually(() =>
    expect(other.states.at(-1)).toMatchObject({
      kind: "waiting",
      because: { fault: { code: "invalid_message", sentence: expect.stringContaining("404") } },
    }),
  );
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  await eventually(() =>
    expect(other.states.at(-1)).toMatchObject({
      kind: "waiting",
      because: { fault: { code: "not_found", sentence: `No daemon answers at ${address}.` } },
    }),
  );
});
