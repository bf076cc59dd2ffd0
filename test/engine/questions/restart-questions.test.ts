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

/** The reply tokens of what it may answer now. */
const questionsOpenTo = ({ subscription }: Listener) =>
  subscription.openQuestions().events.map(({ reply_token }) => reply_token);

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
  it("R29: nobody hears of it before it is safe, and once heard it is the same after a kill, under the same id", async () => {
    const runs = createRuns();
    const { run, person } = asked(runs);
    await run.flush();
    const heard = ({ received }: Pick<typeof person, "received">) =>
      received.filter(({ event }) => event.extensions?.aaepd?.decision !== undefined).map(({ event }) => event);
    expect(give(run, person, "rpl_1", "reject")).toBe(true);
    expect(give(run, person, "rpl_1", "accept")).toBe(false);
    expect([heard(person), questionsOpenTo(person), audited(run, "outcome")]).toEqual([[], [], []]);
    await run.flush();
    const [told] = heard(person);
    const asking = person.places.findLast(
      ({ cursor }) => cursor !== undefined && cursor < String(person.subscription.cursor()),
    );
    expect(told?.extensions?.aaepd).toMatchObject({ decision: "rejected" });
    // Killed with the decision on the disk, and what it led to in memory.
    const second = runs.start();
    const back = second.listen(ABLE, "person", person.subscription.cursor());
    const missed = second.listen(ABLE, "another", asking?.cursor);
    await second.flush();
    expect([questionsIn(back), questionsIn(missed)]).toEqual([[], []]);
    // The disk did not have what was told: it is told again, and a client knows it by its id.
    expect(heard(back).map(({ event_id }) => event_id)).toEqual([told?.event_id]);
    expect(heard(missed).map(({ event_id, extensions }) => [event_id, extensions?.aaepd?.decision])).toEqual([
      [told?.event_id, "rejected"],
    ]);
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
