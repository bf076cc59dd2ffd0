// the problems in the status, and their words.
import { expect, it } from "vitest";
import { problemsOf } from "../../../src/daemon/status/status-problems.js";
import type { EngineReport } from "../../../src/engine/engine-status.js";

const NOW = Date.parse("2026-05-24T14:00:00.000Z");

interface Slow {
  readonly id?: string;
  readonly ms?: number;
  readonly events?: number;
  readonly behindSince?: number;
  readonly untaken?: number;
}

function problems(
  slow: readonly Slow[],
  others: object = {},
  auditTrouble: Parameters<typeof problemsOf>[1]["auditTrouble"] = undefined,
  hostsDown: readonly { name: string; lastEnd: string }[] = [],
) {
  const report = {
    journal: { failure: undefined, disk: undefined },
    questions: [],
    limits: { lag: { maxMs: 60_000, maxEvents: 1 } },
    subscriptions: slow.map(({ id = "reader", ms = 0, events = 0, behindSince, untaken = 0 }) => ({
      subscriptionId: `sub_${id}`,
      subscriberId: id,
      lag: { ms, eventCount: events },
      behindSince,
      untakenCount: untaken,
    })),
    ...others,
  } as unknown as EngineReport;
  return problemsOf(report, { now: NOW, auditTrouble, hostsDown });
}

it("a subscriber is slow from two seconds on, or while it reads from the journal", () => {
  expect(problems([{ ms: 1999, events: 50 }])).toEqual([]);
  expect(problems([{ ms: 2000, events: 1 }])).toEqual([
    {
      grade: "advice",
      code: "slow_subscriber",
      message: "reader takes too slowly: it has taken nothing for 2 s, in which 1 event came.",
      remedy:
        "See whether the program reads. After 60 s or 1 event without taking any it is closed, and can resume (docs/slow-subscribers.md).",
      subscription_id: "sub_reader",
      subscriber_id: "reader",
      since: "2026-05-24T13:59:58.000Z",
    },
  ]);
  expect(problems([{ behindSince: NOW - 9000, untaken: 40 }])).toMatchObject([
    {
      message: "reader takes too slowly: it reads from the journal and is 40 events behind.",
      remedy:
        "Nothing is lost while the journal holds it. A lower rate, filters or coarser boundaries let it keep up (docs/slow-subscribers.md).",
      since: "2026-05-24T13:59:51.000Z",
    },
  ]);
  expect(problems([{ ms: 3000, events: 0, behindSince: NOW - 9000, untaken: 1 }])[0]).toMatchObject({
    message:
      "reader takes too slowly: it has taken nothing for 3 s, in which 0 events came; it reads from the journal and is 1 event behind.",
    since: "2026-05-24T13:59:51.000Z",
  });
});

it("twenty slow subscribers are named, the slowest first, and the others counted", () => {
  const slow = Array.from({ length: 23 }, (_, index) => ({ id: `r${index}`, ms: 2000 + index }));
  const told = problems(slow);
  expect(told.map((one) => one.subscriber_id)).toEqual([
    ...Array.from({ length: 20 }, (_, index) => `r${22 - index}`),
    undefined,
  ]);
  expect(told.at(-1)?.message).toBe("3 more subscribers take too slowly.");
  expect(problems(slow.slice(0, 20))).toHaveLength(20);
});

it("the journal comes first, then questions without anybody, then the audit log", () => {
  const journal = {
    failure: { reason: "The disk is full.", remedy: "Make room." },
    disk: { path: "/j/journal.mdb", policy: "os" },
  };
  const questions = [{ ableCount: 0 }, { ableCount: 1 }];
  const auditTrouble = { reason: "ENOSPC: no space left", waitingCount: 4, leftOutCount: 3 };
  expect(
    problems([{ ms: 5000 }], { journal, questions }, auditTrouble).map(({ code, message }) => [code, message]),
  ).toEqual([
    ["journal_failing", "The journal /j/journal.mdb cannot be written. The disk is full."],
    ["slow_subscriber", "reader takes too slowly: it has taken nothing for 5 s, in which 0 events came."],
    ["nobody_can_answer", "A question is open that no subscriber can answer."],
    ["audit_failing", "The audit log cannot be written (ENOSPC: no space left). Lines that wait: 4; left out: 3."],
  ]);
  const inMemory = { journal: { ...journal, disk: undefined }, questions: [{ ableCount: 0 }, { ableCount: 0 }] };
  expect(problems([], inMemory).map(({ message, remedy }) => [message, remedy])).toEqual([
    [
      "The journal cannot be written. The disk is full.",
      "Make room. Until then agents' events are refused; delivery goes on.",
    ],
    [
      "2 questions are open that no subscriber can answer.",
      "Start assistive technology that can, or answer with: aaepd tail --interactive. Else the default applies.",
    ],
  ]);
});

it("an audit log that is only too slow is told as such", () => {
  expect(problems([], {}, { reason: undefined, waitingCount: 9, leftOutCount: 1 })[0]?.message).toBe(
    "The audit log is slower than what it has to record. Lines that wait: 9; left out: 1.",
  );
});

it("an A2E host that is not there is told with its end", () => {
  expect(problems([], {}, undefined, [{ name: "files", lastEnd: "ended with code 3" }])).toEqual([
    {
      grade: "advice",
      code: "a2e_host_down",
      message: "The A2E host files is not there: it ended with code 3. The daemon starts it again.",
      remedy: "See its lines in the daemon's log, and run its command by hand (docs/a2e.md).",
    },
  ]);
});
