// Subscribers that take too slowly, over real sockets: what they are told, how they are cut off, and that they lose nothing.
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
  for (let index = 0; index < count; index += 4) {
    const chunks = Array.from({ length: 4 }, (_, one) => ({
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
  it("one that lags is told by how much, what it may and where to go on, after its last whole event; it goes on there", async () => {
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

it("the log tells once that one fell behind, and once that it caught up; nothing is lost to it", async () => {
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

it("that a peer still speaks is no sign that it takes anything", async () => {
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
