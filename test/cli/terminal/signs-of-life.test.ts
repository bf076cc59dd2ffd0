import { expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { createSignsOfLife } from "../../../src/cli/terminal/signs-of-life.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const event = (topic: string, members: object = {}): Envelope =>
  ({ type: `aaep:agent.${topic}`, session_id: "s", ...members }) as unknown as Envelope;

function stage() {
  const clock = createVirtualClock(0);
  const told: string[] = [];
  const signs = createSignsOfLife(clock, (_, words) => told.push(words));
  const after = (seconds: number): readonly string[] => {
    clock.advance(seconds * 1000);
    return told.splice(0);
  };
  return { signs, after };
}

it("tells after 30 seconds of silence, then each time after twice as long", () => {
  const { signs, after } = stage();
  signs.heard(event("session.started"), true);
  expect(after(29)).toEqual([]);
  expect(after(1)).toEqual(["still working, 30 seconds"]);
  // What is not heard breaks no silence.
  signs.heard(event("output.streaming"), false);
  expect(after(30)).toEqual(["still working, 1 minute"]);
  expect(after(59)).toEqual([]);
  expect(after(1 + 120)).toEqual(["still working, 2 minutes", "still working, 4 minutes"]);
  signs.heard(event("tool.invoked"), true);
  expect(after(20)).toEqual([]);
  signs.heard(event("tool.completed"), true);
  expect(after(29)).toEqual([]);
  expect(after(1)).toEqual(["still working, 30 seconds"]);
});

it.each([
  ["session.completed", {}],
  ["awaiting.confirmation", {}],
  ["handoff.requested", {}],
  ["state.changed", { to_state: "idle" }],
  ["state.changed", { to_state: "awaiting_input" }],
])("tells nothing behind %s %j, and again once its agent goes on", (topic, members) => {
  const { signs, after } = stage();
  signs.heard(event("session.started"), true);
  signs.heard(event(topic, members), true);
  expect(after(100)).toEqual([]);
  signs.heard(event("state.changed", { to_state: "thinking" }), true);
  expect(after(30)).toEqual(["still working, 30 seconds"]);
  signs.close();
  expect(after(1000)).toEqual([]);
});
