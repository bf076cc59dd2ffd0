import { describe, expect, it } from "vitest";
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import { ParsedEntries } from "../../../src/engine/journal/parsed-entries.js";

describe("entries that were parsed", () => {
  const entry = (epoch: number): JournaledEvent => ({
    event: {
      "@context": "https://aaep-protocol.org/context/v1",
      type: "acme:report.made",
      event_id: `evt_${epoch}`,
      session_id: "sess_1",
      timestamp: "2026-05-24T14:22:11.342Z",
      producer: { agent_id: "planner" },
    },
    kind: "extension",
    source: undefined,
    at: 0,
    ordinal: epoch,
    made: undefined,
    epoch,
  });

  it("are parsed once while they are at hand, and anew once they were let go of", () => {
    const entries = new ParsedEntries();
    let parses = 0;
    const get = (epoch: number, size = 100): JournaledEvent =>
      entries.get(epoch, size, () => {
        parses += 1;
        return entry(epoch);
      });
    expect(get(1)).toBe(get(1));
    expect(parses).toBe(1);
    entries.drop(1);
    expect(get(1).epoch).toBe(1);
    expect(parses).toBe(2);
  });

  it.each([
    ["their count", 100, 1024],
    ["their text", 64 * 1024, 16],
  ])("are bounded by %s, oldest first", (_, size, most) => {
    const entries = new ParsedEntries();
    const parsed: number[] = [];
    const get = (epoch: number): JournaledEvent =>
      entries.get(epoch, size, () => {
        parsed.push(epoch);
        return entry(epoch);
      });
    for (let epoch = 1; epoch <= most + 1; epoch += 1) get(epoch);
    parsed.length = 0;
    for (let epoch = 2; epoch <= most + 1; epoch += 1) get(epoch);
    expect(parsed).toEqual([]);
    get(1);
    expect(parsed).toEqual([1]);
  });
});
