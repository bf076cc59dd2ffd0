import { expect, it } from "vitest";
import { FAULT_CODES } from "../../../src/base/errors.js";
import type { JournalFailure } from "../../../src/contracts/journal.js";
import type { MetricsSources } from "../../../src/daemon/status/metrics.js";
import { LATENCY_BOUNDS_MS } from "../../../src/engine/time/latency-histogram.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import { metricsOfRig } from "../../support/metrics-of-rig.js";
import { createEngineRig, type EngineRig, session } from "../../support/rigs/engine-rig.js";

function metricsOf(rig: EngineRig, others: Partial<MetricsSources> = {}) {
  const metrics = metricsOfRig(rig, others);
  return async (): Promise<ReadonlyMap<string, number>> => {
    const lines = (await metrics.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
    );
  };
}

it("each count follows its source, and adds nothing up twice", async () => {
  const rig = createEngineRig();
  const replies = new Map([["counted", 1]]);
  const read = metricsOf(rig, {
    connections: () => new Map([["ipc", 5]]),
    replies,
    auditLog: { droppedCount: () => 6, floodedCount: () => 7 },
  });
  const listener = rig.listen({ supportsConfirmationReply: true });
  rig.publish(session().started(), session().confirmation("rpl_0001"));
  const first = await read();
  expect(first.get("aaepd_subscriptions")).toBe(1);
  expect(first.get("aaepd_sessions_open")).toBe(1);
  expect(first.get("aaepd_questions_open")).toBe(1);
  expect(["agents", "providers", "requests"].map((name) => first.get(`aaepd_a2e_${name}`))).toEqual([2, 3, 5]);
  const ofField = ["units", "agents", "subscriptions", "waiting_notifications"];
  expect(ofField.map((name) => first.get(`aaepd_akashik_${name}`))).toEqual([7, 8, 9, 10]);
  expect(first.get("aaepd_views")).toBe(1);
  expect(first.get("aaepd_journal_epoch")).toBe(rig.engine.status().head);
  expect(first.get('aaepd_connections{transport="ipc"}')).toBe(5);
  expect(first.get('aaepd_replies_total{fate="counted"}')).toBe(1);
  expect(first.get("aaepd_audit_dropped_total")).toBe(6);
  expect(first.get("aaepd_audit_flooded_total")).toBe(7);
  expect(first.get("aaepd_events_published_total")).toBe(rig.engine.report().publishedTotal);
  expect(first.get("process_cpu_seconds_total")).toBeGreaterThan(0);
  replies.set("counted", 9);
  replies.set("malformed", 2);
  listener.subscription.close();
  rig.clock.settle();
  const second = await read();
  expect(second.get('aaepd_replies_total{fate="counted"}')).toBe(9);
  expect(second.get('aaepd_replies_total{fate="malformed"}')).toBe(2);
  expect(second.get("aaepd_subscriptions")).toBe(0);
  expect(second.get("aaepd_audit_dropped_total")).toBe(6);
  expect(second.get('aaepd_closures_total{reason="subscriber"}')).toBe(1);
});

it("what is counted of a subscriber moves, each for its reason, and goes with its subscription", async () => {
  const rig = createEngineRig({
    engine: { viewWindowCount: 16, queueLimitCount: 4, lag: { maxMs: 60_000, maxEvents: 100_000 } },
    journal: { maxEvents: 64 },
  });
  const read = metricsOf(rig);
  const of = async (name: string, subscriber = "slow"): Promise<number | undefined> =>
    (await read()).get(`aaepd_subscriber_${name}{subscriber_id="${subscriber}"}`);
  const one = session();
  rig.publish(one.started());
  const slow = rig.listen({ maxEventsPerSecond: 1 }, "slow");
  expect(await of("delivered_total")).toBe(1);

  // Over its rate: text merges, and other events wait.
  rig.publish(one.chunk("One. "), one.chunk("Two. "), one.chunk("Three. "));
  for (let call = 0; call < 3; call += 1) rig.publish(one.invoked("search", `call_${call}`));
  rig.advance(1000);
  expect(await of("coalesced_total")).toBe(2);
  expect(await of("queue_events")).toBeGreaterThan(0);
  const delivered = (await of("delivered_total")) ?? 0;
  expect(delivered).toBeGreaterThan(1);

  // Its transport takes nothing: lag, and at the end of the window the journal.
  slow.block(true);
  for (let call = 3; call < 23; call += 1) rig.publish(one.invoked("search", `call_${call}`));
  rig.advance(2500);
  expect(await of("lag_events")).toBe(20);
  expect(await of("lag_seconds")).toBe(2.5);
  expect(await of("behind")).toBe(1);
  expect(await of("fell_behind_total")).toBe(1);
  expect(((await of("untaken_events")) ?? 0) + ((await of("queue_events")) ?? 0)).toBeGreaterThanOrEqual(20);

  // Something critical overtakes what it has not read.
  rig.publish({ ...one.errored() });
  slow.block(false);
  expect(await of("overtook_total")).toBe(1);
  expect(await of("lag_seconds")).toBe(0);

  // What the journal lets go of before it is read is declared.
  const two = session("sess_2");
  rig.publish(two.started());
  for (let call = 0; call < 100; call += 1) rig.publish(two.invoked("search", `call_${call}`));
  rig.advance(200_000);
  expect(await of("gaps_total")).toBeGreaterThanOrEqual(1);
  expect(await of("gap_events_total")).toBeGreaterThan(30);
  expect(await of("behind")).toBe(0);

  slow.subscription.close("lagging");
  expect(await of("delivered_total")).toBeUndefined();
  const last = await read();
  expect(last.get('aaepd_closures_total{reason="lagging"}')).toBe(1);
  // Of those that ended the sum stays.
  expect(last.get("aaepd_events_delivered_total")).toBe(slow.received.length);
});

it("the journal's state and refused publications are told", async () => {
  let failure: JournalFailure | undefined;
  let safe: number | undefined;
  const rig = createEngineRig({
    around: (journal) => ({
      status: () => ({ ...journal.status(), failure, durableEpoch: safe ?? journal.head() }),
    }),
  });
  const read = metricsOf(rig);
  rig.publish(session().started());
  const before = await read();
  expect(before.get("aaepd_journal_events")).toBe(1);
  expect(before.get("aaepd_journal_bytes")).toBeGreaterThan(100);
  expect(before.get("aaepd_journal_failing")).toBe(0);
  expect(before.get("aaepd_journal_pending_events")).toBe(0);
  failure = { reason: "The disk is full.", remedy: "Make room on it." };
  safe = rig.engine.status().head;
  rig.publish(session().invoked("search", "call_1"));
  rig.advance(5000);
  rig.engine.publishRefused("storage_unavailable");
  rig.engine.refused("handshake_timeout");
  const after = await read();
  expect(after.get("aaepd_journal_events")).toBe(2);
  expect(after.get("aaepd_journal_failing")).toBe(1);
  expect(after.get("aaepd_journal_pending_events")).toBe(1);
  expect(after.get('aaepd_publish_faults_total{code="storage_unavailable"}')).toBe(1);
  expect(after.get('aaepd_closures_total{reason="handshake_timeout"}')).toBe(1);
});

it("every labelled counter shows its known labels before anything happens, and the build has its versions", async () => {
  const rig = createEngineRig();
  const first = await metricsOf(rig, { replies: new Map() })();
  const labelled = [...first].filter(([name]) => /^aaepd_(replies|publish_faults|closures)_total\{/.test(name));
  expect(labelled).toHaveLength(10 + FAULT_CODES.length + 7);
  expect(labelled.filter(([, value]) => value !== 0)).toStrictEqual([]);
  expect(first.get('aaepd_connections{transport="ipc"}')).toBe(0);
  expect(first.get(`aaepd_build_info{version="1.2.3-test",node="${process.versions.node}"}`)).toBe(1);
});

it("the histograms show what the engine counted, each bucket with those below it", async () => {
  const rig = createEngineRig();
  const read = metricsOf(rig);
  const listener = rig.listen();
  rig.publish(session().started());
  listener.block(true);
  rig.publish(session().invoked("search", "call_1"), session().invoked("search", "call_2"));
  rig.advance(2000);
  listener.block(false);
  const after = await read();
  const name = "aaepd_delivery_latency_seconds";
  const buckets = [...after].filter(([key]) => key.startsWith(`${name}_bucket{pace="unlimited"`));
  expect(buckets.map(([key]) => /le="(.*)"/.exec(key)?.[1])).toStrictEqual([
    ...LATENCY_BOUNDS_MS.map((ms) => String(ms / 1000)),
    "+Inf",
  ]);
  const counts = buckets.map(([, value]) => value);
  expect([counts[0], counts.at(-1)]).toStrictEqual([1, 3]);
  expect(after.get(`${name}_bucket{pace="unlimited",le="1"}`)).toBe(1);
  expect(after.get(`${name}_bucket{pace="unlimited",le="2.5"}`)).toBe(3);
  expect(after.get(`${name}_count{pace="unlimited"}`)).toBe(3);
  expect(after.get(`${name}_count{pace="unlimited"}`)).toBe(after.get("aaepd_events_delivered_total"));
  expect(after.get(`${name}_sum{pace="unlimited"}`)).toBe(4);
  expect(after.get(`${name}_count{pace="limited"}`)).toBe(0);
  expect(after.get("aaepd_publish_latency_seconds_count")).toBe(2);
});

it("two hundred subscribers have labels, and the rest are one", async () => {
  const rig = createEngineRig();
  const read = metricsOf(rig);
  rig.listen({}, "x".repeat(129));
  for (let index = 0; index < 229; index += 1) rig.listen({}, `listener_${index}`);
  // A second subscription of the same subscriber is no further label.
  rig.listen({}, "listener_0");
  rig.publish(session().started());
  const labels = [...(await read())].filter(([name]) => name.startsWith("aaepd_subscriber_delivered_total{"));
  expect(labels).toHaveLength(201);
  expect(new Map(labels).get('aaepd_subscriber_delivered_total{subscriber_id="listener_0"}')).toBe(2);
  expect(new Map(labels).get('aaepd_subscriber_delivered_total{subscriber_id="other"}')).toBe(30);
  expect(labels[0]?.[0]).toBe(`aaepd_subscriber_delivered_total{subscriber_id="${"x".repeat(128)}"}`);
  expect(rig.engine.report().subscriptions[0]?.terms).toMatchObject(defaultTerms());
});
