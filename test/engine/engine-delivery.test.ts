import { describe, expect, it } from "vitest";
import { createEngineRig, session, textOf, typesOf } from "../support/rigs/engine-rig.js";

const { started, completed, state, progress, chunk, confirmation, invoked, toolDone, errored } = session();

function tokens(text: string): string[] {
  return text.match(/.{1,4}/gsu) ?? [];
}

describe("one agent, two subscriptions", () => {
  it("R10: gives each its own boundaries and loses no text", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ maxEventsPerSecond: 3 });
    const tool = rig.listen({ coalesceBoundaries: ["none"] });
    rig.publish(started(), state("idle", "thinking"));
    const text = "The first sentence is here. And this is the second one. A third";
    for (const token of tokens(text)) {
      rig.publish(chunk(token));
      rig.advance(100);
    }
    rig.publish(chunk(" one ends it.", true), completed());
    rig.advance(10_000);
    expect(textOf(reader.received, "out_1")).toBe(`${text} one ends it.`);
    expect(textOf(tool.received, "out_1")).toBe(`${text} one ends it.`);
    expect(tool.received.length).toBe(2 + tokens(text).length + 2);
    const chunks = reader.received.filter(({ event }) => event.chunk !== undefined).map(({ event }) => event.chunk);
    expect(chunks).toEqual(["The first sentence is here. ", "And this is the second one. ", "A third one ends it."]);
    expect(typesOf(reader.received).at(-1)).toBe("session.completed");
  });

  it("R9: keeps three events a second and merges what it must hold back", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ maxEventsPerSecond: 1 });
    rig.publish(started());
    for (let percent = 0; percent <= 50; percent += 1) {
      rig.publish(progress(percent));
      rig.advance(100);
    }
    rig.advance(5000);
    const times = reader.received.map(({ at }) => at);
    for (let index = 1; index < times.length; index += 1)
      expect((times[index] ?? 0) - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(1000);
    expect(reader.received.at(-1)?.event.progress).toEqual({ percent: 50 });
  });

  it("R4: a critical event overtakes what is held when more than four are", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ maxEventsPerSecond: 1 });
    rig.publish(started());
    for (let call = 0; call < 5; call += 1)
      rig.publish(invoked("fetch", `call_${call}`), toolDone("fetch", `call_${call}`));
    rig.publish(errored());
    expect(typesOf(reader.received)).toEqual(["session.started", "session.errored"]);
    expect(reader.received[1]?.event.extensions?.aaepd).toEqual({ overtook: 10 });
    rig.advance(11_000);
    expect(reader.received.length).toBe(12);
  });

  it("R6: asks those that can answer and tells the others", () => {
    const rig = createEngineRig();
    const able = rig.listen({ supportsConfirmationReply: true });
    const unable = rig.listen();
    rig.publish(started(), confirmation("rpl_1"));
    expect(typesOf(able.received)).toEqual(["session.started", "state.changed", "awaiting.confirmation"]);
    expect(typesOf(unable.received)).toEqual(["session.started", "state.changed"]);
    rig.advance(61_000);
    expect(able.received.at(-1)?.event.to_state).toBe("idle");
    expect(unable.received.at(-1)?.event.extensions?.aaepd?.by).toBe("daemon");
  });

  it("R18: a blocked subscription reads on from the journal and loses nothing", () => {
    const rig = createEngineRig({ engine: { viewWindowCount: 64 } });
    const slow = rig.listen({ coalesceBoundaries: ["none"] });
    rig.publish(started());
    slow.block(true);
    let text = "";
    for (let index = 0; index < 2000; index += 1) {
      rig.publish(chunk(`${index} `));
      text += `${index} `;
    }
    slow.block(false);
    rig.publish(chunk("", true), completed());
    rig.advance(1000);
    expect(textOf(slow.received, "out_1")).toBe(text);
    expect(typesOf(slow.received).at(-1)).toBe("session.completed");
    expect(slow.received.length).toBe(2003);
  });
});
