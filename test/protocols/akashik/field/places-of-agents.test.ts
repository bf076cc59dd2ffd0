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

it("a newcomer for whom all places together would not suffice is refused, and nobody has gone for it", () => {
  const stage = createFieldStage();
  const field = stage.field();
  const big = { role: "r".repeat(1024), interests: Array<string>(64).fill("i".repeat(256)) };
  const join = (id: string, of: { readonly role: string; readonly interests: readonly string[] }) =>
    field.register({ id, ...of });
  const small = Array.from({ length: 4 }, (_, index) => `small ${index}`);
  for (const id of small) doneOf(join(id, { role: "r", interests: [] }));
  let bigCount = 0;
  for (let id = `big ${bigCount}`; join(id, big).kind === "done" && bigCount < 2000; id = `big ${bigCount}`) {
    doneOf(field.subscribe(id, { events: ["memory.recorded"], minRelevance: null, debounceMs: null }));
    bigCount += 1;
  }
  // The last of the big ones took some of the small ones' places, or none of them.
  const there = small.filter((id) => field.has(id));
  expect(codeOf(join("one more", big))).toBe("STORAGE_FULL");
  expect(small.filter((id) => field.has(id))).toEqual(there);
  doneOf(join("small 4", { role: "r", interests: [] }));
});
