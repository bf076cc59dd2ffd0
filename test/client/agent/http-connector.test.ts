// What an agent over HTTP does beside the contract of all ways (ways.test.ts), with a real daemon on a loopback port.
import { expect, onTestFinished, test } from "vitest";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { httpRpcConnector } from "../../../src/client/agent/http-connector.js";
import { eventually } from "../../cli/command-stage.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";
import { listenAt, openedAt } from "./agent-stage.js";
import { sharedWays } from "./ways.js";

const reach = sharedWays();

test("an open session is kept while its agent has nothing to say", async () => {
  const { address, token } = await reach("HTTP, TCP");
  const timers = createVirtualClock();
  const calls: string[] = [];
  const spied: typeof fetch = (url, init) => {
    calls.push(String(url).split("/").at(-1) ?? "");
    return fetch(url, init);
  };
  const client = await AgentClient.open(httpRpcConnector(`http://${address}`, { token, fetch: spied, timers }));
  onTestFinished(() => client.close());
  await client.setManifest({ agent_id: "quiet" });
  expect(timers.pending()).toBe(0);
  await client.publish({ type: "aaep:agent.session.started", session_id: "sess_quiet", summary_normal: "Thinks." });
  // The bytes of an error have two for the length of a long sentence.
  const type = `aaep:agent.${"x".repeat(100)}`;
  await expect(client.publish({ type, session_id: "sess_quiet" })).rejects.toMatchObject({
    code: "unknown_type",
    sentence: expect.stringMatching(/^"aaep:agent\.x+" is none of the twelve types of AAEP\./),
    pointer: "/type",
  });
  const before = calls.length;
  await timers.advanceSettled(20_000);
  await eventually(() => expect(calls.slice(before)).toEqual(["SetManifest"]));
  await eventually(() => expect(timers.pending()).toBe(1));
  await client.publish({ type: "aaep:agent.session.completed", session_id: "sess_quiet", summary_normal: "Thought." });
  expect(timers.pending()).toBe(0);
});

test("an answer without a receipt or an outcome is told as one that cannot be read", async () => {
  const empty = httpRpcConnector("http://daemon", { fetch: async () => Response.json({}) });
  const client = await AgentClient.open(empty);
  onTestFinished(() => client.close());
  const unread = { code: "invalid_message", sentence: expect.stringContaining("not readable") };
  await expect(client.publish({ type: "aaep:agent.progress.updated", session_id: "s" })).rejects.toMatchObject(unread);
  await expect(client.confirm({ session_id: "s", action: "A", consequence: "B" })).rejects.toMatchObject(unread);
});

test("a daemon that does not answer within 30 s counts as lost; a question may wait longer", async () => {
  const { address, token, socketPath } = await reach("HTTP, TCP");
  const heard = await listenAt(socketPath, { answer: () => undefined });
  const timers = createVirtualClock();
  let isHeld = false;
  const holding: typeof fetch = (url, init) => {
    if (!isHeld) return fetch(url, init);
    return new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  };
  const connection = await httpRpcConnector(`http://${address}`, { token, fetch: holding, timers })(undefined as never);
  const session_id = "sess_held";
  const started = { type: "aaep:agent.session.started", session_id, summary_normal: "Waits." };
  const producer = { agent_id: "held" };
  await connection.request("aaep.publish", { ...started, producer });
  const asking = connection.request("aaep.confirm", {
    session_id,
    event_id: "evt_0000000000000000000000000000be1d",
    reply_token: "rpl_0000000000000000000000000000be1d",
    action: "A",
    consequence: "B",
    producer,
  });
  const lost = expect(asking).rejects.toMatchObject({ code: "peer_gone" });
  await eventually(() => expect(heard.lines).toContain("awaiting.confirmation | A"));
  isHeld = true;
  const publishing = connection.request("aaep.publish", {
    type: "aaep:agent.progress.updated",
    session_id,
    progress: { percent: 1 },
  });
  const refusal = expect(publishing).rejects.toMatchObject({ code: "peer_gone" });
  const unread = expect(connection.request("aaep.ping", {})).rejects.toMatchObject({ code: "peer_gone" });
  await timers.advanceSettled(29_999);
  await timers.advanceSettled(1);
  await refusal;
  await unread;
  await lost;
  expect(await connection.closed).toMatchObject({ kind: "abrupt", fault: { code: "peer_gone" } });
});

test("a token that the daemon has replaced is read again, and the sessions go on", async () => {
  const served = await reach("HTTP, TCP");
  const heard = await listenAt(served.socketPath);
  let given = served.token();
  const statuses: number[] = [];
  const noting: typeof fetch = async (url, init) => {
    // Each request has a connection of its own, because an open one keeps its admission.
    const response = await fetch(url, { ...init, headers: { ...init?.headers, connection: "close" } });
    statuses.push(response.status);
    return response;
  };
  const connect = httpRpcConnector(`http://${served.address}`, { token: () => given, fetch: noting });
  const { agent, troubles } = await openedAt(undefined, { connectors: [{ connect }] });
  const s = agent.session("Writes.");
  s.text("Before. ");
  await eventually(() => expect(heard.text()).toBe("Before. "));
  served.reload();
  await eventually(() => expect(served.token()).not.toBe(given));
  // The function gives the former token once more, so that the connection ends before there is another.
  s.text("Between. ");
  await eventually(() => expect(statuses.filter((status) => status === 401).length).toBeGreaterThan(1));
  given = served.token();
  s.text("After.");
  s.complete();
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  expect(heard.text()).toBe("Before. Between. After.");
  expect(troubles).toEqual([]);
});
