// An agent over HTTP, by nothing but `fetch`, with a real daemon on a loopback port.
import { expect, onTestFinished, test, vi } from "vitest";
import type { OpenAgentOptions } from "../../../src/client/agent/agent-options.js";
import { httpRpcConnector } from "../../../src/client/agent/http-connector.js";
import { createAgentClient } from "../../../src/client/agent-client.js";
import type { HttpConnectorOptions } from "../../../src/client/http/calls.js";
import { eventually } from "../../cli/command-stage.js";
import { httpDaemon } from "../http/http-daemon.js";
import { createVirtualTimers } from "../virtual-timers.js";
import { accepts, listenAt, openedAt, rejects } from "./agent-stage.js";

const connected = (
  { address, token }: { readonly address: string; readonly token: () => string },
  options: Partial<HttpConnectorOptions> = {},
): Pick<OpenAgentOptions, "connectors"> => ({
  connectors: [{ connect: httpRpcConnector(address, { token, ...options }) }],
});

test("a session with tools, text and questions is heard as over a socket", async () => {
  const served = await httpDaemon();
  const heard = await listenAt(served.socketPath, {
    answer: (event) => (event.action === "Reject this." ? rejects(event) : accepts(event)),
  });
  const { agent, troubles } = await openedAt(undefined, { ...connected(served), mode: "required", language: "es" });
  await agent.session("Limpia.", async (s) => {
    s.text("Dos ");
    s.text("fotos.");
    expect(await s.tool("borrar", () => 2, { irreversible: true, completed: "Hecho." })).toBe(2);
    expect(await s.confirm({ action: "Reject this.", consequence: "B", extra_context: { amount: 2 } })).toMatchObject({
      decision: "reject",
      resolved_by: "reply",
    });
    s.progress(50);
    s.progress({ percent: 1000 });
    s.handoff({ reason: "Ya.", target_kind: "human" });
  });
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Limpia."));
  expect(heard.text()).toBe("Dos fotos.");
  expect(heard.lines).toContain("tool.invoked | borrar | borrar");
  expect(heard.lines).toContain("tool.completed | borrar | success | Hecho.");
  expect(heard.events[0]).toMatchObject({
    producer: { agent_id: "sorter", agent_name: "Sorter" },
    localization_hints: { primary_language: "es" },
  });
  expect(troubles.map(({ fault: { code, pointer, rule } }) => ({ code, pointer, rule }))).toEqual([
    { code: "invalid_event", pointer: expect.stringContaining("/progress/percent"), rule: expect.any(String) },
  ]);
});

test("R3, R8, R8b: over a kill of serve, the session goes on, and an open question is answered in the next run", async () => {
  const served = await httpDaemon();
  let mayAnswer = false;
  let token: unknown;
  const heard = await listenAt(served.socketPath, {
    answer: (event) => {
      token = event.reply_token;
      return mayAnswer ? accepts(event) : undefined;
    },
  });
  const { agent, troubles, statuses } = await openedAt(undefined, connected(served));
  const s = agent.session("Writes.");
  s.text("Before. ");
  const asking = s.confirm({ action: "A", consequence: "B" });
  await eventually(() => expect(token).toBeDefined());
  await served.kill();
  s.text("Between. ");
  await eventually(() => expect(statuses.at(-1)?.kind).toBe("away"));
  mayAnswer = true;
  await served.again();
  let isAnswered = false;
  void asking.then(() => {
    isAnswered = true;
  });
  await eventually(() => {
    heard.subscriber.reply({ reply_token: String(token), decision: "accept" });
    expect(isAnswered).toBe(true);
  });
  expect(await asking).toMatchObject({ decision: "accept", resolved_by: "reply" });
  s.text("After.");
  s.complete();
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Writes."));
  expect(heard.text()).toBe("Before. Between. After.");
  expect(troubles).toEqual([]);
});

test("an open session is kept while its agent has nothing to say", async () => {
  const served = await httpDaemon();
  const timers = createVirtualTimers();
  const calls: string[] = [];
  const spied: typeof fetch = (url, init) => {
    calls.push(String(url).split("/").at(-1) ?? "");
    return fetch(url, init);
  };
  const client = await createAgentClient(
    httpRpcConnector(served.address, { token: served.token, fetch: spied, timers }),
  );
  onTestFinished(() => client.close());
  await client.setManifest({ agent_id: "quiet" });
  expect(timers.pendingCount()).toBe(0);
  await client.publish({ type: "aaep:agent.session.started", session_id: "sess_quiet", summary_normal: "Thinks." });
  const before = calls.length;
  await timers.advance(60_000);
  await eventually(() => expect(calls.length).toBeGreaterThan(before));
  await client.publish({ type: "aaep:agent.session.completed", session_id: "sess_quiet", summary_normal: "Thought." });
  expect(timers.pendingCount()).toBe(0);
  expect(calls).toContain("SetManifest");
});

test("the outcome of a question can be asked for, and a question taken back", async () => {
  const served = await httpDaemon();
  await listenAt(served.socketPath, { answer: () => undefined });
  const client = await createAgentClient(httpRpcConnector(served.address, { token: served.token }));
  onTestFinished(() => client.close());
  await client.setManifest({ agent_id: "asker" });
  await client.publish({ type: "aaep:agent.session.started", session_id: "sess_ask", summary_normal: "Asks." });
  const reply_token = "rpl_00000000000000000000000000000001";
  const asking = client.confirm({ session_id: "sess_ask", action: "A", consequence: "B", reply_token });
  const state = (): Promise<unknown> => client.outcomeOf(reply_token).catch(() => undefined);
  await vi.waitFor(async () => expect(await state()).toEqual({ state: "open", reply_token }), 10_000);
  expect(await client.cancel(reply_token, { decided_by: "host", decision: "accept" })).toBe(true);
  expect(await asking).toMatchObject({ decision: "accept", resolved_by: "host" });
  expect(await client.outcomeOf(reply_token)).toMatchObject({ state: "resolved", resolved_by: "host" });
  expect(await client.cancel(reply_token)).toBe(false);
});

test("a wrong token, and an address where nobody listens, are told", async () => {
  const served = await httpDaemon();
  const wrong = httpRpcConnector(served.address, { token: "wrong" });
  await expect(createAgentClient(wrong)).rejects.toMatchObject({ code: "unauthenticated" });
  await served.kill();
  const nobody = httpRpcConnector(served.address, { token: "any" });
  await expect(createAgentClient(nobody)).rejects.toMatchObject({ code: "not_found" });
});
