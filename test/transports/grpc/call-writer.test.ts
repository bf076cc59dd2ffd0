// Messages are written straight to the stream below a call, and through the library where that is not found; how many bytes of them may wait.
import { expect, it } from "vitest";
import type { FrameBatch } from "../../../src/contracts/transport.js";
import { createCallOutbox } from "../../../transports/grpc/call-outbox.js";
import { type CallWriter, createCallWriter } from "../../../transports/grpc/call-writer.js";

const runOf = (...frames: readonly string[]): FrameBatch<Uint8Array> => ({
  frames: frames.map((frame) => Buffer.from(frame)),
  joined: new Map(),
});
const framed = (...messages: readonly string[]) =>
  messages.map((message) => `\0\0\0\0${String.fromCharCode(message.length)}${message}`).join("");

/** A call as the library has it, with its stream where the library keeps it, or elsewhere. */
function callOf({ isStreamKnown }: { isStreamKnown: boolean }) {
  const told: string[] = [];
  const stream = {
    closed: false,
    destroyed: false,
    writableEnded: false,
    close: () => {},
    write: (bytes: Uint8Array, done: () => void) => {
      told.push(`stream: ${Buffer.from(bytes)}`);
      done();
      return true;
    },
  };
  const call = {
    call: isStreamKnown ? { stream } : {},
    sendMetadata: () => void told.push("metadata"),
    write: (message: Buffer, done: () => void) => {
      told.push(`library: ${message}`);
      done();
      return true;
    },
  };
  return { call, stream, told };
}

it.each([
  { joinsBatches: false, written: framed("one", "two", "three") },
  { joinsBatches: true, written: framed("onetwothree") },
])("a batch leaves in one write, framed once for all calls; joined: $joinsBatches", ({ joinsBatches, written }) => {
  const batch = runOf("one", "two", "three");
  const made = [1, 2].map(() => {
    const { call, told } = callOf({ isStreamKnown: true });
    const writer = createCallWriter(call, joinsBatches);
    let left = 0;
    for (const bytes of writer.ofBatch(batch)) writer.write(bytes, () => left++);
    writer.write(writer.ofFrame(Buffer.from("last")), () => left++);
    expect(told).toEqual(["metadata", `stream: ${written}`, `stream: ${framed("last")}`]);
    expect(left).toBe(2);
    return writer.ofBatch(batch);
  });
  expect(made[0]).toBe(made[1]);
});

it("where the stream is not found the library writes, one message after the other", () => {
  const { call, told } = callOf({ isStreamKnown: false });
  const writer = createCallWriter(call, false);
  let left = 0;
  for (const bytes of writer.ofBatch(runOf("one", "two"))) writer.write(bytes, () => left++);
  writer.write(writer.ofFrame(Buffer.from("last")), () => left++);
  expect(told).toEqual(["library: one", "library: two", "library: last"]);
  expect(left).toBe(3);
  const joining = createCallWriter(callOf({ isStreamKnown: false }).call, true);
  expect(joining.ofBatch(runOf("one", "two")).map(String)).toEqual(["onetwo"]);
});

it.each(["closed", "destroyed", "writableEnded"] as const)("nothing is written to a stream that is %s", (state) => {
  const { call, stream, told } = callOf({ isStreamKnown: true });
  const writer = createCallWriter(call, false);
  stream[state] = true;
  let left = 0;
  writer.write(writer.ofFrame(Buffer.from("late")), () => left++);
  expect(left).toBe(1);
  expect(told.filter((one) => one.startsWith("stream"))).toEqual([]);
});

it("an empty run writes nothing", () => {
  const { call } = callOf({ isStreamKnown: true });
  expect(createCallWriter(call, false).ofBatch(runOf())).toEqual([]);
});

it("bytes wait up to a mark, more than the limit break the call off, and a settled call takes nothing", async () => {
  const written: string[] = [];
  const left: (() => void)[] = [];
  const writer: CallWriter = {
    ofFrame: (frame) => Buffer.from(frame),
    ofBatch: ({ frames }) => frames.map((frame) => Buffer.from(frame)),
    write: (bytes, done) => {
      written.push(String(bytes));
      left.push(done);
    },
  };
  let overflows = 0;
  const onOverflow = (): void => {
    overflows += 1;
  };
  const outbox = createCallOutbox(writer, { highWaterMarkBytes: 4, maxBufferedBytes: 8, onOverflow });
  expect(["1234", "5"].map((text) => outbox.send(Buffer.from(text)))).toEqual([true, false]);
  const freed: string[] = [];
  void outbox.writable().then(() => freed.push("written"));
  await Promise.resolve();
  expect(freed).toEqual([]);
  left[1]?.();
  await Promise.resolve();
  expect(freed).toEqual(["written"]);
  expect([outbox.sendBatch(runOf("6789")), overflows]).toEqual([false, 0]);
  void outbox.writable().then(() => freed.push("settled"));
  expect([outbox.send(Buffer.from("0")), overflows]).toEqual([false, 1]);
  outbox.settle();
  await outbox.writable();
  expect(freed).toEqual(["written", "settled"]);
  expect([outbox.send(Buffer.from("late")), outbox.sendBatch(runOf("late"))]).toEqual([false, false]);
  expect(written).toEqual(["1234", "5", "6789", "0"]);
});
