// Short words for plans that are written by hand: one session, one agent and one output unless they say otherwise.
import type { Terms } from "../../../src/engine/terms/terms.js";
import type { Operation, Plan } from "./delivery-plans.js";
import { live, type World } from "./delivery-world.js";

/** Lives a few operations, with a small window and queue unless `limits` says otherwise. */
export function world(
  seats: readonly Partial<Terms>[],
  operations: readonly Operation[],
  limits: Partial<Plan> = {},
): World {
  return live({ viewWindowCount: 4, queueLimitCount: 4, journalCount: 65_536, seats, operations, ...limits });
}

export function chunk(text: string, more: Partial<Extract<Operation, { op: "chunk" }>> = {}): Operation {
  return { op: "chunk", s: 0, a: 0, o: 0, text, ...more };
}

export const ask = (clarify: boolean, s = 0): Operation => ({ op: "ask", s, a: 0, clarify, seconds: 1 });
export const retune = (terms: Partial<Terms>): Operation => ({ op: "retune", l: 0, terms });
export const join = (terms: Partial<Terms>, lost: number, before = 0): Operation => ({
  op: "join",
  l: 0,
  terms,
  resume: { before },
  lost,
});
export const progress = (s = 0): Operation => ({ op: "progress", s, a: 0, percent: 1 });
export const state = (s: number, to: string): Operation => ({ op: "state", s, a: 0, to, background: false });
