// The answer to `aaepd.status`, whole.
import { expect, it } from "vitest";
import { statusDocument } from "../../../src/daemon/status/status-document.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { faultOf } from "../../support/fault-of.js";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";

const FACTS = {
  version: "0",
  producerId: "test",
  startedAt: 0,
  now: 0,
  uptimeMs: 0,
  endpoints: {},
  connections: new Map(),
  auditTrouble: undefined,
  hostsDown: [],
};

function listedTerms(terms: Partial<Terms>) {
  const rig = createEngineRig();
  rig.listen(terms);
  return statusDocument(undefined, rig.engine.report(), FACTS).subscriptions[0]?.terms;
}

const names = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, "x"));

it("tells everything of sessions, subscriptions and questions, and of the journal", () => {
  const rig = createEngineRig();
  const start = rig.clock.wallTime();
  rig.listen({ supportsConfirmationReply: true, maxEventsPerSecond: 7, paceWpm: 200 }, "reader");
  const one = session("sess_1");
  rig.publish(one.started(), one.invoked("search", "call_1"), one.chunk("Half a"), one.confirmation("rpl_1"));
  rig.advance(1500);
  const at = "2026-05-24T14:00:00.000Z";
  const counts = { delivered: 5, coalesced: 0, overtook: 0, fell_behind: 0, gaps: 0, gap_events: 0 };
  const facts = { ...FACTS, startedAt: start, now: start + 2000, uptimeMs: 2500, connections: new Map([["ipc", 2]]) };
  expect(statusDocument(undefined, rig.engine.report(), facts)).toEqual({
    version: "0",
    pid: process.pid,
    producer_id: "test",
    started_at: at,
    uptime_seconds: 2.5,
    problems: [],
    endpoints: {},
    connections: { ipc: 2 },
    memory: expect.objectContaining({ rss_bytes: expect.any(Number), heap_used_bytes: expect.any(Number) }),
    rates: { published_per_second: 6, delivered_per_second: 5 },
    totals: { published: 6, ...counts },
    closures: {},
    publish_faults: {},
    limits: { queue_events: 256, policy: "journal", max_lag_seconds: 30, max_lag_events: 1_000_000 },
    journal: {
      kind: "memory",
      events: 6,
      bytes: expect.any(Number),
      oldest_at: "1970-01-01T00:00:00.000Z",
      oldest_age_seconds: (start + 2000) / 1000,
      head: 1005,
      durable_epoch: 1005,
      pending_events: 0,
    },
    session_count: 1,
    subscription_count: 1,
    question_count: 1,
    sessions: [
      {
        session_id: "sess_1",
        agent_id: "test-agent",
        state: "awaiting_input",
        events: 5,
        open_tools: 1,
        tools: [{ tool: "search", words: "Runs search.", since: at, for_seconds: 1.5 }],
        open_outputs: 1,
        open_questions: 1,
        asked_for_seconds: 1.5,
        agent_connected: true,
      },
    ],
    subscriptions: [
      {
        subscription_id: "sub_00000000000000000000000000000001",
        subscriber_id: "reader",
        since: at,
        reads: "live",
        paused: false,
        blocked: false,
        queue: 0,
        untaken: 0,
        lag_events: 0,
        lag_seconds: 0,
        ...counts,
        terms: {
          max_events_per_second: 7,
          preferred_verbosity: "normal",
          languages: ["en-US"],
          coalesce_boundaries: ["sentence", "completion"],
          event_filters: { include: ["aaep:agent.*"], exclude: [] },
          cognitive_load: "medium",
          pace_wpm: 200,
          supports_confirmation_reply: true,
          supports_clarification_reply: false,
          supported_extensions: [],
          paused: false,
          max_chars: 16_384,
        },
      },
    ],
    questions: [
      {
        session_id: "sess_1",
        kind: "confirmation",
        asked: "Delete the file.",
        asked_at: at,
        deadline: "2026-05-24T14:01:00.000Z",
        can_answer: 1,
        shown_to: 1,
      },
    ],
  });
});

it("a limit bounds each list, and what is none is refused", () => {
  const rig = createEngineRig();
  for (const name of ["a", "b", "c"]) {
    rig.listen({}, name);
    rig.publish(session(`sess_${name}`).started());
  }
  const listed = (params: unknown) => {
    const { sessions, subscriptions } = statusDocument(params, rig.engine.report(), FACTS);
    return [sessions.length, subscriptions.length];
  };
  expect([0, 1, 3, 1000].map((limit) => listed({ limit }))).toEqual([
    [0, 0],
    [1, 1],
    [3, 3],
    [3, 3],
  ]);
  for (const limit of [-1, 1.5, "1", 100_001])
    expect(faultOf(() => listed({ limit }))).toMatchObject({ code: "invalid_params", pointer: "/limit", rule: "R33" });
});

it("R33: a subscription whose terms are long keeps no other out: of terms beyond 4 KiB each list is told as far as its eighth entry", () => {
  const [eight, nine] = [names(8, 400), names(9, 400)];
  expect(
    listedTerms({
      eventFilters: { include: eight, exclude: nine },
      languages: ["en", "de"],
      supportedExtensions: nine,
    }),
  ).toMatchObject({
    event_filters: { include: eight, exclude: [...nine.slice(0, 8), "…"] },
    languages: ["en", "de"],
    supported_extensions: [...nine.slice(0, 8), "…"],
  });
  const many = names(30, 20);
  expect(listedTerms({ eventFilters: { include: ["*"], exclude: many } })?.event_filters.exclude).toEqual(many);
});
