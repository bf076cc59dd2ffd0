import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { DeliveryQueue } from "../../../src/engine/subscriptions/delivery-queue.js";
import {
  type EventRole,
  type EventUnit,
  eventUnit,
  RenderedEntry,
  type TextUnit,
  type Unit,
} from "../../../src/engine/views/unit.js";
import { textUnit } from "../../support/rigs/text-unit.js";

function event(fields: Readonly<Record<string, unknown>> = {}): AgentEvent {
  return {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "aaep:agent.state.changed",
    event_id: "evt_1",
    session_id: "sess_1",
    timestamp: "2026-05-24T14:00:00.000Z",
    producer: { agent_id: "agent" },
    ...fields,
  };
}

function unit(role: EventRole, epoch: number, fields: Readonly<Record<string, unknown>> = {}): EventUnit {
  const made = event({ event_id: `evt_${epoch}`, ...fields });
  const facts = { kind: "state.changed", source: undefined, at: 0, ordinal: epoch, made: undefined, epoch } as const;
  return { ...eventUnit(new RenderedEntry({ event: made, ...facts })), role };
}

function text(output: string, position: number, chunk: string, epoch: number): TextUnit {
  return textUnit(position, chunk, { output: `sess_1/${output}`, firstEpoch: epoch, epoch });
}

function queue(limit = 100, maxChars = 16_384, counts = { merged: 0 }): DeliveryQueue {
  return new DeliveryQueue({
    limit,
    counts,
    maxChars,
    collapseStates: (first, last) => {
      const { entry } = last.rendered;
      const event = { ...entry.event, from_state: first.rendered.entry.event.from_state };
      return { ...last, firstEpoch: first.firstEpoch, rendered: new RenderedEntry({ ...entry, event }) };
    },
  });
}

function told(of: DeliveryQueue): readonly unknown[] {
  return of.all().map((waiting: Unit) => {
    if (waiting.kind === "text") return waiting.text;
    const { event: one } = waiting.rendered.entry;
    return [one.from_state, one.to_state];
  });
}

const changed = (epoch: number, from: string, to: string, role: EventRole = "state"): EventUnit =>
  unit(role, epoch, { from_state: from, to_state: to });

describe("merging (R10, R11, R30)", () => {
  it("R10: texts of one output join where the last came, over progress, quiet states and other outputs", () => {
    const waiting = queue();
    waiting.put(text("out_1", 0, "One. ", 1), true);
    waiting.put(unit("progress", 2), true);
    waiting.put(changed(3, "a", "b", "background-state"), true);
    waiting.put(text("out_2", 0, "Other. ", 4), true);
    waiting.put(text("out_1", 5, "Two. ", 5), true);
    expect(told(waiting)).toEqual([[undefined, undefined], ["a", "b"], "Other. ", "One. Two. "]);
    expect(waiting.all().at(-1)).toMatchObject({ firstEpoch: 1, epoch: 5, position: 0, endPosition: 10 });
  });

  it.each(["plain", "state", "gate", "critical"] as const)(
    "R30: texts do not join over an event of role %s",
    (role) => {
      const waiting = queue();
      waiting.put(text("out_1", 0, "One. ", 1), true);
      waiting.put(unit(role, 2), true);
      waiting.put(text("out_1", 5, "Two. ", 3), true);
      expect(waiting.entries.length).toBe(3);
    },
  );

  it("R26: nothing joins past max_chars, and texts that do not follow each other never join", () => {
    const waiting = queue(100, 9);
    waiting.put(text("out_1", 0, "12345", 1), true);
    waiting.put(text("out_1", 5, "6789", 2), true);
    waiting.put(text("out_1", 9, "0", 3), true);
    waiting.put(text("out_1", 20, "x", 4), true);
    expect(told(waiting)).toEqual(["123456789", "0", "x"]);
  });

  it("R11: states collapse from first to last; a collapse to nothing is dropped", () => {
    const waiting = queue();
    waiting.put(changed(1, "idle", "thinking"), true);
    waiting.put(changed(2, "thinking", "deciding"), true);
    expect(told(waiting)).toEqual([["idle", "deciding"]]);
    waiting.put(changed(3, "deciding", "idle"), true);
    expect(waiting.entries.length).toBe(0);
  });

  it("R11: no state collapses into or across a gate, and progress stays on its side", () => {
    const waiting = queue();
    waiting.put(changed(1, "idle", "thinking"), true);
    waiting.put(unit("progress", 2), true);
    waiting.put(changed(3, "thinking", "awaiting_input", "gate"), true);
    waiting.put(changed(4, "awaiting_input", "thinking", "gate"), true);
    waiting.put(changed(5, "thinking", "deciding"), true);
    waiting.put(unit("progress", 6), true);
    expect(waiting.all().map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe("turns and limits", () => {
  it("R30: an output that keeps growing does not starve another, nor is it starved", () => {
    const waiting = queue();
    const left: string[] = [];
    let position = 0;
    waiting.put(text("out_1", 0, "first", 0), true);
    waiting.put(text("out_2", 0, "a", 0), true);
    for (let turn = 1; turn <= 6; turn += 1) {
      waiting.put(text("out_1", 4 + turn, "1", turn), true);
      position += 1;
      waiting.put(text("out_2", position, "b", turn), true);
      const head = waiting.shift();
      if (head?.kind === "text") left.push(head.output);
    }
    expect(left.filter((output) => output === "sess_1/out_1").length).toBeGreaterThanOrEqual(2);
    expect(left.filter((output) => output === "sess_1/out_2").length).toBeGreaterThanOrEqual(2);
  });

  it("R18: is full at its limit, and still takes what joins and what the daemon must say", () => {
    const waiting = queue(2);
    waiting.put(unit("plain", 1), true);
    expect(waiting.isFull()).toBe(false);
    waiting.put(text("out_1", 0, "a", 2), true);
    expect(waiting.isFull()).toBe(true);
    waiting.put(text("out_1", 1, "b", 4), true);
    expect(waiting.entries.length).toBe(2);
    waiting.put(unit("plain", 5));
    expect(waiting.entries.length).toBe(3);
  });
});
