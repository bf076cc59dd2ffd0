// R8: what it costs that there are a great many sessions. Counted is how often all of what is known of one is gathered.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { statusDocument } from "../../../src/daemon/status/status-document.js";
import type { DaemonFacts } from "../../../src/daemon/status/status-problems.js";
import * as record from "../../../src/engine/sessions/session-record.js";
import { COST_PER_TURN } from "../../../src/engine/time/turn-slices.js";
import { createEngineRig, type EngineRig, session } from "../../support/rigs/engine-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";

vi.mock(import("../../../src/engine/sessions/session-record.js"), async (original) => {
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
  auditTrouble: undefined,
  hostsDown: [],
};

function startSessions(rig: EngineRig): readonly string[] {
  const ids = Array.from({ length: SESSION_COUNT }, (_, index) => `sess_${index}`);
  for (const id of ids) rig.publish(session(id).started());
  return ids;
}

beforeEach(() => void summarize.mockClear());

describe("many sessions", () => {
  it("R8, R34: an agent vanishes with all of them: one wake-up for all their graces, ends in slices, and what others say comes between", () => {
    const rig = createEngineRig({ engine: { agentGraceMs: GRACE_MS } });
    const ids = startSessions(rig);
    const other = rig.openAgent({ agent_id: "other" });
    other.publish([{ fields: session("sess_other").started() }], false);
    const listener = rig.listen({ coalesceBoundaries: ["none"] });
    const pending = rig.clock.pending();
    rig.agent.close();
    expect(rig.clock.pending()).toBe(pending + 1);
    const openAt: number[] = [];
    const watch = (): void => {
      openAt.push(rig.engine.status().openSessionCount);
      if ((openAt.at(-1) ?? 0) > 1) rig.clock.afterTurn(watch);
    };
    rig.clock.wakeAt(GRACE_MS, () => {
      watch();
      rig.clock.afterTurn(() => other.publish([{ fields: session("sess_other").progress(50) }], false));
    });
    rig.advance(GRACE_MS);
    expect(Math.max(...openAt.map((count, index) => (openAt[index - 1] ?? count) - count))).toBeLessThanOrEqual(
      COST_PER_TURN,
    );
    const types = listener.received.map(({ event }) => event.type.replace("aaep:agent.", ""));
    const ended = listener.received.filter(({ event }) => event.type === "aaep:agent.session.errored");
    expect(ended.map(({ event }) => event.session_id)).toEqual(ids);
    expect(types.indexOf("progress.updated")).toBeGreaterThan(0);
    expect(types.lastIndexOf("session.errored")).toBeGreaterThan(types.indexOf("progress.updated"));
    expect(rig.engine.status().openSessionCount).toBe(1);
  });

  it("R8: one that comes back in its grace keeps its sessions, and the others' graces end when they are due", () => {
    const rig = createEngineRig({ engine: { agentGraceMs: GRACE_MS } });
    const tokenOf = (id: string): string =>
      String(rig.agent.publish([{ fields: session(id).started() }], false).resumeToken);
    const tokens = new Map(["sess_a", "sess_b", "sess_c"].map((id) => [id, tokenOf(id)]));
    rig.agent.close();
    rig.advance(GRACE_MS - 1);
    const heir = rig.openAgent();
    heir.resumeSession("sess_a", tokens.get("sess_a") ?? "");
    rig.advance(1);
    expect(rig.engine.status().openSessionCount).toBe(1);
    heir.close();
    rig.advance(GRACE_MS - 1);
    expect(rig.engine.status().openSessionCount).toBe(1);
    rig.advance(1);
    expect(rig.engine.status().openSessionCount).toBe(0);
  });

  it("of all that are open only those are gathered that a status lists", () => {
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
