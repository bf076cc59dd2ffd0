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

it("R16: a session of an older build, which counted by session, goes on with its numbers", async () => {
  const { disk, start } = createRuns();
  const first = start();
  const numbered = (sequence_number: number) => ({ ...session().progress(sequence_number), sequence_number });
  const { resumeToken } = first.agent.publish([{ fields: { ...session().started(), sequence_number: 0 } }], false);
  first.publish(numbered(1));
  await first.flush();
  const core = disk.state("session").get('["session","sess_1"]') as Record<string, unknown>;
  const agents = (core.agents as Record<string, unknown>[]).map(({ sequenceNumber: _, ...agent }) => agent);
  disk.spoil(["session", "sess_1"], { ...core, agents, nextSequenceNumber: 2 });
  const second = start();
  second.agent.resumeSession("sess_1", String(resumeToken));
  const publish = (fields: Record<string, unknown>) => () => second.agent.publish([{ fields }], false);
  expect(publish(numbered(1))).toThrow("sequence_number to a number above 1");
  expect(publish(numbered(2))).not.toThrow();
});
