// Subscribers that take too slowly, over real sockets: what they are told, how they are cut off, and that they lose nothing (P1, P3, P4, P9, P10).
import { describe, expect, it } from "vitest";
import type { DaemonStatus } from "../../src/daemon/status/daemon-status.js";
import { isWhole } from "../support/extent.js";
import { FRAMINGS } from "../support/lanes.js";
import type { Message } from "../support/oracles/wire-sniffer.js";
import type { PlainPeer, Subscription } from "../support/peers/peers.js";
import { type DaemonRig, nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";

const EVERYTHING = { coalesce_boundaries: ["none"] };
/** Text of 16,000 characters, which no listener may have cut. */
const TEXT = "word ".repeat(3200);
/** More of it than the buffers of both sides hold. */
const CHUNKS = 240;
const LIMITS = { queue_events: 256, policy: "journal", max_lag_seconds: 30, max_lag_events: 16_384 };

/** Everything that is published can be read back. */
const JOURNAL_BYTES = 64 * 1024 * 1024;

const startSlow = (): Promise<DaemonRig> =>
  startRig({ clock: "hands", configuration: { maxLagSeconds: 30, journalMaxBytes: JOURNAL_BYTES } });

async function statusOf(rig: DaemonRig): Promise<DaemonStatus> {
  const asking = await rig.rpc();
  const status = (await asking.request("aaepd.status")) as unknown as DaemonStatus;
  await asking.close();
  return status;
}

/** Publishes a session of so many texts. Answers its id. */
async function publishMuch(rig: DaemonRig, count = CHUNKS, chunk = TEXT): Promise<string> {
  const agent = await rig.rpc();
  const session_id = nextSession();
  await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
  for (let index = 0; index < count; index += 20) {
    const chunks = Array.from({ length: 20 }, (_, one) => ({
      type: "aaep:agent.output.streaming",
      session_id,
      chunk,
      position: (index + one) * chunk.length,
      complete: false,
    }));
    await agent.publish(...chunks);
  }
  return session_id;
}

const positionsOf = (events: readonly Message[], length = TEXT.length): readonly number[] =>
  events.flatMap(({ position }) => (typeof position === "number" ? [position / length] : []));

async function subscribed(peer: Subscription, subscriber_id: string, resumeAfter?: unknown): Promise<Message> {
  const extensions = resumeAfter === undefined ? {} : { extensions: { aaepd: { resume_after: resumeAfter } } };
  return peer.subscribe(requestOf(EVERYTHING, { subscriber_id, ...extensions }));
}

describe.each(isWhole ? FRAMINGS : FRAMINGS.slice(0, 1))("over %s", (framing) => {
  it("P1, P4: one that lags is told by how much, what it may and where to go on, after its last whole event; it goes on there", async () => {
    const rig = await startSlow();
    const slow: PlainPeer = await rig.plain(framing);
    const accepted = await subscribed(slow, "slow");
    expect(accepted).toMatchObject({ honored_capabilities: { aaepd: { limits: LIMITS } } });
    slow.stopReading();
    await publishMuch(rig);
    await rig.advance(29_000);
    const [warning] = (await statusOf(rig)).problems;
    expect(warning).toMatchObject({ code: "slow_subscriber", subscriber_id: "slow" });
    expect(warning?.message).toMatch(/^slow takes too slowly: it has taken nothing for 29 s, /);
    slow.readOn();
    rig.leap(1000);
    await slow.closed;
    const received = slow.events.rest();
    const [close, ...others] = slow.closings.rest();
    expect(others).toEqual([]);
    expect(close).toMatchObject({
      reason_code: "lagging",
      extensions: { aaepd: { limits: LIMITS, lag: { seconds: 30, events: expect.any(Number) } } },
    });
    const { aaepd } = (close?.extensions ?? {}) as { readonly aaepd?: { readonly cursor?: unknown } };
    const place = aaepd?.cursor;
    // Every frame that came was whole: the last one too.
    const before = positionsOf(received);
    expect(before).toEqual(before.map((_, index) => index));
    expect(before.length).toBeLessThan(CHUNKS);

    const again = await rig.plain(framing);
    expect(await subscribed(again, "slow", place)).toMatchObject({
      honored_capabilities: { aaepd: { resumed: "all" } },
    });
    const rest = positionsOf(await again.events.take(CHUNKS - before.length));
    expect(rest).toEqual(rest.map((_, index) => before.length + index));
    const { closures, subscriptions } = await statusOf(rig);
    expect(closures.lagging).toBe(1);
    expect(subscriptions.map(({ subscriber_id }) => subscriber_id)).toEqual(["slow"]);
  });
});

it("P3: the log tells once that one fell behind, and once that it caught up; nothing is lost to it", async () => {
  const rig = await startSlow();
  const slow = await rig.plain();
  await subscribed(slow, "slow");
  slow.stopReading();
  // More events than a view keeps for those that are late, of 2,000 characters.
  const count = 2400;
  const text = TEXT.slice(0, 2000);
  await publishMuch(rig, count, text);
  const told = (what: string): number => rig.log.filter(({ message }) => message.includes(what)).length;
  expect(told("takes too slowly")).toBe(1);
  expect(told("has caught up")).toBe(0);
  expect((await statusOf(rig)).subscriptions[0]).toMatchObject({ reads: "journal", blocked: true, fell_behind: 1 });
  slow.readOn();
  const positions: number[] = [];
  while (positions.length < count) positions.push(...positionsOf([await slow.events.next()], text.length));
  expect(positions).toEqual(positions.map((_, index) => index));
  await expect.poll(() => told("has caught up")).toBe(1);
  expect(told("takes too slowly")).toBe(1);
  expect((await statusOf(rig)).subscriptions[0]).toMatchObject({ reads: "live", blocked: false, gaps: 0 });
});

it("P10: that a peer still speaks is no sign that it takes anything", async () => {
  const rig = await startSlow();
  const slow = await rig.rpc();
  await subscribed(slow.subscription(), "speaking");
  slow.stopReading();
  await publishMuch(rig);
  for (let seconds = 0; seconds < 29; seconds += 1) {
    slow.notify("aaep.ping");
    await rig.advance(1000);
  }
  const [one] = (await statusOf(rig)).subscriptions;
  expect(one).toMatchObject({ subscriber_id: "speaking", blocked: true, lag_seconds: 29 });
  slow.notify("aaep.ping");
  await rig.advance(1000);
  await expect.poll(async () => (await statusOf(rig)).closures.lagging).toBe(1);
  await slow.close();
});

it("P7, R17: aaep.ping tells a subscription that hears nothing which place it has reached; several are named", async () => {
  const rig = await startRig();
  const peer = await rig.rpc();
  expect(await peer.request("aaep.ping")).toEqual({});
  const quiet = peer.subscription();
  const critical = { event_filters: { include: [] } };
  await quiet.subscribe(requestOf(critical, { subscriber_id: "quiet" }));
  const first = await peer.request("aaep.ping");
  expect(first).toEqual({ cursor: quiet.cursor() });
  const agent = await rig.rpc();
  const session_id = nextSession();
  const published = await agent.publish(
    { type: "aaep:agent.session.started", session_id, summary_normal: "Begins." },
    { type: "aaep:agent.progress.updated", session_id, progress: { percent: 50 } },
  );
  const last = (published.events as readonly Message[]).at(-1)?.epoch;
  const place = await peer.request("aaep.ping");
  expect(place).toEqual({ cursor: String(first.cursor).replace(/\d+$/, String(last)) });
  const second = peer.subscription();
  await second.subscribe(requestOf(critical, { subscriber_id: "second" }));
  expect(await peer.request("aaep.ping")).toEqual({});
  expect(await peer.request("aaep.ping", { subscription_id: quiet.id() })).toEqual(place);
  expect(await peer.refusal("aaep.ping", { subscription_id: "sub_nobody" })).toMatchObject({
    code: "unknown_subscription",
  });
  const back = (await rig.rpc()).subscription();
  expect(await subscribed(back, "quiet", place.cursor)).toMatchObject({
    honored_capabilities: { aaepd: { resumed: "all", cursor: place.cursor } },
  });
  await agent.publish({ type: "aaep:agent.session.completed", session_id, summary_normal: "Done." });
  expect(await back.events.next()).toMatchObject({ type: "aaep:agent.session.completed" });
});

it("R33: aaepd.status is a request with a limit, and tells no text of events", async () => {
  const rig = await startRig();
  const agent = await rig.rpc();
  const session_id = nextSession();
  const secret = "What nobody else is to read.";
  await agent.publish(
    { type: "aaep:agent.session.started", session_id, summary_normal: secret },
    { type: "aaep:agent.output.streaming", session_id, chunk: secret, complete: false },
  );
  await (await rig.plain()).subscribe(requestOf());
  await agent.refusal("aaep.publish", {
    type: "aaep:agent.progress.updated",
    session_id: "sess_none",
    progress: { percent: 5 },
  });
  await agent.refusal("aaep.publish", [1]);
  const status = await agent.request("aaepd.status", { limit: 0 });
  expect(status.publish_faults).toEqual({ session_not_started: 1, invalid_event: 1 });
  expect(status).toMatchObject({ session_count: 1, sessions: [], subscription_count: 1, subscriptions: [] });
  expect(JSON.stringify(await agent.request("aaepd.status"))).not.toContain(secret);
  for (const limit of [-1, 1.5, "2", 10_001])
    expect(await agent.refusal("aaepd.status", { limit })).toMatchObject({ code: "invalid_params", pointer: "/limit" });
  agent.notify("aaepd.status");
  expect(await agent.errors.next()).toMatchObject({ code: "invalid_message", answers: "aaepd.status" });
});

it("R22: a connection that says nothing in time is counted, however it is framed", async () => {
  const rig = await startRig({ clock: "hands", configuration: { handshakeTimeoutSeconds: 10 } });
  const silent = await rig.raw();
  const undecided = await rig.plain();
  undecided.sendText('{"type":"aaepd.repeat","event_id":"evt_1"}');
  await undecided.answers.next();
  await rig.advance(10_000);
  await Promise.all([silent.all, undecided.closed]);
  expect((await statusOf(rig)).closures).toEqual({ handshake_timeout: 2 });
});
