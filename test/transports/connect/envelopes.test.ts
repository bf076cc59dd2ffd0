import { describe, expect, it } from "vitest";
import { ListenResponseSchema } from "#gen/aaep/v1/subscriber_service_pb.js";
import { createEnvelopes } from "../../../transports/connect/envelopes.js";
import { resolveConnectOptions } from "../../../transports/connect/options.js";
import { describeFault } from "./rig.js";

function lengthsOf(envelopes: Buffer): readonly number[] {
  const lengths: number[] = [];
  for (let at = 0; at < envelopes.length; at += 5 + envelopes.readUInt32BE(at + 1))
    lengths.push(envelopes.readUInt32BE(at + 1));
  return lengths;
}

describe("the messages of a run", () => {
  const shared = { type: ListenResponseSchema, isJson: false, isGzip: false };
  const runOf = (...sizes: readonly number[]) => ({
    frames: sizes.map((size) => Buffer.alloc(size, 1)),
    joined: new Map<string, unknown>(),
  });

  it("are many frames in one where those add up", () => {
    const { batch } = createEnvelopes({ ...shared, joinsBatches: true });
    expect(lengthsOf(batch(runOf(...Array.from({ length: 65 }, () => 2))))).toEqual([128, 2]);
  });

  it("are as many as its frames where those do not add up", () => {
    const { batch } = createEnvelopes({ ...shared, joinsBatches: false });
    expect(lengthsOf(batch(runOf(3, 0, 2)))).toEqual([3, 0, 2]);
  });

  it("are made once for all streams of one form", () => {
    const one = runOf(2, 3);
    const made = createEnvelopes({ ...shared, joinsBatches: true }).batch(one);
    expect(createEnvelopes({ ...shared, joinsBatches: true }).batch(one)).toBe(made);
    expect(createEnvelopes({ ...shared, joinsBatches: false }).batch(one)).not.toBe(made);
  });
});

describe("options", () => {
  const needed = {
    methods: [],
    describeFault,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    maxMessageBytes: 1,
    closeTimeoutMs: 0,
  } as const;

  it.each([
    ["maxMessageBytes", 0],
    ["closeTimeoutMs", 2 ** 31],
    ["highWaterMarkBytes", 17 * 1024 * 1024],
    ["maxBufferedBytes", 0],
    ["maxBufferedBytes", Number.MAX_SAFE_INTEGER + 1],
  ])("%s may not be %d", (name, value) => {
    expect(() => resolveConnectOptions({ ...needed, [name]: value })).toThrow(/\[usage\]/);
  });

  it("silentConnectionMs may not be 0", () => {
    expect(() => resolveConnectOptions({ ...needed, silentConnectionMs: () => 0 })).toThrow(/\[usage\]/);
  });
});
