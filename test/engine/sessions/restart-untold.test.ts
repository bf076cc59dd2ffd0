// R8: a session belongs to the connection that began it, and to one that shows its token. What everybody heard who listens gives it to nobody.
import { describe, expect, it } from "vitest";
import { type EngineRig, session } from "../../support/rigs/engine-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";

const S = "sess_1";
const STARTED = { ...session(S).started(), event_id: "evt_started" };
const OWN = "0123456789abcdef0123456789abcdef";
const withOwnToken = { ...STARTED, extensions: { aaepd: { resume_token: OWN } } };
const GRACE_MS = 5000;

const tokenOf = (rig: EngineRig, agent = rig.agent, fields: Readonly<Record<string, unknown>> = STARTED) =>
  agent.publish([{ fields }], false).resumeToken;

const isTaken = (code: string) => expect.objectContaining({ code });

describe("R8: the start of a session once more", () => {
  it("after a kill that came before its answer gives the session to nobody: its grace ends it", async () => {
    const runs = createRuns();
    const run = runs.start();
    tokenOf(run);
    run.journal.flush();
    const second = runs.start(100, { engine: { agentGraceMs: GRACE_MS } });
    const listener = second.listen();
    expect(tokenOf(second)).toBeUndefined();
    expect(() => second.publish(session(S).progress(1))).toThrow(isTaken("session_not_yours"));
    second.advance(GRACE_MS);
    second.clock.settle();
    expect(listener.received.at(-1)?.event.error_code).toBe("AGENT_DISCONNECTED");
  });

  it("after such a kill gives it to the agent that had chosen its token", () => {
    const runs = createRuns();
    const run = runs.start();
    expect(tokenOf(run, run.agent, withOwnToken)).toBe(OWN);
    run.journal.flush();
    const second = runs.start();
    expect(tokenOf(second, second.agent, withOwnToken)).toBe(OWN);
    second.publish(session(S).progress(1));
  });
});
