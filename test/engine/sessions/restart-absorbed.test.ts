// R29: what an agent is told was accepted is there after a kill, also where nothing of it went out or stands in the journal (R3a).
import { describe, expect, it } from "vitest";
import { session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation } from "../../support/rigs/question-rig.js";
import { createRuns, type Run, type Runs, told } from "../../support/rigs/restart-rig.js";

/** Its agent says itself that it goes on, after the daemon has said so: nothing of it is left to tell. */
const BACK = { ...session().state("awaiting_input", "thinking"), event_id: "evt_back" };

/** A session whose question has just had its outcome, all of it on the disk. */
async function resolved(runs: Runs): Promise<{ run: Run }> {
  const run = runs.start();
  run.publish(session().started());
  run.listen(ABLE);
  run.publish(session().state("idle", "thinking"), confirmation("rpl_1"));
  run.advance(60_000);
  await run.flush();
  await run.flush();
  return { run };
}

/** Publishes, and answers how the acknowledgement stands. */
function acknowledged(run: Run, ...events: readonly Readonly<Record<string, unknown>>[]): { stands: string } {
  const ack = { stands: "acknowledged" };
  const { durable } = run.agent.publish(
    events.map((fields) => ({ fields })),
    events.length > 1,
  );
  if (durable === undefined) return ack;
  ack.stands = "waits";
  durable.then(
    () => {
      ack.stands = "acknowledged";
    },
    (fault: { code: string }) => {
      ack.stands = fault.code;
    },
  );
  return ack;
}

describe("R29: an event that is absorbed", () => {
  it("is acknowledged when what is remembered of it is on the disk", async () => {
    const runs = createRuns();
    const { run } = await resolved(runs);
    const head = run.journal.head();
    const ack = acknowledged(run, BACK);
    await told();
    expect([ack.stands, run.journal.head()]).toEqual(["waits", head]);
    await run.flush();
    expect(ack.stands).toBe("acknowledged");
  });

  it("is acknowledged with what it was published with", async () => {
    const runs = createRuns();
    const { run } = await resolved(runs);
    const ack = acknowledged(run, BACK, session().progress(3));
    await told();
    expect(ack.stands).toBe("waits");
    await run.flush();
    expect(ack.stands).toBe("acknowledged");
  });

  it("is refused while nothing can be written, and nothing of it is remembered", async () => {
    const runs = createRuns();
    const { run } = await resolved(runs);
    runs.disk.setFailing(true);
    run.publish(session().progress(1));
    await run.flush();
    expect(() => acknowledged(run, BACK)).toThrow("[storage_unavailable]");
    runs.disk.setFailing(false);
    await run.flush();
    const ack = acknowledged(run, BACK);
    expect(ack.stands).toBe("waits");
    await run.flush();
    expect(ack.stands).toBe("acknowledged");
  });
});
