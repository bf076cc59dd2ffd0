// Questions over a restart: still open, still answerable with the same token, and never answered twice (R6, R7, R29).
import { describe, expect, it } from "vitest";
import { type Listener, session } from "../../support/rigs/engine-rig.js";
import { ABLE, audited, confirmation, give, questionsIn } from "../../support/rigs/question-rig.js";
import { createRuns, type Run, type Runs } from "../../support/rigs/restart-rig.js";

const S = "sess_1";

function asked(runs: Runs, fields = confirmation("rpl_1")): { run: Run; token: string; person: Listener } {
  const run = runs.start();
  const person = run.listen(ABLE);
  const receipt = run.agent.publish([{ fields: session().started() }], false);
  run.publish(fields);
  return { run, token: String(receipt.resumeToken), person };
}

describe("a question between asking and answering", () => {
  it("R8: an agent that asks the same event once more is answered with the one outcome", async () => {
    const runs = createRuns();
    const fields = { ...confirmation("rpl_1"), event_id: "evt_asked" };
    const { run, token } = asked(runs, fields);
    await run.flush();
    const second = runs.start();
    const person = second.listen(ABLE);
    second.agent.resumeSession(S, token);
    const told: unknown[] = [];
    second.agent.ask(fields, ({ result }) => void told.push(result.decision));
    give(second, person, "rpl_1", "accept");
    await second.flush();
    expect(told).toEqual(["accept"]);
    expect(second.agent.outcomes).toEqual([]);
    const third = runs.start();
    third.agent.resumeSession(S, token);
    third.agent.ask(fields, ({ result }) => void told.push(result.decision));
    expect(told).toEqual(["accept", "accept"]);
  });
});

describe("R29: an outcome is one, and safe before it is told", () => {
  it("its agent and the log hear of it when it is safe; killed before, the question is asked again under its own id", async () => {
    const runs = createRuns();
    const { run, token, person } = asked(runs);
    await run.flush();
    const decided = ({ received }: Listener) =>
      received.flatMap(({ event }) => event.extensions?.aaepd?.decision ?? []);
    expect(give(run, person, "rpl_1", "reject")).toBe(true);
    expect(give(run, person, "rpl_1", "accept")).toBe(false);
    expect([decided(person), run.agent.outcomes, audited(run, "outcome")]).toEqual([["rejected"], [], []]);
    expect(run.agent.outcomeOf("rpl_1")).toBe("open");
    const second = runs.start();
    second.agent.resumeSession(S, token);
    const back = second.listen(ABLE, "person", person.subscription.cursor());
    expect(questionsIn(back).map(({ event }) => event.event_id)).toEqual(
      questionsIn(person).map(({ event }) => event.event_id),
    );
    expect(give(second, back, "rpl_1", "accept")).toBe(true);
    await second.flush();
    expect(second.agent.outcomes.map(({ result }) => result.decision)).toEqual(["accept"]);
    // Another outcome has another id: it is no repeat of the one that was taken back (R12).
    const ids = [...person.received, ...back.received].flatMap(({ event }) =>
      event.extensions?.aaepd?.decision === undefined ? [] : [event.event_id],
    );
    expect(new Set(ids).size).toBe(2);
  });

  it("a shutdown while the disk takes nothing holds no clock, and the question is open in the next run", async () => {
    const runs = createRuns();
    const { run, person } = asked(runs);
    await run.flush();
    runs.disk.setFailing(true);
    give(run, person, "rpl_1", "accept");
    await run.flush();
    void run.engine.endSessions();
    person.subscription.close();
    await run.engine.close();
    expect(run.clock.pending()).toBe(0);
    runs.disk.setFailing(false);
    expect(runs.start().engine.status().openQuestionCount).toBe(1);
  });
});
