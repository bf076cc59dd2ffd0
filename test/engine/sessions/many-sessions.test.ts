// R8: what it costs that there are a great many sessions. Counted is how often all of what is known of one is gathered.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { SessionRecord } from "../../../src/engine/sessions/session-record.js";
import { createEngineRig, type EngineRig, session } from "../../support/rigs/engine-rig.js";

const SESSION_COUNT = 300;
const GRACE_MS = 5000;
const summarize = vi.spyOn(SessionRecord.prototype, "summary");
function startSessions(rig: EngineRig): readonly string[] {
  const ids = Array.from({ length: SESSION_COUNT }, (_, index) => `sess_${index}`);
  for (const id of ids) rig.publish(session(id).started());
  return ids;
}

beforeEach(() => void summarize.mockClear());

describe("many sessions", () => {
  it.each([0, GRACE_MS])(
    "R8: an agent vanishes with all of them: one wake-up for their graces, %d ms, and they end in order",
    (agentGraceMs) => {
      const rig = createEngineRig({ engine: { agentGraceMs } });
      const ids = startSessions(rig);
      const listener = rig.listen({ coalesceBoundaries: ["none"] });
      const pending = rig.clock.pending();
      rig.agent.close();
      expect(rig.clock.pending()).toBeLessThanOrEqual(pending + 1);
      rig.advance(agentGraceMs);
      const ended = listener.received.filter(({ event }) => event.type === "aaep:agent.session.errored");
      expect(ended.map(({ event }) => event.session_id)).toEqual(ids);
      expect(rig.engine.status().openSessionCount).toBe(0);
    },
  );

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
});
