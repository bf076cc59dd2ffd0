// R28: what is sent again: events of the journal's window by their own ids, and open questions. What was merged is not.
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { faultOf } from "../../support/fault-of.js";
import { createEngineRig, type EngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";

const { started, state, progress, chunk, confirmation } = session();
const MERGED = /^evt_[0-9a-f]{40}$/;

function again(rig: EngineRig, to: Listener, event: AgentEvent): AgentEvent | undefined {
  const before = to.received.length;
  to.subscription.repeat(event.event_id);
  rig.clock.settle();
  expect(to.received.length).toBe(before + 1);
  return to.received.at(-1)?.event;
}

describe("R28, R12: an event that was merged", () => {
  it("is not found, nor is an id that nobody was sent", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ maxEventsPerSecond: 1 });
    rig.publish(started(), chunk("One sentence"), chunk(" is here. "), chunk("Another one "));
    for (const [from, to] of [
      ["writing_output", "thinking"],
      ["thinking", "deciding"],
      ["deciding", "searching"],
    ] as const)
      rig.publish(state(from, to));
    rig.advance(10_000);
    const merged = reader.received.map(({ event }) => event.event_id).filter((id) => MERGED.test(id));
    expect(merged.length).toBeGreaterThan(1);
    for (const id of [...merged, "evt_x", `evt_${"f".repeat(64)}`]) {
      const fault = faultOf(() => reader.subscription.repeat(id));
      expect([fault.code, fault.pointer, fault.rule]).toEqual(["not_found", "/event_id", "R28"]);
    }
  });
});

describe("R28: an event of the journal", () => {
  it("leaves at once, before what waits and while the subscription is paused", () => {
    const rig = createEngineRig();
    const reader = rig.listen();
    rig.publish(started(), progress(10));
    const first = reader.received.at(-1)?.event;
    if (first === undefined) throw new Error("nothing was delivered");
    reader.subscription.retune({ ...reader.subscription.terms, paused: true });
    rig.publish(chunk("It goes on. "), chunk("End.", true));
    expect(again(rig, reader, first)).toEqual(first);
  });

  it("is not found once it has left the journal", () => {
    const rig = createEngineRig({ journal: { maxEvents: 64 } });
    const reader = rig.listen();
    rig.publish(started(), progress(0));
    const first = reader.received.at(-1)?.event;
    for (let index = 0; index < 64; index += 1) rig.publish(progress(index));
    expect(faultOf(() => reader.subscription.repeat(String(first?.event_id))).code).toBe("not_found");
  });
});

describe("R28: what the daemon made", () => {
  it("R6, AAEP §6.4.3: notices, reminders and resolutions are sent again; sums are not", () => {
    const rig = createEngineRig();
    rig.listen({ supportsConfirmationReply: true });
    const reader = rig.listen();
    rig.publish(started(), state("idle", "thinking"), confirmation("rpl_1", { timeout_seconds: 600 }));
    rig.advance(300_000);
    const late = rig.listen({}, "late");
    rig.advance(301_000);
    const marks = reader.received.map(({ event }) => Object.keys(event.extensions?.aaepd ?? {}));
    expect(marks.flat()).toEqual(expect.arrayContaining(["asks", "question", "decision"]));
    for (const { event } of [...reader.received]) expect(again(rig, reader, event)).toEqual(event);
    const sum = late.received.find(({ event }) => event.extensions?.aaepd?.summary === true)?.event;
    expect(faultOf(() => late.subscription.repeat(String(sum?.event_id))).code).toBe("not_found");
  });
});
