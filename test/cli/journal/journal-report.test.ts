// What `aaepd journal inspect` says, where a journal is empty, young, long or damaged.
import { describe, expect, it } from "vitest";
import type { JournalFacts, SessionFacts } from "../../../src/cli/journal/journal-facts.js";
import { reportLines, sessionLines } from "../../../src/cli/journal/journal-inspect-run.js";
import type { JournalPlace } from "../../../src/cli/journal/read-journal.js";
import { counted, shownBytes } from "../../../src/cli/terminal/amounts.js";

const PLACE: JournalPlace = { path: "/j", writerPid: undefined, diskBytes: 4096 };
const EMPTY: JournalFacts = {
  eventCount: 0,
  bytes: 0,
  oldestAt: undefined,
  newestAt: undefined,
  boots: [],
  sessions: new Map(),
  damaged: [],
};
const AT = Date.parse("2026-05-24T14:00:00Z");
const TIME = "2026-05-24T14:00:00.000Z";

function session(id: string, changes: Partial<SessionFacts> = {}): SessionFacts {
  const counts = { eventCount: 3, missingCount: 0, firstEpoch: 7, lastEpoch: 9, firstAt: AT, lastAt: AT };
  return { sessionId: id, agentId: "planner", agentName: undefined, state: "completed", ...counts, ...changes };
}

function withSessions(count: number): JournalFacts {
  return { ...EMPTY, sessions: new Map(Array.from({ length: count }, (_, at) => [`s${at}`, session(`s${at}`)])) };
}

describe("a report for people", () => {
  it("of an empty journal names what there is none of", () => {
    expect(reportLines(PLACE, EMPTY, false)).toEqual([
      "Journal /j: layout version 5, no daemon writes to it.",
      "0 events.",
      "4.0 KiB on disk, 0 bytes of them events.",
      "Nothing is damaged.",
      "No boot of a daemon.",
      "No session.",
    ]);
  });

  it("names the writer, the boots and the damage", () => {
    const boot = { firstEpoch: 1, lastEpoch: 2, eventCount: 2, firstAt: AT, lastAt: AT + 1000 };
    const damaged = [
      { firstEpoch: 3, eventCount: 1, bytes: 12, afterAt: AT },
      { firstEpoch: 5, eventCount: 2, bytes: 0, afterAt: undefined },
    ];
    const facts: JournalFacts = {
      ...EMPTY,
      eventCount: 2,
      bytes: 80,
      oldestAt: AT,
      newestAt: AT,
      boots: [boot],
      damaged,
    };
    expect(reportLines({ ...PLACE, writerPid: 12 }, facts, false)).toEqual([
      "Journal /j: layout version 5, process 12 writes to it.",
      `2 events, received from ${TIME} to ${TIME}.`,
      "4.0 KiB on disk, 80 bytes of them events.",
      "2 damaged records:",
      `  1 event from epoch 3, 12 bytes, after what was received at ${TIME}`,
      "  2 events from epoch 5, not there, at the beginning",
      "1 boot:",
      `  ${TIME} to 2026-05-24T14:00:01.000Z: 2 events, epochs 1 to 2`,
      "No session.",
    ]);
  });

  it("shows the newest 20 sessions, and how many are before these", () => {
    const shown = (count: number, showsAll: boolean) => reportLines(PLACE, withSessions(count), showsAll).slice(5);
    expect(shown(20, false)).toHaveLength(21);
    expect(shown(20, false)[0]).toBe("20 sessions:");
    const [head, first, ...others] = shown(21, false);
    expect(head).toBe("21 sessions, the newest:");
    expect(first).toBe(`  s1: ended, completed, planner, 3 events, ${TIME} to ${TIME}`);
    expect(others.at(-1)).toBe("  and 1 before these; --all shows them.");
    expect(shown(21, true)[0]).toBe("21 sessions:");
    expect(shown(21, true)).toHaveLength(22);
  });
});

it("a session is told with its agent's name, and with what is missing of it", () => {
  expect(sessionLines(session("s", { state: "open", agentName: "Planner", missingCount: 1 }))).toEqual([
    "Session s: open.",
    "Agent: Planner (planner).",
    `3 events, received from ${TIME} to ${TIME}, epochs 7 to 9.`,
    "1 event of it can no longer be read.",
  ]);
  expect(sessionLines(session("s")).slice(1, 2)).toEqual(["Agent: planner."]);
  expect(sessionLines(session("s")).at(-1)).toBe("Nothing of it is missing.");
});

it("bytes are shown in the largest unit of which there is one", () => {
  const units = [0, 1023, 1024, 1024 ** 2 - 1, 1024 ** 2, 1024 ** 3, 1024 ** 4, 1024 ** 5];
  expect(units.map(shownBytes)).toEqual([
    "0 bytes",
    "1023 bytes",
    "1.0 KiB",
    "1024.0 KiB",
    "1.0 MiB",
    "1.0 GiB",
    "1.0 TiB",
    "1024.0 TiB",
  ]);
  expect([counted(0, "event"), counted(1, "event"), counted(2, "event")]).toEqual(["0 events", "1 event", "2 events"]);
});
