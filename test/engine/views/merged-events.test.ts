// R11, R12: two changes of state that wait become one.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { collapsedEvent } from "../../../src/engine/views/merged-events.js";
import { type EventUnit, eventUnit, RenderedEntry } from "../../../src/engine/views/unit.js";
import type { ViewTerms } from "../../../src/engine/views/view-terms.js";
import { BASE } from "../../support/rigs/text-unit.js";

const TERMS = { key: "view", shape: { key: "plain" } } as ViewTerms;
const IDS = { sha256Hex: (text: string): string => createHash("sha256").update(text).digest("hex") };

function state(epoch: number, from: string, to: string): EventUnit {
  const event: AgentEvent = { ...BASE, type: "aaep:agent.state.changed", from_state: from, to_state: to };
  const made = { kind: "state.changed", source: "{}", at: epoch, ordinal: epoch, made: undefined, epoch } as const;
  return eventUnit(new RenderedEntry({ event, ...made }));
}

describe("R11: collapsed states", () => {
  const collapsed = (first: number, last: number) =>
    collapsedEvent(state(first, "idle", "thinking"), state(last, "thinking", "deciding"), TERMS, IDS);

  it("reach from the first to the last, under an id of their own that is the same each time", () => {
    expect(collapsed(3, 7)).toMatchObject({ from_state: "idle", to_state: "deciding" });
    expect(collapsed(3, 7).event_id).toMatch(/^evt_[0-9a-f]{40}$/);
    expect(collapsed(3, 7)).toEqual(collapsed(3, 7));
    expect(new Set([collapsed(3, 7), collapsed(2, 7), collapsed(3, 8)].map(({ event_id: id }) => id)).size).toBe(3);
  });
});
