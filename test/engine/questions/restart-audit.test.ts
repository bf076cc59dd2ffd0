// The audit log over kills: whatever a question came to stands in it, with the reply that decided it, and nothing else does (AAEP §10 T3, R29).
import { describe, expect, it } from "vitest";
import type { AuditEntry, AuditNote } from "../../../src/contracts/audit.js";
import { type Listener, session } from "../../support/rigs/engine-rig.js";
import { ABLE, audited, clarification, confirmation, decision, give } from "../../support/rigs/question-rig.js";
import { createRuns, type Run, type Runs } from "../../support/rigs/restart-rig.js";

interface Written {
  readonly entry: AuditEntry;
  readonly at: number | undefined;
}

/** An audit log that writes when it is told to. */
function slowLog() {
  const lines: Written[] = [];
  const waiting: (() => void)[] = [];
  return {
    lines,
    recorded: (entry: AuditEntry, { at, settled }: AuditNote): void => {
      lines.push({ entry, at });
      if (settled !== undefined) waiting.push(settled);
    },
    write: () => {
      for (const settled of waiting.splice(0)) settled();
    },
    outcomes: () => lines.filter(({ at }) => at !== undefined),
  };
}

async function asked(
  runs: Runs,
  options: Parameters<Runs["start"]>[1] = {},
  fields = confirmation("rpl_1"),
): Promise<{ run: Run; token: string; person: Listener }> {
  const run = runs.start(0, options);
  const person = run.listen(ABLE, "desk");
  const receipt = run.agent.publish([{ fields: session().started() }], false);
  run.publish(fields);
  await run.flush();
  return { run, token: String(receipt.resumeToken), person };
}

/** A question that was answered: everything of it is on the disk, and its lines are in the log if that writes. */
async function answered(runs: Runs, options: Parameters<Runs["start"]>[1] = {}): Promise<Run> {
  const { run, person } = await asked(runs, options);
  person.subscription.listener.reply(decision(run, "rpl_1", "reject"), { words: "as it came" });
  await run.flush();
  await run.flush();
  return run;
}

/** Outcomes of which the log may lack lines. */
const owed = (runs: Runs) => [...runs.disk.state("outcome").values()].filter((one) => Object(one).lines !== undefined);

const onDisk = (runs: Runs): string => JSON.stringify([...runs.disk.state().entries()]);

describe("the reply that counted stands beside its outcome", () => {
  it("R29: killed between the two, the next run writes who answered what, and when, and then the outcome", async () => {
    const runs = createRuns();
    const { run, person } = await asked(runs);
    run.advance(2000);
    const repliedAt = run.clock.wallTime();
    const reply = decision(run, "rpl_1", "accept", { decidedBy: "Kemi" });
    expect(
      person.subscription.listener.reply(reply, { reply_token: "rpl_1", decision: "accept", note: "as it came" }),
    ).toBe(true);
    // The outcome is on the disk; its agent and the log have not heard of it.
    run.journal.flush();
    expect(audited(run, "reply")).toEqual([]);
    const log = slowLog();
    const second = runs.start(30_000, log);
    log.write();
    expect(log.outcomes()).toEqual([
      {
        at: repliedAt,
        entry: {
          kind: "reply",
          fate: "counted",
          reply_token: "rpl_1",
          token_is_open: true,
          subscription_id: person.subscription.id,
          subscriber_id: "desk",
          reply: { reply_token: "rpl_1", decision: "accept", note: "as it came" },
        },
      },
      {
        at: repliedAt,
        entry: expect.objectContaining({
          kind: "outcome",
          reply_token: "rpl_1",
          outcome: expect.objectContaining({ decision: "accept", resolved_by: "reply", decided_by: "Kemi" }),
        }),
      },
    ]);
    await second.flush();
    expect(onDisk(runs)).not.toContain("as it came");
    const third = runs.start();
    expect(third.audit).toEqual([]);
  });

  it("R29: killed before the log had them, they are written again as they were", async () => {
    const runs = createRuns();
    const log = slowLog();
    await answered(runs, log);
    const first = log.outcomes();
    expect(first.map(({ entry }) => entry.kind)).toEqual(["reply", "outcome"]);
    const again = slowLog();
    runs.start(60_000, again);
    expect(again.outcomes()).toEqual(first);
    // Still nobody has said that it is written.
    const anew = slowLog();
    const third = runs.start(60_000, anew);
    expect(anew.outcomes()).toEqual(first);
    anew.write();
    await third.flush();
    expect(runs.start().audit).toEqual([]);
  });

  it("R29: killed when the log had them and the journal not their outcome, they are written again as they were", async () => {
    const runs = createRuns();
    const log = slowLog();
    const { run, person } = await asked(runs, log);
    give(run, person, "rpl_1", "reject");
    await run.flush();
    log.write();
    expect(log.outcomes()).toHaveLength(2);
    const again = slowLog();
    runs.start(60_000, again);
    expect(again.outcomes()).toEqual(log.outcomes());
  });

  it("is kept no longer than until it is written", async () => {
    const runs = createRuns();
    await answered(runs);
    expect(onDisk(runs)).not.toContain("as it came");
    expect(owed(runs)).toEqual([]);
    expect(runs.start().audit).toEqual([]);
  });

  it("is removed with the next group where it was written late", async () => {
    const runs = createRuns();
    const log = slowLog();
    const run = await answered(runs, log);
    expect(owed(runs)).toHaveLength(1);
    log.write();
    await run.flush();
    expect(owed(runs)).toHaveLength(0);
  });
});

describe("what the log says has happened", () => {
  it("a default has no reply, and is written again after a kill as it was", async () => {
    const runs = createRuns();
    const log = slowLog();
    const { run } = await asked(runs, log, clarification("rpl_1", { default_response: "none" }));
    run.advance(60_000);
    await run.flush();
    await run.flush();
    const again = slowLog();
    runs.start(1000, again);
    expect(again.outcomes()).toEqual(log.outcomes());
    expect(again.lines.map(({ entry }) => entry.kind)).toEqual(["outcome"]);
  });
});

describe("where nothing is recorded", () => {
  const OFF = { audit: { isOn: false } };

  it("nothing of a reply is kept that its outcome does not say", async () => {
    const runs = createRuns();
    const { run, person } = await asked(runs, OFF);
    person.subscription.listener.reply(decision(run, "rpl_1", "accept"), { words: "as it came" });
    run.journal.flush();
    expect(onDisk(runs)).not.toContain("as it came");
    await run.flush();
    await run.flush();
    expect(owed(runs)).toHaveLength(0);
    expect(onDisk(runs)).not.toContain("as it came");
  });

  it("what a run before owed is forgotten", async () => {
    const runs = createRuns();
    const log = slowLog();
    await answered(runs, log);
    const second = runs.start(100, OFF);
    await second.flush();
    expect(second.audit).toEqual([]);
    expect(owed(runs)).toHaveLength(0);
  });
});

describe("R8a: an orderly end", () => {
  it("waits for the log, so that the next run owes it nothing", async () => {
    const runs = createRuns();
    const log = slowLog();
    const run = await answered(runs, log);
    const closed = run.engine.close();
    log.write();
    await closed;
    expect(run.clock.pending()).toBe(0);
    expect(owed(runs)).toHaveLength(0);
  });

  it("does not wait for ever: what is owed then is written by the next run", async () => {
    const runs = createRuns();
    const log = slowLog();
    const run = await answered(runs, log);
    const closed = run.engine.close();
    run.clock.advance(300);
    await closed;
    expect(run.clock.pending()).toBe(0);
    const again = slowLog();
    runs.start(100, again);
    expect(again.outcomes()).toEqual(log.outcomes());
  });

  it("what is kept of it and cannot be read costs itself alone", async () => {
    const runs = createRuns();
    const { run } = await asked(runs);
    await run.flush();
    runs.disk.spoil(["outcome", "rpl_9"], { number: 1, question: {}, result: {}, lines: {} });
    const second = runs.start();
    expect(second.engine.status().openQuestionCount).toBe(1);
    expect(second.errors).toHaveLength(1);
  });
});
