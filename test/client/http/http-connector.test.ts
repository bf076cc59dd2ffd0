// What a listener over HTTP has to do with its daemon beyond the conversation, which the scenarios tell: kills, tokens, and addresses. By nothing but
// `fetch`, with a real daemon on a loopback port.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { AaepdError, Envelope } from "#gen/aaep/types.js";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { httpConnector } from "../../../src/client/http/listen-connection.js";
import { subscribe } from "../../../src/client/listener/subscribe.js";
import type { Terms } from "../../../src/client/listener/terms.js";
import type { Connector, SubscribeOptions, SubscriberState } from "../../../src/client/listener/types.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import { eventually } from "../../cli/command-stage.js";
import { isWhole } from "../../support/extent.js";
import { shared } from "../../support/lifetime.js";
import { httpDaemon, mortalHttpDaemon } from "./http-daemon.js";

const SESSION = "sess_http";
const event = (kind: string, members: Readonly<Record<string, unknown>> = {}) => ({
  type: `aaep:agent.${kind}`,
  session_id: SESSION,
  ...members,
});
const begin = event("session.started", { summary_terse: "Trains.", summary_normal: "Looks up trains." });
const text = (output_id: string, chunk: string, complete = false) =>
  event("output.streaming", { output_id, chunk, complete });

function listen(connect: Connector, terms: Terms = {}, options: SubscribeOptions = {}) {
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

type Daemon = Pick<Awaited<ReturnType<typeof httpDaemon>>, "address" | "token" | "socketPath">;

/** Listens over HTTP to a daemon that is there. */
async function listening(daemon: Daemon, terms: Terms = {}, options: SubscribeOptions = {}) {
  const heard = listen(httpConnector(daemon.address, { token: daemon.token }), terms, options);
  await heard.active();
  return heard;
}

async function agentAt({ socketPath }: Daemon): Promise<AgentClient> {
  const agent = await AgentClient.open(ipcRpcConnector(socketPath), { backOff: { firstMs: 10, longestMs: 50 } });
  onTestFinished(() => agent.close());
  await agent.setManifest({ agent_id: "conductor", agent_name: "Conductor" });
  return agent;
}

test.each(isWhole ? (["SIGKILL", "SIGTERM"] as const) : (["SIGKILL"] as const))(
  "R17: over a %s, with another token, it goes on at its place, and hears each word once",
  async (how) => {
    const daemon = await mortalHttpDaemon();
    const { events, cursors, states, active } = await listening(daemon, { coalesce_boundaries: ["none"] });
    const agent = await agentAt(daemon);
    // Counted before: the checkpoint of both events may come with them.
    const places = cursors.length;
    await agent.publish([begin, text("out_1", "One ")]);
    await eventually(() => expect(events.at(-1)).toMatchObject({ chunk: "One " }));
    await eventually(() => expect(cursors.length).toBeGreaterThan(places));
    await agent.publish(text("out_1", "two "));
    await daemon.end(how);
    await eventually(() => expect(states.at(-1)?.kind).toBe("waiting"));
    const late = agent.publish([text("out_1", "three.", true), event("session.completed", { summary_normal: "D." })]);
    await daemon.again();
    await active(2);
    await late;
    await eventually(() => expect(events.at(-1)).toMatchObject({ type: "aaep:agent.session.completed" }));
    expect(events.map(({ chunk }) => chunk ?? "").join("")).toBe("One two three.");
    const last = states.findLast((state) => state.kind === "active");
    expect(last).toMatchObject({ isResumed: true, accepted: { honored_capabilities: { aaepd: { resumed: "all" } } } });
  },
);

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
