// What an agent is answered that publishes (R3, R8, R33).
import { expect, test } from "vitest";
import { collector } from "../../support/collector.js";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";

test("R8: each session that starts in one publish has its token in its own place, so that each can be taken over", () => {
  const rig = createEngineRig();
  const inputs = [
    session("sess_1").started(),
    session("sess_1").progress(5),
    session("sess_2").started(),
    session("sess_3").started(),
  ].map((fields) => ({ fields }));
  const { events, resumeToken } = rig.agent.publish(inputs, true);
  const tokens = events.map((place) => place.resumeToken);
  expect(tokens[1]).toBeUndefined();
  const given = tokens.filter((token) => token !== undefined);
  expect(new Set(given).size).toBe(3);
  expect(resumeToken).toBe(tokens[0]);
  rig.agent.close();
  const heir = rig.openAgent();
  for (const [index, id] of [[0, "sess_1"] as const, [2, "sess_2"] as const, [3, "sess_3"] as const])
    expect(heir.resumeSession(id, String(tokens[index])).sessionId).toBe(id);
});

test("R3: the same publish once more is answered with the same tokens", () => {
  const rig = createEngineRig();
  const inputs = ["sess_1", "sess_2"].map((id) => ({
    fields: { ...session(id).started(), event_id: `evt_${id.replace("_", "")}` },
  }));
  const first = rig.agent.publish(inputs, true);
  expect(rig.agent.publish(inputs, true)).toEqual(first);
  expect(first.events.every(({ resumeToken }) => resumeToken !== undefined)).toBe(true);
});

test("R8: of an agent that has gone nothing stays with the sessions that it ended", async () => {
  const rig = createEngineRig();
  const collect = collector();
  const goThrough = (id: string): WeakRef<object> => {
    const handle = rig.engine.openAgent(undefined, undefined);
    handle.publish(
      [session(id).started(), session(id).completed()].map((fields) => ({ fields })),
      true,
    );
    handle.close();
    return new WeakRef(handle);
  };
  const gone = ["sess_1", "sess_2", "sess_3"].map(goThrough);
  rig.clock.settle();
  // What a WeakRef was made of is held until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(gone.map((agent) => agent.deref())).toEqual([undefined, undefined, undefined]);
});
