// The places of agents: an agent that has nothing to lose makes room.
import { expect, it } from "vitest";
import { MOST_AGENTS } from "../../../../src/protocols/akashik/field/field-types.js";
import { codeOf, createFieldStage } from "./field-stage.js";

it("a newcomer takes the place of an agent that is away without a subscription, and of no other", () => {
  const stage = createFieldStage();
  const field = stage.field();
  const join = (id: string) => field.register({ id, role: "r" }, undefined);
  const subscribe = (id: string) =>
    field.subscribe(id, { events: ["memory.recorded"], minRelevance: null, debounceMs: null });
  for (let index = 0; index < MOST_AGENTS; index += 1) join(`agent ${index}`);
  for (let index = 1; index < MOST_AGENTS; index += 1) subscribe(`agent ${index}`);
  join("newcomer");
  expect([field.has("agent 0"), field.has("agent 1"), field.has("newcomer")]).toEqual([false, true, true]);
  subscribe("newcomer");
  expect(codeOf(() => join("another"))).toBe("STORAGE_FULL");
  expect(field.counts().agents).toBe(MOST_AGENTS);
});

it("there is no place for a newcomer beside agents that fill the room, except in that of one without a subscription", () => {
  const field = createFieldStage().field();
  const big = { role: "r".repeat(1024), interests: Array<string>(64).fill("i".repeat(256)) };
  field.register({ id: "small", role: "r" }, undefined);
  const join = (id: string): void => {
    field.register({ id, ...big }, undefined);
    field.subscribe(id, { events: ["memory.recorded"], minRelevance: null, debounceMs: null });
  };
  let count = 0;
  while (codeOf(() => join(`big ${count}`)) === undefined) count += 1;
  expect(count).toBeGreaterThan(100);
  expect(count).toBeLessThan(1000);
  expect([field.has("small"), field.has("big 0")]).toEqual([false, true]);
});
