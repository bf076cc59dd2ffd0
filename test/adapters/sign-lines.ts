// Messages and signs as the stages of ACP and MCP write them.
import type { Reading, Sign } from "../../src/adapters/adapter.js";

/** A line of JSON-RPC. An object gets its version. */
export function textOf(message: object | string): string {
  return typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message });
}

/** A sign in one line, without its turn. */
export function lineOf({ kind, turn: _, ...members }: Sign): string {
  const shown = Object.values(members).filter((value) => value !== undefined);
  const words = shown.map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value)));
  return [kind, ...words].join(" | ");
}

export function lastQuestion(signs: readonly Sign[]): string {
  return signs.findLast((sign) => sign.kind === "question")?.id ?? "";
}

/** Lets the time of an adapter pass, with what is due in it. Returns the new time. */
export function passed(
  adapter: { readonly dueAt: () => number | undefined; readonly wake: (now: number) => Reading },
  from: number,
  ms: number,
  follow: (reading: Reading) => void,
): number {
  let now = from;
  for (let due = adapter.dueAt(); due !== undefined && due <= from + ms; due = adapter.dueAt()) {
    now = Math.max(now, due);
    follow(adapter.wake(now));
  }
  return from + ms;
}
