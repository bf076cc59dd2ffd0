// The places of agents: an agent that has nothing to lose makes room.
import { expect, it } from "vitest";
import { MOST_AGENTS } from "../../../../src/protocols/akashik/field/field-types.js";
import { codeOf, createFieldStage, doneOf } from "./field-stage.js";

it("a newcomer takes the place of an agent that is away without a subscription, and of no other", () => {
  const stage = createFieldStage();
  const field = stage.field();
  const join = (id: string) => field.register({ id, role: "r", interests: [] });
  const subscribe = (id: string) =>
    doneOf(field.subscribe(id, { events: ["memory.recorded"], minRelevance: null, debounceMs: null }));
  for (let index = 0; index < MOST_AGENTS; index += 1) doneOf(join(`agent ${index}`));
  for (let index = 1; index < MOST_AGENTS; index += 1) subscribe(`agent ${index}`);
  doneOf(join("newcomer"));
  expect([field.has("agent 0"), field.has("agent 1"), field.has("newcomer")]).toEqual([false, true, true]);
  subscribe("newcomer");
  expect(codeOf(join("another"))).toBe("STORAGE_FULL");
  expect(field.counts().agents).toBe(MOST_AGENTS);
});
