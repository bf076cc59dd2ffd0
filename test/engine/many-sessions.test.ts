// R8, P1: what it costs that there are a great many sessions. Counted is how often all of what is known of one is gathered.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type DaemonFacts, statusDocument } from "../../src/daemon/status-document.js";
import * as record from "../../src/engine/session-record.js";
import { COST_PER_TURN } from "../../src/engine/turn-slices.js";
import { createEngineRig, type EngineRig, session } from "../support/engine-rig.js";
import { createRuns } from "../support/restart-rig.js";

vi.mock(import("../../src/engine/session-record.js"), async (original) => {
  const real = await original();
  return { ...real, summarize: vi.fn(real.summarize) };
});

const SESSION_COUNT = 300;
const GRACE_MS = 5000;
const summarize = vi.mocked(record.summarize);
const FACTS: DaemonFacts = {
  version: "0.0.0-test",
  producerId: "test",
  startedAt: 0,
  now: 0,
  uptimeMs: 0,
  endpoints: {},
  connections: new Map(),
  auditDroppedCount: 0,
};

function startSessions(rig: EngineRig): readonly string[] {
  const ids = Array.from({ length: SESSION_COUNT }, (_, index) => `sess_${index}`);
  for (const id of ids) rig.publish(session(id).started());
  return ids;
}

beforeEach(() => void summarize.mockClear());

describe("many sessions", () => {
  it("P1: of all that are open only those are gathered that a status lists", () => {
    const rig = createEngineRig();
    const ids = startSessions(rig);
    for (const limit of [0, 10]) {
      summarize.mockClear();
      const { session_count: count, sessions } = statusDocument({ limit }, rig.engine.report(), FACTS);
      expect(count).toBe(SESSION_COUNT);
      expect(sessions.map(({ session_id: id }) => id)).toStrictEqual(ids.slice(0, limit));
      expect(summarize.mock.calls.length).toBeLessThanOrEqual(limit + 1);
    }
    expect([...rig.engine.report().sessions]).toHaveLength(SESSION_COUNT);
  });

  it("R8: whose agents vanish are ended in slices, in order; that their grace is over costs nothing for each", () => {
    const runs = createRuns();
    const before = runs.start();
    startSessions(before);
    before.journal.flush();
    const rig = runs.start(100, { engine: { agentGraceMs: GRACE_MS } });
    const listener = rig.listen({ coalesceBoundaries: ["none"] });
    rig.clock.settle();
    const ids = [...rig.engine.report().sessions].map(({ sessionId }) => sessionId);
    expect(ids).toHaveLength(SESSION_COUNT);
    summarize.mockClear();
    let gathered = Number.NaN;
    let stillOpen = Number.NaN;
    // Behind all of theirs: in the same turn.
    rig.clock.wakeAt(GRACE_MS, () => {
      gathered = summarize.mock.calls.length;
      stillOpen = rig.engine.status().openSessionCount;
    });
    rig.advance(GRACE_MS);
    expect(stillOpen).toBeGreaterThanOrEqual(SESSION_COUNT - COST_PER_TURN);
    expect(gathered).toBeLessThanOrEqual(3 * COST_PER_TURN);
    expect(rig.engine.status().openSessionCount).toBe(0);
    const errored = listener.received.filter(({ event }) => event.type === "aaep:agent.session.errored");
    expect(errored.map(({ event }) => event.session_id)).toStrictEqual(ids);
  });
});
