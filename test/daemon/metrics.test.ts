import { expect, it } from "vitest";
import { createMetrics } from "../../src/daemon/metrics.js";
import type { EngineStatus } from "../../src/engine/engine-status.js";

const STATUS: EngineStatus = {
  openSessionCount: 3,
  subscriptionCount: 2,
  viewCount: 1,
  keptUnitCount: 0,
  openQuestionCount: 4,
  placedOutputCount: 0,
  lostSessionCount: 0,
  head: 77,
  knownSessionCount: 0,
  endedSessionCount: 0,
} as unknown as EngineStatus;

it("K5: each count follows its source, and adds nothing up twice", async () => {
  const replies = new Map([["counted", 1]]);
  let subscriptionCount = 2;
  const metrics = createMetrics({
    status: () => ({ ...STATUS, subscriptionCount }),
    connections: () => new Map([["ipc", 5]]),
    replies: () => replies,
    auditDropped: () => 6,
  });
  const first = await metrics.text();
  for (const line of [
    "aaepd_subscriptions 2",
    "aaepd_sessions_open 3",
    "aaepd_questions_open 4",
    "aaepd_views 1",
    "aaepd_journal_epoch 77",
    'aaepd_connections{transport="ipc"} 5',
    'aaepd_replies_total{fate="counted"} 1',
    "aaepd_audit_dropped_total 6",
  ])
    expect(first.split("\n")).toContain(line);
  expect(first).toMatch(/^process_cpu_seconds_total /m);
  replies.set("counted", 9);
  replies.set("malformed", 2);
  subscriptionCount = 0;
  const second = (await metrics.text()).split("\n");
  expect(second).toContain('aaepd_replies_total{fate="counted"} 9');
  expect(second).toContain('aaepd_replies_total{fate="malformed"} 2');
  expect(second).toContain("aaepd_subscriptions 0");
  expect(second).toContain("aaepd_audit_dropped_total 6");
});
