import { describe, expect, it } from "vitest";
import type { FrameBatch } from "../../../src/contracts/transport.js";
import { enveloped, messagesOf } from "../../../transports/service-calls/batch-messages.js";

const framesOf = (...sizes: readonly number[]): readonly Uint8Array[] =>
  sizes.map((size, index) => new Uint8Array(size).fill(index));
const runOf = (...sizes: readonly number[]): Pick<FrameBatch<Uint8Array>, "frames"> => ({ frames: framesOf(...sizes) });
const sizesOf = (messages: readonly (readonly Uint8Array[])[]) =>
  messages.map((frames) => frames.map(({ length }) => length));

describe("the messages of a run", () => {
  it("have at most 64 frames each", () => {
    const frames = framesOf(...Array.from({ length: 130 }, () => 2));
    const messages = messagesOf({ frames }, true);
    expect(messages.map(({ length }) => length)).toEqual([64, 64, 2]);
    expect(messages.flat()).toEqual(frames);
  });

  it("have at most 1 MiB each, unless one frame alone has more", () => {
    const half = 512 * 1024;
    expect(sizesOf(messagesOf(runOf(half, half, 1), true))).toEqual([[half, half], [1]]);
    expect(sizesOf(messagesOf(runOf(1, 3 * half, 1), true))).toEqual([[1], [3 * half], [1]]);
  });

  it("are as many as its frames where those do not add up, and none where it has none", () => {
    expect(sizesOf(messagesOf(runOf(3, 0, 2), false))).toEqual([[3], [0], [2]]);
    expect(sizesOf(messagesOf(runOf(0, 0, 2), true))).toEqual([[0, 0, 2]]);
    for (const joinsBatches of [true, false]) expect(messagesOf(runOf(), joinsBatches)).toEqual([]);
  });

  it("R17: end with the last frame, which shares a message with no other, whatever room there is", () => {
    const last = new Uint8Array(5);
    for (const joinsBatches of [true, false]) {
      expect(messagesOf({ ...runOf(2, 3), last }, joinsBatches).at(-1)).toEqual([last]);
      expect(sizesOf(messagesOf({ ...runOf(), last }, joinsBatches))).toEqual([[5]]);
    }
    expect(sizesOf(messagesOf({ ...runOf(2, 3), last }, true))).toEqual([[2, 3], [5]]);
  });

  it("copy nothing", () => {
    const frames = framesOf(1, 2);
    const [message] = messagesOf({ frames }, true);
    expect(message?.map((frame, index) => frame === frames[index])).toEqual([true, true]);
  });
});

describe("messages on the wire", () => {
  it("stand back to back, each behind its flag and the length of all its pieces", () => {
    const pieces = framesOf(200, 0, 100);
    const bytes = enveloped([pieces, [], [Uint8Array.of(7)]]);
    const [long, rest] = [Buffer.concat(pieces), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7]];
    expect([...bytes]).toEqual([0, 0, 0, 1, 44, ...long, ...rest]);
    expect([...enveloped([[Uint8Array.of(7)]], 1)]).toEqual([1, 0, 0, 0, 1, 7]);
    expect(enveloped([])).toHaveLength(0);
  });
});
