import { expect, test } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { type PlayedLine, type PlayOptions, play } from "../../../src/cli/recordings/play.js";
import { createVirtualClock, settle } from "../../support/rigs/virtual-clock.js";

interface Sent {
  readonly fields: unknown;
  readonly accept: () => void;
  readonly refuse: (fault: Fault) => void;
}

function stage(count: number, options: Partial<PlayOptions> = {}) {
  const timers = createVirtualClock();
  const sent: Sent[] = [];
  const refusals: string[] = [];
  async function* lines(): AsyncGenerator<PlayedLine> {
    for (let number = 1; number <= count; number += 1) {
      yield { number, fields: { type: "x", session_id: "sess_1", number }, fault: undefined };
    }
  }
  const playing = play({
    client: {
      publish: (fields) =>
        new Promise((resolve, reject) => {
          const accept = () => resolve({ events: [] });
          sent.push({ fields, accept, refuse: reject });
        }),
      closed: new Promise(() => {}),
    },
    lines: lines(),
    restamp: (fields) => fields,
    dueMs: () => 0,
    clock: timers,
    maxUnanswered: 64,
    stopsOnError: false,
    hasEnd: true,
    onRefused: (line, { code }) => refusals.push(`${line} ${code}`),
    ...options,
  });
  return { playing, timers, sent, refusals };
}

test("no more than so many are without an answer", async () => {
  const { playing, sent } = stage(5, { maxUnanswered: 2 });
  await settle();
  expect(sent).toHaveLength(2);
  sent[1]?.accept();
  await settle();
  expect(sent).toHaveLength(3);
  for (let index = 0; index < 5; index += 1) {
    sent[index]?.accept();
    await settle();
  }
  expect(await playing.done).toMatchObject({ acceptedCount: 5, refusedCount: 0, sessionIds: new Set(["sess_1"]) });
});

test("each waits until it is due", async () => {
  const due = [0, 100, 300];
  const { playing, sent, timers } = stage(3, { dueMs: () => due.shift() ?? 0 });
  await settle();
  expect(sent).toHaveLength(1);
  await timers.advanceSettled(99);
  expect(sent).toHaveLength(1);
  await timers.advanceSettled(1);
  expect(sent).toHaveLength(2);
  await timers.advanceSettled(200);
  for (const { accept } of sent) accept();
  expect(await playing.done).toMatchObject({ acceptedCount: 3, durationMs: 300 });
});

test("a refusal is told with its line, and the rest goes on", async () => {
  const { playing, sent, refusals } = stage(3);
  await settle();
  sent[0]?.accept();
  sent[1]?.refuse(new Fault("state_mismatch", "No."));
  sent[2]?.accept();
  expect(await playing.done).toMatchObject({ acceptedCount: 2, refusedCount: 1 });
  expect(refusals).toEqual(["2 state_mismatch"]);
});

test("refusals are told in the order of the lines, also where a line is no event and answers come in another", async () => {
  const event = { type: "x", session_id: "sess_1" };
  async function* lines(): AsyncGenerator<PlayedLine> {
    yield { number: 1, fields: event, fault: undefined };
    yield { number: 2, fields: undefined, fault: new Fault("invalid_json", "No.") };
    yield { number: 3, fields: event, fault: undefined };
  }
  const { playing, sent, refusals } = stage(0, { lines: lines() });
  await settle();
  expect(refusals).toEqual([]);
  sent[1]?.refuse(new Fault("session_ended", "No."));
  await settle();
  sent[0]?.refuse(new Fault("state_mismatch", "No."));
  expect(await playing.done).toMatchObject({ refusedCount: 3 });
  expect(refusals).toEqual(["1 state_mismatch", "2 invalid_json", "3 session_ended"]);
});

test("stopping on an error, nothing is sent after a refusal", async () => {
  const { playing, sent } = stage(3, { stopsOnError: true, maxUnanswered: 1 });
  await settle();
  sent[0]?.refuse(new Fault("state_mismatch", "No."));
  expect(await playing.done).toMatchObject({ acceptedCount: 0, refusedCount: 1, unsentCount: 2 });
  expect(sent).toHaveLength(1);
});

test("stopped, it sends no more and waits for the answers that are due", async () => {
  const due = [0, 60_000];
  const { playing, sent, timers } = stage(2, { dueMs: () => due.shift() ?? 0 });
  await settle();
  playing.stop();
  await settle();
  expect(timers.pending()).toBe(0);
  sent[0]?.accept();
  expect(await playing.done).toMatchObject({ acceptedCount: 1, wasStopped: true, unsentCount: 1 });
  expect(sent).toHaveLength(1);
});

test.each([
  ["stopped again, it does not read on to count the rest", true],
  ["where the rest cannot be read, it ends without its count", false],
])("%s", async (_, isEndless) => {
  let readCount = 0;
  const next = async (): Promise<IteratorResult<PlayedLine>> => {
    readCount += 1;
    await new Promise(setImmediate);
    if (!isEndless && readCount > 1) throw new Error("The disk has errors.");
    return { done: false, value: { number: readCount, fields: { type: "x" }, fault: undefined } };
  };
  const { playing } = stage(0, { lines: { [Symbol.asyncIterator]: () => ({ next }) } });
  playing.stop();
  await expect.poll(() => readCount).toBeGreaterThan(1);
  if (isEndless) playing.stop();
  expect(await playing.done).toMatchObject({ wasStopped: true, unsentCount: undefined });
});

test("stopped while its input says nothing, it ends", async () => {
  const silent: AsyncIterable<PlayedLine> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  const { playing } = stage(0, { lines: silent, hasEnd: false });
  playing.stop();
  expect(await playing.done).toMatchObject({ acceptedCount: 0, wasStopped: true });
});

test("a daemon that goes ends it", async () => {
  const { playing, sent } = stage(6, { maxUnanswered: 3 });
  await settle();
  sent[0]?.refuse(new Fault("storage_unavailable", "Full."));
  await settle();
  for (const { refuse } of sent.slice(1)) refuse(new Fault("peer_gone", "Gone."));
  expect(await playing.done).toMatchObject({
    acceptedCount: 0,
    doubtfulCount: 1,
    unansweredCount: 3,
    unsentCount: 2,
    wasStopped: false,
    gone: { code: "peer_gone" },
  });
});
