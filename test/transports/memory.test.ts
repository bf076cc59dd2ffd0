import { describe, expect, it } from "vitest";
import { createMemoryPair } from "../../transports/memory/memory-pair.js";
import { transportContract } from "../contract/transport-contract.js";
import { takeFrames } from "../support/peers/frames.js";

transportContract({
  name: "memory",
  maxFrameBytes: { unlimitedBecause: "frames are handed over as they are; nothing announces their size" },
  frameOf: (bytes, seed) => new Uint8Array(bytes).fill(seed),
  smallestFrameBytes: 0,
  onTheWire: { notBecause: "there is no wire" },
  trust: "in-process",
  open: async () => {
    const { first, second, sever } = createMemoryPair<Uint8Array>();
    return { server: first, peekable: first, client: second, killClient: sever, stop: async () => {} };
  },
  listenTwice: { notBecause: "a pair has no address" },
});

describe("createMemoryPair", () => {
  it("carries any kind of frame, and answers false above its capacity", async () => {
    const { first, second } = createMemoryPair<{ readonly number: number }>({ capacityFrames: 2 });
    expect([1, 2, 3].map((number) => first.send({ number }))).toEqual([true, true, false]);
    const writable = first.writable();
    expect(await takeFrames(second.frames[Symbol.asyncIterator](), 3)).toEqual([
      { number: 1 },
      { number: 2 },
      { number: 3 },
    ]);
    await writable;
    expect(first.send({ number: 4 })).toBe(true);
  });

  it("breaks where a sender never heeds the answer, so that memory is bounded", async () => {
    const { first, second } = createMemoryPair<number>({ capacityFrames: 1, maxWaitingFrames: 10 });
    for (let number = 0; number < 12; number++) first.send(number);
    expect((await first.closed).fault?.code).toBe("peer_gone");
    expect((await second.closed).kind).toBe("abrupt");
  });

  it("refuses a capacity of nothing", () => {
    expect(() => createMemoryPair({ capacityFrames: 0 })).toThrow(/whole number/);
  });
});
