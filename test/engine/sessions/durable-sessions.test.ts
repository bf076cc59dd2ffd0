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
  const kept = JSON.stringify([...disk.state("past", "sess_open")]);
  expect(kept).toContain("call_1");
  disk.spoil(["past", "sess_over"], ["sess_over", { calls: ["call_7"] }]);

  const second = start();
  await second.flush();
  expect(disk.state("past", "sess_over").size).toBe(0);
  expect(JSON.stringify([...disk.state("past", "sess_open")])).toBe(kept);
});
