// AAEP §5.5.4, R4: what a critical event says of those that it left behind, and what becomes of the states among them.
import { describe, expect, it } from "vitest";
import { createSegmenter } from "../../../src/daemon/platform/segmenter.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { createEngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";
import { confirmation, give } from "../../support/rigs/question-rig.js";

const { started, chunk, progress, state, invoked, toolDone } = session();
const segmenter = createSegmenter();
const paused: Partial<Terms> = { paused: true };

const urgent = { type: "example:alarm", session_id: "sess_1", urgency: "critical" };
const alarm = (): Record<string, unknown> => ({
  ...urgent,
  "@context": ["https://aaep-protocol.org/context/v1", "https://example.org/vocabulary/v1"],
});

const overtookOf = ({ received }: Listener) =>
  received.flatMap(({ event }) =>
    event.extensions?.aaepd?.overtook === undefined ? [] : [event.extensions.aaepd.overtook],
  );

const retuneTo = (listener: Listener, terms: Partial<Terms>) =>
  listener.subscription.retune({ ...listener.subscription.terms(), ...terms });

describe("R4: the count of what was overtaken", () => {
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
    expect(overtookOf(reader)).toEqual([]);
  });

  it("counts after coalescing what waits through a pause: text once, progress once", () => {
    const rig = createEngineRig();
    const reader = rig.listen(paused);
    rig.publish(started());
    for (const text of ["One. ", "Two. ", "Three. "]) rig.publish(chunk(text));
    const other = { producer: { agent_id: "other" } };
    for (const percent of [1, 2, 3]) rig.publish({ ...progress(percent), ...other });
    rig.publish(alarm());
    // session.started, the text, the other agent's progress.
    expect(overtookOf(reader)).toEqual([3]);
    retuneTo(reader, { paused: false });
    rig.advance(0);
    expect(reader.received.length).toBe(4);
  });

  it("counts the same where the pause has put the subscription into the journal", () => {
    const rig = createEngineRig({ engine: { viewWindowCount: 4, queueLimitCount: 4 } });
    const reader = rig.listen(paused);
    rig.publish(started());
    for (let index = 0; index < 12; index += 1) rig.publish(chunk(`Sentence ${index}. `));
    rig.publish(alarm());
    expect(overtookOf(reader)).toEqual([2]);
    rig.advance(1000);
    retuneTo(reader, { paused: false });
    rig.advance(0);
    expect(reader.received.length).toBe(3);
  });

  it("counts exactly what little the journal holds: texts that do not merge are two", () => {
    const rig = createEngineRig({ engine: { viewWindowCount: 4, queueLimitCount: 8 } });
    const reader = rig.listen(paused);
    rig.publish(started());
    for (const language of ["ja", "ja", "ja", "en", "en", "en"]) rig.publish({ ...chunk("One. "), language });
    rig.publish(alarm());
    expect(overtookOf(reader)).toEqual([3]);
  });

  it("counts nothing that its filter keeps away, however far back it would have to read", () => {
    const rig = createEngineRig({ engine: { viewWindowCount: 4, queueLimitCount: 4, turnRoomMs: 0 }, turnsBetween: 2 });
    const reader = rig.listen({ ...paused, eventFilters: { include: ["aaep:agent.progress.*"], exclude: [] } });
    rig.publish(started());
    rig.publish(
      { ...progress(1), producer: { agent_id: "other" } },
      { ...progress(2), producer: { agent_id: "third" } },
    );
    const held = { session_id: "sess_2" };
    rig.publish({ ...started(), ...held });
    for (let index = 0; index < 20; index += 1)
      rig.publish({ ...progress(index), ...held, producer: { agent_id: `a${index}` } });
    for (let call = 0; call < 60; call += 1) rig.publish(invoked("fetch", `call_${call}`));
    rig.publish(alarm());
    rig.clock.settle();
    expect(overtookOf(reader)).toEqual([2]);
  });

  it("says nothing where all that waits is its own agent's progress, a filter's, or an empty chunk", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ ...paused, eventFilters: { include: ["aaep:agent.progress.*"], exclude: [] } });
    rig.publish(started());
    rig.publish(progress(1), invoked("fetch", "call_1"), toolDone("fetch", "call_1"), chunk("One. "));
    rig.publish(alarm());
    expect(reader.received.length).toBe(1);
    expect(overtookOf(reader)).toEqual([]);
  });

  it("R34: says nothing of critical events before it that went ahead as well, of what no view has taken yet", () => {
    const rig = createEngineRig({ engine: { turnRoomMs: 0 }, turnsBetween: 0 });
    const reader = rig.listen({ coalesceBoundaries: ["none"] });
    rig.publish(started());
    rig.publish(
      ...Array.from({ length: 250 }, (_, index) => chunk(`${index} ${"long ".repeat(10)}`)),
      alarm(),
      alarm(),
    );
    rig.clock.settle();
    const alarms = reader.received.filter(({ event }) => event.type === "example:alarm");
    expect(alarms.length).toBe(2);
    // One text waits for both; how many events it will be nobody knows yet.
    for (const count of overtookOf(reader)) expect(count).toBeLessThanOrEqual(2);
  });

  it("R34: counts nothing that was given by other terms, of what is read again for the sake of a text before it", () => {
    const rig = createEngineRig({ engine: { turnRoomMs: 0 }, turnsBetween: 0 });
    const reader = rig.listen();
    rig.publish(started(), chunk("Half a"));
    for (const helper of ["b", "c", "d"]) rig.publish({ ...progress(1), producer: { agent_id: helper } });
    rig.clock.settle();
    expect(reader.received.length).toBe(4);
    retuneTo(reader, { coalesceBoundaries: ["paragraph", "completion"] });
    rig.publish(alarm());
    rig.clock.settle();
    expect(overtookOf(reader)).toEqual([1]);
    expect(reader.received.length).toBe(6);
  });

  it("R34: reads no more of the journal in a turn for many who read back than for few", () => {
    const work = [5, 50].map((listenerCount) => {
      const rig = createEngineRig({
        engine: { viewWindowCount: 4, queueLimitCount: 4, turnRoomMs: 0 },
        turnsBetween: 2,
        around: (journal) => ({
          at: (epoch, only) => {
            lookedUp += 1;
            return journal.at(epoch, only);
          },
        }),
        segmenter: {
          ...segmenter,
          sentenceEnds: (text, language) => {
            cut += 1;
            return segmenter.sentenceEnds(text, language);
          },
        },
      });
      let lookedUp = 0;
      let cut = 0;
      for (let index = 0; index < listenerCount; index += 1) rig.listen(paused);
      rig.publish(started());
      for (let index = 0; index < 40; index += 1) rig.publish(chunk(`Sentence ${index}. And half of`));
      lookedUp = 0;
      cut = 0;
      rig.publish(alarm());
      return { lookedUp, cut };
    });
    expect(work[1]).toEqual(work[0]);
  });
});

describe("AAEP §4.2.1, R4: states that were superseded", () => {
  const statesOf = ({ received }: Listener) =>
    received.flatMap(({ event }) =>
      event.type === "aaep:agent.state.changed" ? [[event.from_state, event.to_state, event.event_id]] : [],
    );

  it("the agent's next one begins where the first of them did, with an id of its own", () => {
    const rig = createEngineRig();
    const reader = rig.listen();
    rig.publish(started());
    rig.publish(state("idle", "thinking"));
    retuneTo(reader, paused);
    rig.publish(state("thinking", "deciding"), state("deciding", "idle"), state("idle", "deciding"));
    rig.publish(alarm());
    retuneTo(reader, { paused: false });
    rig.advance(0);
    const published = state("deciding", "writing_output");
    rig.publish({ ...published, event_id: "evt_next" });
    rig.publish(state("writing_output", "idle"));
    expect(statesOf(reader).map(([from, to]) => [from, to])).toEqual([
      ["idle", "thinking"],
      ["thinking", "writing_output"],
      ["writing_output", "idle"],
    ]);
    expect(statesOf(reader)[1]?.[2]).toMatch(/^evt_[0-9a-f]{64}$/);
  });

  it("a state that leads back to where the listener believes the agent to be is not told", () => {
    const rig = createEngineRig();
    const reader = rig.listen(paused);
    rig.publish(started());
    rig.publish(state("idle", "thinking"), alarm());
    retuneTo(reader, { paused: false });
    rig.advance(0);
    rig.publish(state("thinking", "idle"), state("idle", "deciding"));
    expect(statesOf(reader).map(([from, to]) => [from, to])).toEqual([["idle", "deciding"]]);
    // R33: the state that is not told counts as merged.
    expect(rig.engine.report().subscriptions[0]?.counts).toMatchObject({ delivered: 3, merged: 1 });
  });

  it("where the critical event implies a state, the next one begins there (R3a)", () => {
    const rig = createEngineRig();
    const reader = rig.listen(paused);
    rig.publish(started());
    rig.publish(state("idle", "thinking"));
    rig.publish({
      type: "aaep:agent.handoff.requested",
      session_id: "sess_1",
      reason: "Too hard.",
      target_kind: "human",
    });
    retuneTo(reader, { paused: false });
    rig.advance(0);
    rig.publish(state("thinking", "idle"));
    expect(statesOf(reader).map(([from, to]) => [from, to])).toEqual([["handing_off", "idle"]]);
  });

  it("R6: where the end of a question overtook a state, the next one begins where that end left the listener", () => {
    const rig = createEngineRig();
    const able = rig.listen({ supportsConfirmationReply: true });
    const reader = rig.listen(paused);
    rig.publish(started(), confirmation("rpl_1"), confirmation("rpl_2"));
    rig.publish(state("awaiting_input", "calling_tool"));
    give(rig, able, "rpl_1", "accept");
    retuneTo(reader, { paused: false });
    rig.advance(0);
    rig.publish(state("calling_tool", "writing_output"));
    expect(statesOf(reader).map(([from, to]) => [from, to])).toEqual([
      ["idle", "awaiting_input"],
      ["awaiting_input", "awaiting_input"],
      ["awaiting_input", "awaiting_input"],
      ["awaiting_input", "writing_output"],
    ]);
  });

  it("R6: a notice that overtook a state begins where that did; how the question ended is never rewritten", () => {
    const rig = createEngineRig();
    const able = rig.listen({ supportsConfirmationReply: true });
    const reader = rig.listen({ paused: true });
    rig.publish(started());
    rig.publish(state("idle", "thinking"), confirmation("rpl_1"));
    give(rig, able, "rpl_1", "accept");
    expect(statesOf(reader).map(([from, to]) => [from, to])).toEqual([
      ["idle", "awaiting_input"],
      ["awaiting_input", "thinking"],
    ]);
  });
});
