// A sum that waits for its budget while its session ends (R4, R17).
import { describe, expect, it } from "vitest";
import { createEngineRig, session, typesOf } from "../../support/rigs/engine-rig.js";

describe("R17: the sum of a session", () => {
  it("is not told after an end that went ahead of it: what was told of the session would begin again", () => {
    const rig = createEngineRig();
    for (const id of ["sess_1", "sess_2"]) rig.publish(session(id).started());
    const listener = rig.listen({ maxEventsPerSecond: 1 });
    // More than is flushed ahead of an end.
    for (let call = 0; call < 6; call += 1) rig.publish(session("sess_2").invoked("look", `call_${call}`));
    rig.publish(session("sess_2").errored());
    rig.advance(60_000);
    const heard = listener.received.filter(({ event }) => event.session_id === "sess_2");
    expect(typesOf(heard).slice(0, 2)).toStrictEqual(["session.errored", "tool.invoked"]);
    expect(typesOf(heard)).not.toContain("state.changed");
    // The other session's is told.
    expect(typesOf(listener.received.slice(0, 1))).toStrictEqual(["state.changed"]);
  });
});
