// Server-Sent Events of a daemon: what is posted reaches a listener, or is refused, and a stream always names a place.
import { request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { type DaemonRig, nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { metric } from "../support/services/bystander.js";
import { rawHttp } from "../support/services/raw-calls.js";
import { startServices } from "../support/services/service-stage.js";

const EVENTS = "/aaep/v1/events";

async function post(rig: DaemonRig, path: string, message: unknown, key = "") {
  const { status, body } = await rawHttp(rig.serviceAddress("http"), path, {
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
  return { status, answer: body.length === 0 ? undefined : (JSON.parse(String(body)) as Record<string, unknown>) };
}

/** Makes a subscription. Returns its id and its key. */
async function subscribe(rig: DaemonRig, capabilities: object = {}) {
  const { status, answer } = await post(rig, "/aaep/v1/subscriptions", requestOf(capabilities));
  expect(status).toBe(201);
  const accepted = answer as {
    readonly subscription_id: string;
    readonly honored_capabilities: { readonly aaepd: { readonly key: string } };
  };
  return { subscription_id: accepted.subscription_id, key: accepted.honored_capabilities.aaepd.key };
}

/** Opens a stream, whose head and first comment have come. */
async function listen(rig: DaemonRig, path: string) {
  const socketPath = rig.serviceAddress("http").replace(/^unix:/, "");
  const asked = request({ socketPath, path });
  asked.on("error", () => {});
  onTestFinished(() => void asked.destroy());
  let came = "";
  const response = await new Promise<{ readonly statusCode?: number } & NodeJS.ReadableStream>((resolve) => {
    asked.once("response", resolve).end();
  });
  response.on("data", (bytes: Buffer) => (came += String(bytes)));
  if (response.statusCode === 200) await expect.poll(() => came).toContain("id: ");
  return { status: response.statusCode, came: () => came, leave: () => asked.destroy() };
}

it("R35: a stream that begins within a session names the place of its opening, and an event has a place for its id", async () => {
  const rig = await startServices();
  const agent = await rig.rpc();
  const session_id = nextSession();
  await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
  for (const path of [EVENTS, `${EVENTS}?subscription_id=${(await subscribe(rig)).subscription_id}`]) {
    const { came } = await listen(rig, path);
    expect(came()).toMatch(/^:\nretry: \d+\n\nid: c1\.\w+\.\d+\n\n/);
    await rig.advance(1000);
    await agent.publish({ type: "aaep:agent.state.changed", session_id, from_state: "idle", to_state: "idle" });
    await expect.poll(came).toMatch(/\nid: c1\.\w+\.\d+\n(event: aaep\.event\n)?data: \{[^\n]*\n\n/);
    expect(came()).not.toMatch(/^id: *$/m);
  }
});

it("a message that could not be answered is refused: its stream is away, or its listener has ended it", async () => {
  const rig = await startServices();
  const { subscription_id, key } = await subscribe(rig);
  const path = `${EVENTS}?subscription_id=${subscription_id}`;
  const renegotiate = { type: "subscription.renegotiate", subscription_id, capabilities: {} };
  const say = async (message: object) => (await post(rig, "/aaep/v1/replies", message, key)).status;
  const stream = await listen(rig, path);
  expect(await say(renegotiate)).toBe(204);
  await expect.poll(stream.came).toContain("subscription.accepted");
  stream.leave();
  await expect.poll(() => say(renegotiate)).toBe(400);
  const again = await listen(rig, path);
  expect(await say(renegotiate)).toBe(204);
  await expect.poll(again.came).toContain("subscription.accepted");
  // N2: a browser whose stream has ended in order asks no more.
  expect(await say({ type: "subscription.close", subscription_id })).toBe(204);
  await expect.poll(async () => (await listen(rig, path)).status).toBe(204);
  expect(await say(renegotiate)).toBe(404);
});

it("R19: a reply in which a member stands twice gets the answer of every reply, and the audit log has it", async () => {
  const rig = await startServices();
  const { subscription_id, key } = await subscribe(rig);
  const twice = (type: string) => `{"type":"${type}","type":"${type}","subscription_id":"${subscription_id}"}`;
  expect((await post(rig, "/aaep/v1/replies", twice("confirmation.reply"), key)).status).toBe(204);
  expect(await metric(rig, 'aaepd_replies_total{fate="malformed"}')).toBe(1);
  const other = await post(rig, "/aaep/v1/replies", twice("subscription.renegotiate"), key);
  expect([other.status, other.answer]).toMatchObject([400, { error: "invalid_message" }]);
  // R33: a close is clear, whatever else stands twice.
  await listen(rig, `${EVENTS}?subscription_id=${subscription_id}`);
  expect((await post(rig, "/aaep/v1/replies", twice("subscription.close"), key)).status).toBe(204);
  await expect.poll(() => metric(rig, "aaepd_subscriptions")).toBe(0);
});

it("R19: over a Unix socket a reply needs the key of its subscription, and the audit log has those without", async () => {
  const rig = await startServices();
  const { subscription_id, key } = await subscribe(rig, { supports_confirmation_reply: true });
  const other = await subscribe(rig);
  const reply_token = "rpl_00000000000000000000000000000001";
  const timestamp = "2026-05-24T14:22:24.812Z";
  const reply = { type: "confirmation.reply", reply_token, decision: "accept", subscription_id, timestamp };
  const say = async (bearer: string) => (await post(rig, "/aaep/v1/replies", reply, bearer)).status;
  const stray = () => metric(rig, 'aaepd_replies_total{fate="wrong_subscription"}');
  expect([await say(""), await say(other.key), await stray()]).toEqual([404, 404, 2]);
  expect([await say(key), await stray()]).toEqual([204, 2]);
});

it("R34: 1,024 subscriptions with their streams are kept, and a further one is refused", async () => {
  const rig = await startRig({ services: { http: "unix" }, configuration: { maxConcurrentSubscriptions: 2000 } });
  const first = await subscribe(rig);
  for (let made = 1; made < 1024; made += 31) await Promise.all(Array.from({ length: 31 }, () => subscribe(rig)));
  const more = await post(rig, "/aaep/v1/subscriptions", requestOf({}));
  expect([more.status, more.answer]).toMatchObject([429, { error: "rate_limit" }]);
  const close = { type: "subscription.close", subscription_id: first.subscription_id };
  expect((await post(rig, "/aaep/v1/replies", close, first.key)).status).toBe(204);
  await subscribe(rig);
});

it("R34: a stream that nothing was asked for is refused while there are as many subscriptions as may be", async () => {
  const rig = await startRig({ services: { http: "unix" }, configuration: { maxConcurrentSubscriptions: 1 } });
  await subscribe(rig);
  expect((await listen(rig, EVENTS)).status).toBe(429);
});
