// Requests in front of a provider, and those that it loses when it ends.
import { describe, expect, it } from "vitest";
import { createForwarding } from "../../../src/protocols/a2e/providers/forwarding.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

describe("a provider's end", () => {
  it("R34: thousands of requests are lost over several turns, each once", () => {
    const lost: string[] = [];
    const turns: (() => void)[] = [];
    const clock = createVirtualClock();
    let ids = 0;
    const forwarding = createForwarding({
      send: () => true,
      newId: () => {
        ids += 1;
        return `r${ids}`;
      },
      maxParallel: () => 10,
      announced: () => {},
      clock: { ...clock, afterTurn: (run) => void turns.push(run) },
    });
    for (let index = 0; index < 1000; index += 1)
      forwarding.request(JSON.stringify({ id: "a" }), {
        event: () => {},
        answered: () => {},
        refused: () => {},
        unreadable: () => {},
        lost: () => void lost.push(String(index)),
      });
    forwarding.ended("gone");
    const perTurn = [lost.length];
    for (let run = turns.shift(); run !== undefined; run = turns.shift()) {
      const before = lost.length;
      run();
      perTurn.push(lost.length - before);
    }
    expect(lost).toEqual(Array.from({ length: 1000 }, (_, index) => String(index)));
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(64);
    expect(forwarding.count()).toBe(0);
  });
});

describe("requests in front of a provider", () => {
  const NEWS = { event: () => {}, answered: () => {}, refused: () => {}, unreadable: () => {} };

  function forwardingTo(send: (text: string) => boolean) {
    const lost: string[] = [];
    const clock = createVirtualClock();
    let ids = 0;
    const forwarding = createForwarding({
      send,
      newId: () => {
        ids += 1;
        return `r${ids}`;
      },
      maxParallel: () => 1,
      announced: () => {},
      clock,
    });
    const request = (text: string) => forwarding.request(text, { ...NEWS, lost: (why) => void lost.push(why) });
    return { forwarding, lost, request, clock };
  }

  it("are at most 4,096, and 32 MiB", () => {
    const { forwarding, lost, request } = forwardingTo(() => true);
    for (let index = 0; index < 4097; index += 1) request("{}");
    expect(lost).toEqual([]);
    request("{}");
    expect([lost.length, forwarding.count()]).toEqual([1, 4097]);
    const long = forwardingTo(() => true);
    const text = JSON.stringify({ long: "x".repeat(1024 * 1024) });
    const all = Array.from({ length: 40 }, () => long.request(text));
    expect(long.lost.length).toBe(40 - 1 - 31);
    for (const one of all) one.forget();
    long.clock.advance(60_000);
    expect(long.forwarding.count()).toBe(0);
    for (let index = 0; index < 20; index += 1) long.request(text);
    expect(long.lost.length).toBe(40 - 1 - 31);
  });

  it("a request that nobody waits for any more has its slot until the provider has answered, or for a minute", () => {
    const texts: string[] = [];
    const { forwarding, request, clock } = forwardingTo((text) => {
      texts.push(text);
      return true;
    });
    const [first] = [request("{}"), request("{}"), request("{}")];
    first.forget();
    expect([texts.length, forwarding.count()]).toEqual([1, 3]);
    forwarding.receive({ type: "tool/call/resp", req_id: "r1" }, "");
    expect([texts.length, forwarding.count()]).toEqual([2, 2]);
    forwarding.receive({ type: "tool/call/resp", req_id: "r1" }, "");
    expect(texts.length).toBe(2);
    const [second] = [request("{}")];
    second.forget();
    forwarding.receive({ type: "error", req_id: "r2" }, "");
    expect([texts.length, forwarding.count()]).toEqual([3, 1]);
    clock.advance(59_999);
    expect(forwarding.count()).toBe(1);
  });
});
