// R8: a session whose start was never answered belongs to nobody, until its start is published once more; one whose token somebody may have is not given
// to another (R3).
import { describe, expect, it } from "vitest";
import type { PublishReceipt } from "../../src/engine/agent-handle.js";
import { createEngineRig, type EngineRig, type RigAgent, session } from "../support/engine-rig.js";
import { ABLE, confirmation } from "../support/question-rig.js";
import { createRuns, type Run, type Runs } from "../support/restart-rig.js";

const S = "sess_1";
const STARTED = { ...session(S).started(), event_id: "evt_started" };

const tokenOf = (rig: EngineRig, fields: Readonly<Record<string, unknown>> = STARTED): string | undefined =>
  rig.agent.publish([{ fields }], false).resumeToken;

/** A session that is on the disk and was not answered: its token is known to the test alone. */
function unanswered(runs: Runs, ...more: readonly Readonly<Record<string, unknown>>[]): { run: Run; token: string } {
  const run = runs.start();
  run.listen(ABLE);
  const token = String(tokenOf(run));
  if (more.length > 0) run.publish(...more);
  run.journal.flush();
  return { run, token };
}

describe("R8, R29: a kill between the start of a session and its answer", () => {
  it("leaves it to its agent, that publishes the start again and goes on", async () => {
    const runs = createRuns();
    const { token } = unanswered(runs, session(S).progress(1));
    const second = runs.start();
    const { received } = second.listen();
    expect(tokenOf(second)).toBe(token);
    // Its grace is over, and what it said before is not said again.
    second.advance(60_000);
    second.publish(session(S).progress(2), session(S).completed());
    await second.flush();
    const types = runs.disk.events().map(({ event }) => event.type.replace("aaep:agent.", ""));
    expect(types).toEqual(["session.started", "progress.updated", "progress.updated", "session.completed"]);
    expect(received.map(({ event }) => event.error_code)).not.toContain("AGENT_DISCONNECTED");
  });

  it("goes on in the same array, and is told what was asked", async () => {
    const runs = createRuns();
    const { token } = unanswered(runs, confirmation("rpl_1"));
    const second = runs.start();
    second.listen(ABLE);
    const fields = [STARTED, session(S).progress(2)];
    const receipt = second.agent.publish(
      fields.map((one) => ({ fields: one })),
      true,
    );
    expect(receipt.resumeToken).toBe(token);
    await second.flush();
    second.advance(60_000);
    await second.flush();
    await second.flush();
    expect(second.agent.outcomes.map(({ question }) => question.token)).toEqual(["rpl_1"]);
  });

  it("leaves it to nobody who says anything else, or in another's name", () => {
    const runs = createRuns();
    unanswered(runs);
    const second = runs.start();
    expect(() => tokenOf(second, { ...STARTED, summary_normal: "Other words." })).toThrow("[event_id_reused]");
    const other = second.openAgent({ agent_id: "another" });
    expect(other.publish([{ fields: STARTED }], false).resumeToken).toBeUndefined();
    expect(tokenOf(second)).toBeDefined();
  });

  it("leaves it to one: who comes second gets nothing", () => {
    const runs = createRuns();
    unanswered(runs);
    const second = runs.start();
    const other = second.openAgent();
    expect(other.publish([{ fields: STARTED }], false).resumeToken).toBeDefined();
    expect(tokenOf(second)).toBeUndefined();
  });

  it("leaves it to its agent over any number of kills", async () => {
    const runs = createRuns();
    const { token } = unanswered(runs);
    const second = runs.start();
    expect(tokenOf(second)).toBe(token);
    second.journal.flush();
    const third = runs.start();
    expect(tokenOf(third)).toBe(token);
    await third.flush();
    await third.flush();
    expect(tokenOf(runs.start())).toBeUndefined();
  });

  it("ends with its grace where nobody comes", () => {
    const runs = createRuns();
    unanswered(runs);
    const second = runs.start();
    second.advance(5000);
    expect(second.engine.status().openSessionCount).toBe(0);
    expect(tokenOf(second)).toBeUndefined();
  });
});

describe("R8: a token that was told", () => {
  it("is told when it is safe that it is told to nobody else", async () => {
    const runs = createRuns();
    const run = runs.start();
    const { durable } = run.agent.publish([{ fields: STARTED }], false);
    let isAnswered = false;
    void durable?.then(() => {
      isAnswered = true;
    });
    await run.flush();
    expect(isAnswered).toBe(false);
    await run.flush();
    expect(isAnswered).toBe(true);
    expect(tokenOf(runs.start())).toBeUndefined();
  });

  it("is not given to another connection that repeats the start, in this run or the next", async () => {
    const runs = createRuns();
    const run = runs.start();
    const token = String(tokenOf(run));
    await run.flush();
    await run.flush();
    run.agent.close();
    expect(run.openAgent().publish([{ fields: STARTED }], false).resumeToken).toBeUndefined();
    const second = runs.start();
    expect(tokenOf(second)).toBeUndefined();
    expect(second.agent.resumeSession(S, token).isAgentConnected).toBe(true);
  });

  it("is its own connection's to ask for again", async () => {
    const runs = createRuns();
    const run = runs.start();
    const token = tokenOf(run);
    await run.flush();
    await run.flush();
    expect(tokenOf(run)).toBe(token);
  });

  it("is nobody's who heard of the session from a run that did not say", async () => {
    const runs = createRuns();
    unanswered(runs);
    for (const [key, value] of runs.disk.state("session")) {
      const { isTokenTold: _, ...core } = value as { readonly isTokenTold: boolean };
      runs.disk.spoil(JSON.parse(key) as ["session", string], core);
    }
    expect(tokenOf(runs.start())).toBeUndefined();
  });

  it("is told at once where nothing is kept", () => {
    const rig = createEngineRig();
    expect(rig.agent.publish([{ fields: STARTED }], false).durable).toBeUndefined();
    rig.agent.close();
    expect(rig.openAgent().publish([{ fields: STARTED }], false).resumeToken).toBeUndefined();
  });
});

/** How the answer to a publish stands. */
function answerTo({ durable, resumeToken }: PublishReceipt): { token: string | undefined } {
  const answer: { token: string | undefined } = { token: "none yet" };
  const settled = durable ?? Promise.resolve();
  settled.then(
    () => {
      answer.token = resumeToken;
    },
    (fault: { readonly code: string }) => {
      answer.token = fault.code;
    },
  );
  return answer;
}

const startOf = (agent: RigAgent): PublishReceipt => agent.publish([{ fields: STARTED }], false);

describe("R8: a connection that is lost before its start is answered", () => {
  it.each([0, 1])(
    "after %i flushes leaves the session to its agent's next, and is told no token",
    async (flushCount) => {
      const runs = createRuns();
      const run = runs.start();
      const receipt = startOf(run.agent);
      const first = answerTo(receipt);
      for (let count = 0; count < flushCount; count += 1) await run.flush();
      run.agent.close();
      await run.flush();
      await run.flush();
      const second = answerTo(startOf(run.openAgent()));
      await run.flush();
      await run.flush();
      expect([first.token, second.token]).toEqual(["session_not_yours", receipt.resumeToken]);
      expect(tokenOf(runs.start())).toBeUndefined();
    },
  );

  it("is told no token that its agent's next is told meanwhile", async () => {
    const runs = createRuns();
    const run = runs.start();
    const receipt = startOf(run.agent);
    const first = answerTo(receipt);
    run.agent.close();
    const second = answerTo(startOf(run.openAgent()));
    await run.flush();
    await run.flush();
    expect([first.token, second.token]).toEqual(["session_not_yours", receipt.resumeToken]);
  });

  it("is told the token of what it has ended", async () => {
    const runs = createRuns();
    const run = runs.start();
    const fields = [STARTED, session(S).completed()];
    const receipt = run.agent.publish(
      fields.map((one) => ({ fields: one })),
      true,
    );
    const answer = answerTo(receipt);
    run.agent.close();
    await run.flush();
    await run.flush();
    expect(answer.token).toMatch(/^rst_/);
  });
});

it("R8: a token that could not be told, because the disk took nothing, is its agent's to claim", async () => {
  const runs = createRuns();
  const run = runs.start();
  const receipt = startOf(run.agent);
  const answer = answerTo(receipt);
  // The start is on the disk, and that its token is told is not.
  await run.flush();
  runs.disk.setFailing(true);
  await run.flush();
  expect(answer.token).toBe("storage_unavailable");
  run.agent.close();
  runs.disk.setFailing(false);
  await run.flush();
  const second = answerTo(startOf(run.openAgent()));
  await run.flush();
  await run.flush();
  expect(second.token).toBe(receipt.resumeToken);
});
