import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { createLog, type LogLevel, type LogOptions } from "../../../src/daemon/platform/log.js";

function logInto(level: LogLevel, options: LogOptions = {}) {
  const lines: string[] = [];
  const stream = {
    writableLength: 0,
    write: (line: string) => {
      lines.push(line);
      return true;
    },
  };
  const log = createLog(level, { stream, ...options });
  const parsed = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, stream, parsed };
}

describe("log", () => {
  it("writes one line of JSON with level, time and pid", () => {
    const { log, lines, parsed } = logInto("info");
    log.info({ peer: "stdio" }, "connected");
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    expect(parsed()[0]).toMatchObject({ level: "info", pid: process.pid, peer: "stdio", msg: "connected" });
    expect(Date.parse(String(parsed()[0]?.time))).not.toBeNaN();
    log.error({ err: new Fault("internal", "Broken.") }, "e");
    expect(parsed()[1]).toMatchObject({ level: "error", err: { code: "internal" } });
  });

  it("a line has no character that some reader takes for its end", () => {
    const { log, lines, parsed } = logInto("info");
    const peer = "a\u2028b\u2029c\u0085d";
    log.info({ peer }, "connected");
    expect(lines[0]).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(parsed()[0]).toMatchObject({ peer });
  });

  it("R8b: keeps to another level from the moment that it is set", () => {
    const { log, parsed } = logInto("warn");
    const { debug, info } = log;
    info({}, "before");
    log.warn({}, "w");
    log.setLevel("debug");
    debug({}, "d");
    log.setLevel("error");
    log.warn({}, "after");
    log.setLevel("off");
    log.error({}, "after");
    log.setLevel("info");
    info({}, "i");
    expect(parsed().map(({ level, msg }) => [level, msg])).toStrictEqual([
      ["warn", "w"],
      ["debug", "d"],
      ["info", "i"],
    ]);
  });

  it("loses lines rather than wait for a reader, counts them, and says so afterwards", () => {
    const { log, stream, parsed } = logInto("info", { maxWaitingBytes: 100 });
    log.info({}, "first");
    stream.writableLength = 100;
    for (let i = 0; i < 5; i++) log.info({ i }, "lost");
    stream.writableLength = 0;
    log.info({}, "second");
    expect(log.droppedCount()).toBe(5);
    expect(parsed().map(({ msg, dropped }) => [msg, dropped])).toStrictEqual([
      ["first", undefined],
      ["log lines were lost", 5],
      ["second", undefined],
    ]);
  });

  it("writes no more than so many lines a second", () => {
    let now = 0;
    const { log, lines } = logInto("info", { maxLinesPerSecond: 10, now: () => now });
    for (let i = 0; i < 100; i++) log.info({ i }, "flood");
    expect(lines).toHaveLength(10);
    now = 1000;
    log.info({}, "later");
    expect(lines).toHaveLength(12);
    expect(log.droppedCount()).toBe(90);
  });

  it("a flood of warnings, which peers cause, leaves room for errors, and a flood of errors has an end", () => {
    const { log, parsed } = logInto("info", { maxLinesPerSecond: 10, now: () => 0 });
    for (let i = 0; i < 100; i++) log.warn({ i }, "flood");
    log.error({}, "grave");
    expect(parsed().slice(-2)).toMatchObject([
      { msg: "log lines were lost", dropped: 90 },
      { level: "error", msg: "grave" },
    ]);
    for (let i = 0; i < 100; i++) log.error({ i }, "flood");
    expect(parsed().filter(({ level }) => level === "error")).toHaveLength(9);
  });

  it("writes a field to its fifth level and its hundredth member", () => {
    const { log, parsed } = logInto("info");
    log.info({ deep: { b: { c: { d: { e: { f: 1 } } } } }, wide: Array.from({ length: 102 }, () => 1) }, "much");
    expect(parsed()[0]).toMatchObject({
      deep: { b: { c: { d: { e: "[Object]" } } } },
      wide: [...Array.from({ length: 100 }, () => 1), "... 1 item not stringified"],
    });
  });

  it("never throws, whatever it is given", () => {
    const { log } = logInto("info");
    const circular: Record<string, unknown> = { big: 1n };
    circular.self = circular;
    const hostile = {
      get trap(): string {
        throw new Error("trap");
      },
    };
    expect(() => log.info(circular, "circular")).not.toThrow();
    expect(() => log.info(hostile, "hostile")).not.toThrow();
    const broken = createLog("info", {
      stream: {
        writableLength: 0,
        write: () => {
          throw new Error("closed");
        },
      },
    });
    expect(() => broken.error({}, "into nothing")).not.toThrow();
  });

  it("waits for a slow reader only so long", async () => {
    const { log, stream } = logInto("info");
    stream.writableLength = 1;
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let flushes = 0;
    const flush = () => void log.flush(20).then(() => (flushes += 1));
    flush();
    await vi.advanceTimersByTimeAsync(19);
    expect(flushes).toBe(0);
    await vi.advanceTimersByTimeAsync(5);
    expect(flushes).toBe(1);
    flush();
    stream.writableLength = 0;
    await vi.advanceTimersByTimeAsync(5);
    expect(flushes).toBe(2);
  });
});
