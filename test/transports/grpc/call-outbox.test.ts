// How messages of a call leave, and how many bytes of them may wait.
import { expect, it, vi } from "vitest";
import type { FrameBatch } from "../../../src/contracts/transport.js";
import { createCallOutbox } from "../../../transports/grpc/call-outbox.js";

const runOf = (...frames: readonly string[]): FrameBatch<Uint8Array> => ({
  frames: frames.map((frame) => Buffer.from(frame)),
  joined: new Map(),
});

/** A call that keeps what is written to it until it is told to let it leave. */
function heldCall() {
  const written: string[] = [];
  const left: (() => void)[] = [];
  const sendMessage = (message: Buffer, done: () => void): void => {
    written.push(String(message));
    left.push(done);
  };
  return { call: { sendMessage }, written, left };
}

const UNLIMITED = { overflowed: () => {} };

it.each([
  { joinsBatches: false, messages: ["one", "two", "three"] },
  { joinsBatches: true, messages: ["onetwothree"] },
])("the messages of a batch are made once for all calls; joined: $joinsBatches", ({ joinsBatches, messages }) => {
  const batch = runOf("one", "two", "three");
  for (let count = 0; count < 2; count++) {
    const { call, written } = heldCall();
    createCallOutbox(call, { ...UNLIMITED, joinsBatches }).sendBatch(batch);
    expect(written).toEqual(messages);
  }
  expect(batch.joined.size).toBe(1);
});

it("an empty run writes nothing", () => {
  const { call, written } = heldCall();
  createCallOutbox(call, { ...UNLIMITED, joinsBatches: false }).sendBatch(runOf());
  expect(written).toEqual([]);
});

it("bytes wait up to a mark, more than the limit break the call off, and a settled call takes nothing", async () => {
  const { call, written, left } = heldCall();
  const overflowed = vi.fn();
  const outbox = createCallOutbox(call, { joinsBatches: false, overflowed });
  const [mark, limit] = [Buffer.alloc(64 * 1024), Buffer.alloc(16 * 1024 * 1024 - 64 * 1024)];
  const one = Buffer.from("1");
  expect([mark, one].map((frame) => outbox.send(frame))).toEqual([true, false]);
  const freed: string[] = [];
  void outbox.writable().then(() => freed.push("written"));
  await Promise.resolve();
  expect(freed).toEqual([]);
  left[1]?.();
  await Promise.resolve();
  expect(freed).toEqual(["written"]);
  expect(outbox.sendBatch({ frames: [limit], joined: new Map() })).toBe(false);
  expect(overflowed).not.toHaveBeenCalled();
  void outbox.writable().then(() => freed.push("settled"));
  expect(outbox.send(one)).toBe(false);
  expect(overflowed).toHaveBeenCalledOnce();
  outbox.settle();
  await outbox.writable();
  expect(freed).toEqual(["written", "settled"]);
  expect([outbox.send(one), outbox.sendBatch(runOf("late"))]).toEqual([false, false]);
  expect(written.map(({ length }) => length)).toEqual([mark, one, limit, one].map(({ length }) => length));
});
