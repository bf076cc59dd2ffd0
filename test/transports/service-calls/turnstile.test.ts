import { describe, expect, it } from "vitest";
import { createTurnstile } from "../../../transports/service-calls/turnstile.js";

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("a turnstile", () => {
  it("lets through as many in a turn as it may, in order, and nobody waits for more than a share of the others", async () => {
    const turnstile = createTurnstile({ now: () => 0, mostATurn: 4, mostWaiting: 100 });
    const begun: string[] = [];
    const flood = {};
    const other = {};
    for (let index = 0; index < 10; index++) turnstile.pass(flood, () => begun.push(`flood ${index}`));
    for (let index = 0; index < 2; index++) turnstile.pass(other, () => begun.push(`other ${index}`));
    expect(begun).toEqual(["flood 0", "flood 1", "flood 2", "flood 3"]);
    await turn();
    expect(begun.slice(4)).toEqual(["flood 4", "other 0", "flood 5", "other 1"]);
    await turn();
    expect(begun.slice(8)).toEqual(["flood 6", "flood 7", "flood 8", "flood 9"]);
    await turn();
    turnstile.pass(other, () => begun.push("at once"));
    expect(begun.at(-1)).toBe("at once");
  });

  it("counts what begins while others wait in the same turn", async () => {
    const turnstile = createTurnstile({ now: () => 0, mostATurn: 2, mostWaiting: 100 });
    const begun: number[] = [];
    const begin = (index: number): void => {
      begun.push(index);
      if (index < 5) turnstile.pass({}, () => begin(index + 1));
    };
    begin(0);
    const counts = [begun.length];
    for (let count = 0; count < 3; count++) {
      await turn();
      counts.push(begun.length);
    }
    expect(counts).toEqual([3, 5, 6, 6]);
  });

  it("refuses what is too much of one, and takes what is another's", async () => {
    const turnstile = createTurnstile({ now: () => 0, mostATurn: 1, mostWaiting: 2 });
    const from = {};
    const begun: string[] = [];
    expect(["a", "b", "c", "d"].map((name) => turnstile.pass(from, () => begun.push(name)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(turnstile.pass({}, () => begun.push("other"))).toBe(true);
    for (let count = 0; count < 4; count++) await turn();
    expect(begun).toEqual(["a", "b", "other", "c"]);
  });
});
