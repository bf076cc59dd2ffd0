// Messages are written straight to the stream below a call, and through the library where that is not found.
import { expect, it } from "vitest";
import type { FrameBatch } from "../../../src/contracts/transport.js";
import { createCallWriter } from "../../../transports/grpc/call-writer.js";

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
