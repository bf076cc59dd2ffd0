import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MOST_READ_UNITS } from "../../../src/base/most-read-units.js";
import type { AgentEvent, NewEvent } from "../../../src/engine/event/event.js";
import { createJournalRing } from "../../../src/engine/journal/journal-ring.js";
import { isWhole } from "../../support/extent.js";

const MEBIBYTE = 1024 * 1024;

function eventWith(index: number, fields: Readonly<Record<string, unknown>>): NewEvent {
  const event: AgentEvent = {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "acme:report.made",
    event_id: `evt_${index}`,
    session_id: "sess_1",
    timestamp: "2026-05-24T14:22:11.342Z",
    producer: { agent_id: "planner" },
    ...fields,
  };
  return { event, kind: "extension", source: undefined, at: 0, ordinal: index + 1, made: undefined };
}

/** The default in a whole run, else an eighth. */
const MAX_BYTES = (isWhole ? 32 : 4) * MEBIBYTE;

/** Bytes in memory of the JSON of all events that a ring kept of so many, at most: two bytes a UTF-16 unit. */
function entryBytes(count: number, fields: (index: number) => Readonly<Record<string, unknown>>): number {
  const ring = createJournalRing({ id: "c".repeat(32), firstEpoch: 1, ...(isWhole ? {} : { maxBytes: MAX_BYTES }) });
  for (let index = 0; index < count; index += 1) ring.append([eventWith(index, fields(index))]);
  let bytes = 0;
  for (let index = 0; index < count; index += 1) {
    const entry = ring.find(`evt_${index}`);
    if (entry !== undefined) bytes += 2 * JSON.stringify(entry.event).length;
  }
  return bytes;
}

function nested(depth: number, inner: unknown): unknown {
  return depth === 0 ? inner : { a: nested(depth - 1, inner) };
}

describe("R29: the bytes of the journal in memory are bounded", () => {
  it.each([
    ["one long text", (index: number) => ({ text: `${index}`.padEnd(60_000, "x") })],
    ["text of three bytes a character", (index: number) => ({ text: `${index}`.padEnd(20_000, "語") })],
    ["many short members", (index: number) => ({ list: Array.from({ length: 6000 }, (_, at) => `${index}.${at}`) })],
    ["numbers", (index: number) => ({ list: Array.from({ length: 12_000 }, (_, at) => index + at / 8) })],
    ["a text far down", (index: number) => ({ deep: nested(20, `${index}`.padEnd(60_000, "x")) })],
  ])("R29: events with 60 KB in their extensions stay within the limit: %s", (_, filling) => {
    const kept = entryBytes(isWhole ? 900 : 112, (index) => ({ extensions: { acme: filling(index) } }));
    expect(kept).toBeLessThanOrEqual(MAX_BYTES);
    expect(kept).toBeGreaterThan(MAX_BYTES / 4);
  });

  it("R29: small events are bounded by their count", () => {
    const ring = createJournalRing({ id: "c".repeat(32), firstEpoch: 1, maxEvents: 100 });
    for (let index = 0; index < 250; index += 1) ring.append([eventWith(index, {})]);
    expect([ring.oldest(), ring.head()]).toEqual([151, 250]);
  });
});

describe("R28: an event by its epoch", () => {
  it("is not parsed where it is not among those that are looked for", () => {
    const ring = createJournalRing({ id: "c".repeat(32), firstEpoch: 1 });
    const chunk = { ...eventWith(0, { output_id: "out_1" }), kind: "output.streaming" as const };
    const unnamed = { ...eventWith(1, {}), kind: "output.streaming" as const };
    ring.append([chunk, unnamed, eventWith(2, { output_id: "out_1" })]);
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => void parse.mockRestore());
    const sessionId = "sess_1";
    for (const [epoch, only] of [
      [1, { sessionId: "sess_2" }],
      [1, { sessionId, kind: "state.changed" }],
      [1, { sessionId, kind: "output.streaming", outputId: "out_2" }],
      [1, { sessionId, outputId: "" }],
      [2, { sessionId, outputId: "out_1" }],
      [3, { sessionId, outputId: "out_1" }],
      [4, { sessionId }],
      [0, { sessionId }],
    ] as const)
      expect(ring.at(epoch, only)).toBeUndefined();
    expect(parse).not.toHaveBeenCalled();
    expect(ring.at(1, { sessionId, kind: "output.streaming", outputId: "out_1" })?.event).toEqual(chunk.event);
    expect(ring.at(2, { sessionId, outputId: "" })?.event).toEqual(unnamed.event);
    expect(ring.at(3, { sessionId })?.kind).toBe("extension");
    expect(parse).toHaveBeenCalledTimes(3);
  });
});

describe("R34: a read of long events", () => {
  it("ends with the one that goes over its measure, so that others come between", () => {
    const ring = createJournalRing({ id: "c".repeat(32), firstEpoch: 1 });
    ring.append(Array.from({ length: 40 }, (_, index) => eventWith(index, { text: "x".repeat(60_000) })));
    const epochsAfter = (after: number): readonly number[] => {
      const read = ring.read(after, 256);
      return "kind" in read && read.kind === "events" ? read.events.map(({ epoch }) => epoch) : [];
    };
    const first = epochsAfter(0);
    expect(first).toEqual(Array.from({ length: Math.ceil(MOST_READ_UNITS / 60_200) }, (_, index) => index + 1));
    expect(epochsAfter(first.length)[0]).toBe(first.length + 1);
    expect(epochsAfter(39)).toEqual([40]);
  });
});
