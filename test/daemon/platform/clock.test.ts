import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createClock, WAKES_PER_TURN } from "../../../src/daemon/platform/clock.js";
import { createIdSource, sha256Hex } from "../../../src/daemon/platform/ids.js";
import { readVersion } from "../../../src/daemon/platform/version.js";

describe("the platform's clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date", "setImmediate"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("R24: wakes in order, once, and serves all wake-ups with one timer", () => {
    const clock = createClock();
    const woken: string[] = [];
    const start = clock.now();
    clock.wakeAt(start + 30, () => woken.push("c"));
    clock.wakeAt(start + 10, () => woken.push("a"));
    clock.wakeAt(start + 20, () => woken.push("b"));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(25);
    expect(woken).toStrictEqual(["a", "b"]);
    vi.advanceTimersByTime(1000);
    expect(woken).toStrictEqual(["a", "b", "c"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("never wakes early, and leaves no timer behind a cancellation", () => {
    const clock = createClock();
    const at = clock.now() + 10.4;
    let wokenAt = 0;
    clock.wakeAt(at, () => {
      wokenAt = clock.now();
    });
    vi.advanceTimersByTime(50);
    expect(wokenAt).toBeGreaterThanOrEqual(at);
    const cancel = clock.wakeAt(clock.now() + 10, () => {
      throw new Error("cancelled");
    });
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("goes on after a wake-up that throws, and with waits longer than a timer can be", () => {
    const clock = createClock();
    const woken: string[] = [];
    clock.wakeAt(clock.now() + 1, () => {
      throw new Error("once");
    });
    clock.wakeAt(clock.now() + 1, () => woken.push("next"));
    clock.wakeAt(clock.now() + 2 ** 31 + 5000, () => woken.push("far"));
    expect(() => vi.advanceTimersByTime(1)).toThrow("once");
    vi.advanceTimersByTime(1);
    expect(woken).toStrictEqual(["next"]);
    vi.advanceTimersByTime(2 ** 31);
    expect(woken).toStrictEqual(["next"]);
    vi.advanceTimersByTime(5000);
    expect(woken).toStrictEqual(["next", "far"]);
  });

  it("R34: of many wake-ups that are due together so many run in one turn of the event loop, in order; others come between", () => {
    const clock = createClock();
    const count = 3 * WAKES_PER_TURN;
    const woken: number[] = [];
    const inTurn: number[] = [];
    const at = clock.now() + 10;
    for (let index = 0; index < count; index += 1) clock.wakeAt(at, () => woken.push(index));
    clock.wakeAt(at, () => clock.wakeAt(at, () => woken.push(-1)));
    const watch = (): void => {
      inTurn.push(woken.length);
      if (woken.length <= count) clock.afterTurn(watch);
    };
    clock.wakeAt(at - 1, watch);
    vi.advanceTimersByTime(20);
    expect(woken).toStrictEqual([...Array.from({ length: count }, (_, index) => index), -1]);
    const steps = inTurn.map((seen, index) => seen - (inTurn[index - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(WAKES_PER_TURN);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tells the time of day, and runs what is for after this turn after it", () => {
    const clock = createClock();
    expect(clock.wallTime()).toBe(Date.now());
    const ran: string[] = [];
    clock.afterTurn(() => ran.push("after"));
    ran.push("turn");
    vi.runAllTimers();
    expect(ran).toStrictEqual(["turn", "after"]);
  });
});

describe("what is for after what runs now", () => {
  const nextTurn = () => new Promise(setImmediate);

  it("comes in the same turn, together, and a second time only at its end", async () => {
    const clock = createClock();
    const ran: string[] = [];
    await nextTurn();
    setImmediate(() => ran.push("end of turn"));
    clock.afterCall(() => {
      ran.push("first");
      clock.afterCall(() => ran.push("again"));
    });
    clock.afterCall(() => ran.push("together"));
    ran.push("call");
    await nextTurn();
    await nextTurn();
    expect(ran).toStrictEqual(["call", "first", "together", "end of turn", "again"]);
    clock.afterCall(() => ran.push("early once more"));
    await Promise.resolve().then(() => new Promise(process.nextTick));
    expect(ran.at(-1)).toBe("early once more");
  });

  it("comes once, also behind one that throws", async () => {
    vi.useFakeTimers({ toFake: ["setImmediate"] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = createClock();
    const ran: string[] = [];
    clock.afterCall(() => {});
    await new Promise(process.nextTick);
    clock.afterCall(() => {
      ran.push("throws");
      if (ran.length === 1) throw new Error("once");
    });
    clock.afterCall(() => ran.push("behind it"));
    expect(() => vi.runAllTimers()).toThrow("once");
    await new Promise(process.nextTick);
    expect(ran).toStrictEqual(["throws", "behind it"]);
  });
});

describe("ids, hashes and the version", () => {
  it("makes as many hex digits as asked for, different ones", () => {
    const { hex } = createIdSource();
    const ids = Array.from({ length: 100 }, () => hex(16));
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it("hashes the UTF-8 form of a text", () => {
    expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256Hex("ọ̀sán")).toHaveLength(64);
  });

  it("is that of package.json", () => {
    expect(readVersion()).toBe(createRequire(import.meta.url)("../../../package.json").version);
  });
});
