// Listeners that can send no header: over Server-Sent Events and WebSocket, at an address of their own or at the paths of AAEP's appendix B.
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { openAgent } from "../../../src/client/node.js";
import { rawHttp } from "../../support/services/raw-calls.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { runCommandLine, type ServedDaemon, serve } from "../command-stage.js";

interface Served extends ServedDaemon {
  readonly base: string;
  readonly run: (...argv: readonly string[]) => ReturnType<typeof runCommandLine>;
  readonly token: string;
}

async function served(...options: readonly string[]): Promise<Served> {
  const daemon = await serve(temporaryDirectory(), "--http", "127.0.0.1:0", ...options);
  const token = readFileSync(daemon.socketPath.replace(/\.sock$/, ".token"), "utf8").trim();
  const run = (...argv: readonly string[]) => runCommandLine(argv, daemon.environment);
  return { ...daemon, base: `http://${daemon.http[0]}`, token, run };
}

async function addressOf(daemon: Served, ...options: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await daemon.run("address", "create", "page", ...options);
  expect([stderr, code]).toEqual(["", 0]);
  return stdout.trim();
}

interface Stream {
  readonly status: number;
  readonly headers: Headers;
  /** All that came, once it has this. */
  readonly until: (text: string) => Promise<string>;
  readonly ended: Promise<void>;
  readonly leave: () => void;
}

async function listen(url: string, headers: Record<string, string> = {}): Promise<Stream> {
  const leaving = new AbortController();
  const answer = await fetch(url, { headers, signal: leaving.signal });
  let came = "";
  const read = async (): Promise<void> => {
    for await (const bytes of answer.body ?? []) came += Buffer.from(bytes).toString();
  };
  const ended = read().catch(() => {});
  const leave = () => leaving.abort();
  onTestFinished(leave);
  const until = async (text: string): Promise<string> => {
    await expect.poll(() => came).toContain(text);
    return came;
  };
  return { status: answer.status, headers: answer.headers, until, ended, leave };
}

async function post(url: string, message: unknown, headers: Record<string, string> = {}) {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return { status: answer.status, body: await answer.text(), location: answer.headers.get("location") };
}

async function agentOf(daemon: Served, options: Partial<Parameters<typeof openAgent>[0]> = {}) {
  const agent = await openAgent({ id: "planner", socket: daemon.socketPath, ...options });
  onTestFinished(() => agent.close());
  return agent;
}

const eventsIn = (came: string) =>
  came
    .split("\n\n")
    .flatMap((one) => /^data: (.*)$/m.exec(one)?.[1] ?? [])
    .map((data) => JSON.parse(data) as Record<string, unknown>);

describe("a base address", () => {
  it("N1, N2: serves events to whoever knows it, with a comment first, a place, and one line of data each", async () => {
    const daemon = await served();
    const address = await addressOf(daemon);
    const again = "There is an address page already. Revoke it first: aaepd address revoke page";
    expect(await daemon.run("address", "create", "page")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(again),
    });
    const stream = await listen(`${address}//events`, { accept: "*/*" });
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toContain("text/event-stream");
    expect(stream.headers.get("cache-control")).toBe("no-store");
    expect(await stream.until("id: c1.")).toMatch(/^:\nretry: \d+\n\nid: c1\.\w+\.\d+\n\n/);
    const agent = await agentOf(daemon);
    await agent.session("Plan a trip.", () => undefined);
    const came = await stream.until("session.completed");
    expect(came).not.toContain("event:");
    expect(came).not.toContain("\r");
    const types = eventsIn(came).map(({ type }) => type);
    expect([types[0], types.at(-1)]).toEqual(["aaep:agent.session.started", "aaep:agent.session.completed"]);
  });

  it("N3, N4, N7: a question is put there, and a reply that names another subscription counts", async () => {
    const daemon = await served();
    const address = await addressOf(daemon, "--confirmations");
    const stream = await listen(`${address}/events`);
    const agent = await agentOf(daemon);
    const asked = agent.session("Clean up.").confirm({ action: "Delete a.txt", consequence: "It is gone." });
    const came = await stream.until("awaiting.confirmation");
    const question = eventsIn(came).find(({ type }) => String(type).endsWith("awaiting.confirmation"));
    const reply = {
      type: "confirmation.reply",
      subscription_id: "sub_random",
      reply_token: question?.reply_token,
      decision: "accept",
      timestamp: new Date().toISOString(),
    };
    const wrong = await post(`${address}/messages`, { ...reply, reply_token: "rpl_00000000000000000000" });
    const right = await post(`${address}/messages`, reply);
    // Whether a reply counted is nobody's business but the agent's.
    expect([wrong.status, right.status, wrong.body, right.body]).toEqual([204, 204, "", ""]);
    expect(await asked).toMatchObject({ decision: "accept" });
  });

  it("N5: a request on an open stream is answered there, and takes it over", async () => {
    const daemon = await served();
    const address = await addressOf(daemon);
    expect((await post(`${address}/messages`, { type: "subscription.close" })).status).toBe(400);
    const stream = await listen(`${address}/events`);
    const request = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "page" };
    await post(`${address}/messages`, { ...request, capabilities: { max_events_per_second: 7 } });
    expect(eventsIn(await stream.until("subscription.accepted"))).toMatchObject([
      { type: "subscription.accepted", honored_capabilities: { max_events_per_second: 7 } },
    ]);
    await post(`${address}/messages`, { ...request, aaep_version: "9.0.0", capabilities: {} });
    await stream.until("subscription.rejected");
    const twice = await post(`${address}/messages`, '{"type":"a","type":"b"}');
    expect([twice.status, JSON.parse(twice.body)]).toMatchObject([400, { error: "invalid_message" }]);
  });

  it("N4: what a person says goes to an agent that takes it, where the address may", async () => {
    const daemon = await served();
    const heard: string[] = [];
    await agentOf(daemon, { onUserInput: (text) => heard.push(text) });
    const address = await addressOf(daemon, "--user-input");
    await listen(`${address}/events`);
    // More than a person says at once.
    await post(`${address}/messages`, { kind: "user_input", text: "x".repeat(4097) });
    expect((await post(`${address}/messages`, { kind: "user_input", text: "Go on." })).status).toBe(204);
    await expect.poll(() => heard).toEqual(["Go on."]);
    expect((await daemon.run("address", "list")).stdout).toMatch(/^page: made .*; listens, speaks to an agent\n$/);
  });

  it("N8: a listener that comes back names its place, and hears what it missed", async () => {
    const daemon = await served();
    const address = await addressOf(daemon);
    const first = await listen(`${address}/events`);
    const place = /id: (\S+)/.exec(await first.until("id: "))?.[1] ?? "";
    first.leave();
    const agent = await agentOf(daemon);
    agent.session("Plan a trip.");
    const second = await listen(`${address}/events`, { "last-event-id": place });
    expect(eventsIn(await second.until("session.started"))[0]).toMatchObject({ type: "aaep:agent.session.started" });
  });

  it("N10: tells whether the daemon runs, and nothing else of it", async () => {
    const daemon = await served();
    const address = await addressOf(daemon);
    const statuses = ["healthz", "metrics", ".well-known/aaep-manifest.json"].map(
      async (page) => (await fetch(`${address}/${page}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 404, 404]);
  });

  it("is no address any more once it is revoked: streams end, and it is not found", async () => {
    const daemon = await served();
    const address = await addressOf(daemon);
    const stream = await listen(`${address}/events`);
    await daemon.run("address", "revoke", "page");
    await stream.ended;
    const again = await fetch(`${address}/events`);
    expect([again.status, await again.text()]).toMatchObject([404, expect.stringContaining("aaepd address create")]);
  });

  it("N9: speaks WebSocket, with the subprotocol or without, from the opening on", async () => {
    const daemon = await served();
    const address = (await addressOf(daemon)).replace("http:", "ws:");
    const agent = await agentOf(daemon);
    for (const protocols of [[], ["aaep.v1"]]) {
      const socket = new WebSocket(address, protocols);
      onTestFinished(() => socket.terminate());
      const came: string[] = [];
      socket.on("message", (data) => came.push(String(data)));
      await new Promise((resolve) => socket.once("open", resolve));
      expect(socket.protocol).toBe(protocols[0] ?? "");
      agent.session("Plan a trip.");
      await expect.poll(() => came.join()).toContain("session.started");
      // R17: places go to those that ask for them, and this one has not.
      expect(came.join()).not.toContain("aaepd.checkpoint");
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.send(Buffer.from([1]));
      expect(await closed).toBe(1003);
    }
  });
});

describe("the paths of appendix B", () => {
  const REQUEST = {
    type: "subscription.request",
    aaep_version: "1.0.0",
    subscriber_id: "page",
    capabilities: { supports_confirmation_reply: true },
  };

  it("N10: a subscription is made, its stream opened and taken up again, and a reply names it", async () => {
    const daemon = await served();
    const authorization = `Bearer ${daemon.token}`;
    expect((await fetch(`${daemon.base}/aaep/v1/events`)).status).toBe(401);
    const made = await post(`${daemon.base}/aaep/v1/subscriptions`, REQUEST, { authorization });
    expect(made.status).toBe(201);
    const accepted = JSON.parse(made.body) as { subscription_id: string };
    expect(made.location).toBe(`/aaep/v1/events?subscription_id=${accepted.subscription_id}`);
    const agent = await agentOf(daemon);
    const asked = agent.session("Clean up.").confirm({ action: "Delete a.txt", consequence: "It is gone." });
    // What was published before the stream was opened is there.
    const stream = await listen(`${daemon.base}${made.location}`, { authorization });
    const came = await stream.until("awaiting.confirmation");
    expect(came).toContain("event: aaep.event\ndata: ");
    const question = eventsIn(came).find(({ type }) => String(type).endsWith("awaiting.confirmation"));
    stream.leave();
    const again = await listen(`${daemon.base}${made.location}`, { authorization });
    await again.until("awaiting.confirmation");
    const reply = {
      type: "confirmation.reply",
      subscription_id: accepted.subscription_id,
      reply_token: question?.reply_token,
      decision: "reject",
      timestamp: new Date().toISOString(),
    };
    const given = await post(`${daemon.base}/aaep/v1/replies`, reply, { authorization });
    expect([given.status, await asked]).toMatchObject([204, { decision: "reject" }]);
    const unknown = await post(
      `${daemon.base}/aaep/v1/replies`,
      { ...reply, subscription_id: "sub_x" },
      { authorization },
    );
    expect([unknown.status, JSON.parse(unknown.body)]).toMatchObject([404, { error: "unknown_subscription" }]);
    // A browser whose subscription is over stops.
    const over = await fetch(`${daemon.base}/aaep/v1/events?subscription_id=sub_x`, { headers: { authorization } });
    expect(over.status).toBe(204);
    const rejected = await post(
      `${daemon.base}/aaep/v1/subscriptions`,
      { ...REQUEST, aaep_version: "9.0.0" },
      { authorization },
    );
    expect([rejected.status, JSON.parse(rejected.body)]).toMatchObject([400, { type: "subscription.rejected" }]);
  });

  it("R23: a WebSocket speaks JSON-RPC or plain AAEP, as its first message does", async () => {
    const daemon = await served();
    const url = `${daemon.base.replace("http:", "ws:")}/aaep/v1/ws`;
    const headers = { authorization: `Bearer ${daemon.token}` };
    const answers = await Promise.all(
      [REQUEST, { jsonrpc: "2.0", id: 1, method: "aaep.ping" }].map(
        (message) =>
          new Promise<unknown>((resolve) => {
            const socket = new WebSocket(url, { headers });
            onTestFinished(() => socket.terminate());
            socket.once("open", () => socket.send(JSON.stringify(message)));
            socket.once("message", (data) => resolve(JSON.parse(String(data))));
          }),
      ),
    );
    expect(answers).toMatchObject([{ type: "subscription.accepted" }, { jsonrpc: "2.0", id: 1, result: {} }]);
  });

  it("refuses pages of other origins, whatever they know", async () => {
    const daemon = await served("--cors-origins", "http://localhost:5173");
    const address = await addressOf(daemon);
    const statusFor = async (headers: Record<string, string>) =>
      (await rawHttp(daemon.base, new URL(`${address}/messages`).pathname, { method: "POST", headers })).status;
    for (const headers of [{ origin: "http://evil.example" }, { "sec-fetch-site": "cross-site" }, { origin: "null" }])
      expect(await statusFor(headers as Record<string, string>)).toBe(403);
    expect(await statusFor({ host: "evil.example" })).toBe(403);
    // Named, or the daemon's own: refused for what they send, and for nothing else.
    for (const origin of ["http://localhost:5173", daemon.base]) expect(await statusFor({ origin })).toBe(415);
    const url = address.replace("http:", "ws:");
    const refused = new WebSocket(url, { origin: "http://evil.example" });
    expect(await new Promise((resolve) => refused.once("error", ({ message }) => resolve(message)))).toContain("403");
  });
});

it("an address gives no right to answer that it was not made with, and has 16 streams at most", async () => {
  const daemon = await served();
  const address = await addressOf(daemon);
  const stream = await listen(`${address}/events`);
  const capabilities = { supports_confirmation_reply: true, supports_clarification_reply: true };
  const request = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "page", capabilities };
  expect((await post(`${address}/messages`, request)).status).toBe(204);
  const came = await stream.until("subscription.accepted");
  expect(came).toContain('"supports_confirmation_reply":false');
  expect(came).toContain('"supports_clarification_reply":false');
  const more = await Promise.all(Array.from({ length: 16 }, () => listen(`${address}/events`)));
  expect(more.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 15 }, () => 200), 429]);
});
