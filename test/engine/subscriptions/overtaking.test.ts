// AAEP §5.5.4, R4: the mark of a critical event that left events of its session behind, and what becomes of the states among them.
import { describe, expect, it } from "vitest";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { createEngineRig, type Listener, session, textOf, typesOf } from "../../support/rigs/engine-rig.js";
import { confirmation, give } from "../../support/rigs/question-rig.js";

const { started, chunk, progress, state, invoked, toolDone } = session();
const paused: Partial<Terms> = { paused: true };

const urgent = { type: "example:alarm", session_id: "sess_1", urgency: "critical" };
const alarm = (): Record<string, unknown> => ({
  ...urgent,
  "@context": ["https://aaep-protocol.org/context/v1", "https://example.org/vocabulary/v1"],
});

const marksOf = ({ received }: Listener) =>
  received.flatMap(({ event }) =>
    event.extensions?.aaepd?.overtook === undefined ? [] : [event.extensions.aaepd.overtook],
  );

const retuneTo = (listener: Listener, terms: Partial<Terms>) =>
  listener.subscription.retune({ ...listener.subscription.terms, ...terms });

describe("R4: the mark that something was overtaken", () => {
  it("the last capable subscription that renegotiates replies away hears how its question ended, and that it overtook nothing", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ supportsConfirmationReply: true });
    rig.publish(started());
    for (let percent = 0; percent < 30; percent += 1) rig.publish(progress(percent));
    rig.publish(confirmation("rpl_1"));
    retuneTo(reader, { supportsConfirmationReply: false });
    rig.advance(0);
    const last = reader.received.at(-1)?.event;
    expect(last?.extensions?.aaepd?.decision).toBe("rejected");
    expect(marksOf(reader)).toEqual([]);
  });

  it.each([
    ["in the queue", {}],
    ["in the journal", { viewWindowCount: 4, queueLimitCount: 4 }],
  ])("is true where something waits through a pause, %s, and the rest follows", (_, engine) => {
    const rig = createEngineRig({ engine });
    const reader = rig.listen(paused);
    rig.publish(started());
    for (let index = 0; index < 12; index += 1) rig.publish(chunk(`Sentence ${index}. `));
    const other = { producer: { agent_id: "other" } };
    for (const percent of [1, 2, 3]) rig.publish({ ...progress(percent), ...other });
    rig.publish(alarm());
    expect([typesOf(reader.received), marksOf(reader)]).toEqual([["example:alarm"], [true]]);
    rig.advance(1000);
    retuneTo(reader, { paused: false });
    rig.advance(0);
    expect(typesOf(reader.received).filter((type) => type !== "output.streaming")).toEqual([
      "example:alarm",
      "session.started",
      "progress.updated",
    ]);
    expect(textOf(reader.received, "out_1")).toContain("Sentence 11. ");
  });

  it("is absent where its filter keeps away all that would wait", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ ...paused, eventFilters: { include: ["aaep:agent.handoff.*"], exclude: [] } });
    rig.publish(started());
    rig.publish(progress(1), invoked("fetch", "call_1"), toolDone("fetch", "call_1"), chunk("One. "));
    rig.publish(alarm());
    expect([typesOf(reader.received), marksOf(reader)]).toEqual([["example:alarm"], []]);
  });

  it("is absent where what waits is of another session", () => {
    const rig = createEngineRig();
    const reader = rig.listen(paused);
    rig.publish(started());
    retuneTo(reader, { paused: false });
    rig.advance(0);
    retuneTo(reader, paused);
    rig.publish(session("sess_2").started(), session("sess_2").progress(5), alarm());
    expect([typesOf(reader.received), marksOf(reader)]).toEqual([["session.started", "example:alarm"], []]);
  });

  it("R32: is absent where all that is read again for the sake of a text was given by other terms", () => {
    const rig = createEngineRig();
    const reader = rig.listen();
    rig.publish(started(), chunk("Half a"));
    for (const helper of ["b", "c", "d"]) rig.publish({ ...progress(1), producer: { agent_id: helper } });
    retuneTo(reader, { coalesceBoundaries: ["paragraph", "completion"] });
    rig.publish(alarm());
    rig.advance(0);
    expect([marksOf(reader), reader.received.length]).toEqual([[], 6]);
  });
});

describe("AAEP §4.2.1, R4: states that were passed", () => {
  const statesOf = ({ received }: Listener) =>
    received.flatMap(({ event }) =>
      event.type === "aaep:agent.state.changed" ? [[event.from_state, event.to_state, event.event_id]] : [],
    );
  const pairsOf = (listener: Listener) => statesOf(listener).map(([from, to]) => [from, to]);

  it("are dropped, with the agent's progress, and the next one goes on as it was published", () => {
    const rig = createEngineRig();
    const reader = rig.listen();
    rig.publish(started());
    rig.publish(state("idle", "thinking"));
    retuneTo(reader, paused);
    rig.publish(state("thinking", "deciding"), progress(5), state("deciding", "idle"), state("idle", "deciding"));
    rig.publish({ ...progress(7), producer: { agent_id: "other" } });
    rig.publish(alarm());
    retuneTo(reader, { paused: false });
    rig.advance(0);
    rig.publish({ ...state("deciding", "writing_output"), event_id: "evt_next" });
    expect(pairsOf(reader)).toEqual([
      ["idle", "thinking"],
      ["deciding", "writing_output"],
    ]);
    expect(statesOf(reader)[1]?.[2]).toBe("evt_next");
    // Another agent's progress is told behind it.
    const told = reader.received.flatMap(({ event }) => (event.progress === undefined ? [] : [event.progress]));
    expect(told).toEqual([{ percent: 7 }]);
  });

  it("R6: the end of a question is never dropped, nor what tells of one", () => {
    const rig = createEngineRig();
    const able = rig.listen({ supportsConfirmationReply: true });
    const reader = rig.listen(paused);
    rig.publish(started());
    rig.publish(state("idle", "thinking"), confirmation("rpl_1"), confirmation("rpl_2"));
    rig.publish(state("awaiting_input", "calling_tool"));
    give(rig, able, "rpl_1", "accept");
    give(rig, able, "rpl_2", "accept");
    retuneTo(reader, { paused: false });
    rig.advance(0);
    const told = reader.received.flatMap(({ event }) => {
      const { asks, decision } = event.extensions?.aaepd ?? {};
      return asks === undefined && decision === undefined ? [] : [asks ?? decision];
    });
    expect(told).toEqual(["confirmation", "confirmation", "accepted", "accepted"]);
    // The agent's own states before it are not among them.
    expect(pairsOf(reader)).toEqual([
      ["thinking", "awaiting_input"],
      ["awaiting_input", "awaiting_input"],
      ["awaiting_input", "awaiting_input"],
      ["awaiting_input", "calling_tool"],
    ]);
  });
});
