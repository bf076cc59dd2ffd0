import { describe, expect, it } from "vitest";
import { resolveConnectOptions } from "../../../transports/connect/options.js";
import { describeFault } from "./rig.js";

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
