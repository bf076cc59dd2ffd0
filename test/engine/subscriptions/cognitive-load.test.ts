import { expect, it } from "vitest";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";

const { started, chunk, progress } = session();

it("AAEP §5.3.1.10, R15: cognitive_load low keeps background events away, and never the text that somebody reads", () => {
  const rig = createEngineRig();
  const reader = rig.listen({ cognitiveLoad: "low" });
  rig.publish(started());
  rig.publish(progress(5), { ...chunk("Quietly said. ", true), urgency: "background" });
  expect(reader.received.map(({ event }) => event.type.replace("aaep:agent.", ""))).toEqual([
    "session.started",
    "output.streaming",
  ]);
  expect(reader.received[1]?.event).toMatchObject({ chunk: "Quietly said. ", complete: true });
});
