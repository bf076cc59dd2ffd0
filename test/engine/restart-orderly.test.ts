// R8b: an orderly stop that keeps what is open loses no more than a kill, and nobody is told anything false.
import { describe, expect, it } from "vitest";
import { joinedByPosition } from "../support/peers/returning.js";
import { session } from "../support/rigs/engine-rig.js";
import { ABLE, confirmation, questionsIn } from "../support/rigs/question-rig.js";
import { createRuns, type Run, type Runs } from "../support/rigs/restart-rig.js";

const S = "sess_1";
const LOST = "aaep:agent.session.errored";
const GRACE_MS = 5000;

/** A session with a question, put to one subscription that can answer. */
function asked(runs: Runs) {
  const run = runs.start();
  const person = run.listen(ABLE);
  const { resumeToken } = run.agent.publish([{ fields: session().started() }], false);
  run.publish(confirmation("rpl_1"));
  return { run, person, token: String(resumeToken) };
}

/** Stops a run in order; whoever is there goes, its agent first. */
async function leave(run: Run): Promise<void> {
  const left = run.engine.leaveSessionsOpen();
  run.clock.settle();
  await left;
  run.agent.close();
  run.clock.settle();
  await run.flush();
}

describe("R8b: an orderly stop", () => {
  it("takes nothing more, and says why", async () => {
    const runs = createRuns();
    const { run, token } = asked(runs);
    void run.engine.leaveSessionsOpen();
    expect(() => run.publish(session().state("awaiting_input", "thinking"))).toThrow("stopping");
    expect(() => run.openAgent().resumeSession(S, token)).toThrow("stopping");
  });

  it("nothing that is held is flushed; the next run delivers it", async () => {
    const runs = createRuns();
    const run = runs.start();
    const listener = run.listen({ coalesceBoundaries: ["sentence", "completion"] });
    const { resumeToken } = run.agent.publish([{ fields: session().started() }], false);
    run.publish({ ...session().chunk("It is said. It is not yet"), complete: false });
    run.clock.settle();
    const before = listener.received.length;
    await leave(run);
    expect(listener.subscription.drain()).toEqual({ kind: "done" });
    expect(listener.received).toHaveLength(before);
    const place = listener.subscription.cursor();
    const second = runs.start();
    second.agent.resumeSession(S, String(resumeToken));
    const back = second.listen({ coalesceBoundaries: ["sentence", "completion"] }, "listener", place);
    second.publish({ ...session().chunk(" said."), complete: true });
    second.clock.settle();
    const all = [...listener.received, ...back.received].map(({ event }) => event);
    expect(joinedByPosition(all)).toBe("It is said. It is not yet said.");
  });
});

describe("R8b: an orderly stop, of what was under way", () => {
  it("nor does a grace that was running", () => {
    const runs = createRuns();
    const run = runs.start(0, { engine: { agentGraceMs: GRACE_MS } });
    run.agent.publish([{ fields: session().started() }], false);
    run.clock.settle();
    run.agent.close();
    run.advance(GRACE_MS - 1);
    void run.engine.leaveSessionsOpen();
    run.advance(1000);
    expect(run.engine.status().openSessionCount).toBe(1);
  });

  it("a subscription that is paused is owed nothing more in this run", async () => {
    const run = createRuns().start();
    const listener = run.listen({ coalesceBoundaries: ["none"], paused: true });
    run.agent.publish([{ fields: session().started() }], false);
    run.clock.settle();
    await leave(run);
    expect(listener.subscription.drain()).toEqual({ kind: "done" });
  });
});

describe("R8b: the run after it", () => {
  it("where the grace runs out, the listener is told that the daemon was restarted", async () => {
    const runs = createRuns();
    const { run } = asked(runs);
    await leave(run);
    const second = runs.start(100, { engine: { agentGraceMs: GRACE_MS } });
    const back = second.listen(ABLE);
    expect(questionsIn(back)).toHaveLength(1);
    second.advance(GRACE_MS);
    second.clock.settle();
    const lost = back.received.find(({ event }) => event.type === LOST)?.event;
    expect(lost?.summary_normal).toContain("restarted");
    expect(lost?.error_code).toBe("AGENT_DISCONNECTED");
  });
});
