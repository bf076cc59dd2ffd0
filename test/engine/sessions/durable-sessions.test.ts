import { expect, it } from "vitest";
import { session } from "../../support/rigs/engine-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";

it("R8: what the run before had no time to remove of sessions that were over goes with the next one, and nothing else does", async () => {
  const { disk, start } = createRuns();
  const first = start();
  const agent = first.engine.openAgent({ agent_id: "agent" }, undefined);
  const publish = (...events: Record<string, unknown>[]) =>
    agent.publish(
      events.map((fields) => ({ fields })),
      true,
    );
  const [open, over] = [session("sess_open"), session("sess_over")];
  publish(open.started(), open.invoked("ls", "call_1"), over.started(), over.completed());
  await first.flush();
  const kept = JSON.stringify([...disk.state("fact", "sess_open")]);
  expect(disk.state("fact", "sess_open").size).toBe(1);
  disk.spoil(["fact", "sess_over", "call", 1], ["sess_over", "call_7"]);
  disk.spoil(["fact", "sess_gone", "token", 1], ["sess_gone", "rpl_7"]);

  const second = start();
  await second.flush();
  expect(disk.state("fact", "sess_over").size).toBe(0);
  expect(disk.state("fact", "sess_gone").size).toBe(0);
  expect(JSON.stringify([...disk.state("fact", "sess_open")])).toBe(kept);
});
