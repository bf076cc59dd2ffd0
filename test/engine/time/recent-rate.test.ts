import { expect, it } from "vitest";
import { RecentRate } from "../../../src/engine/time/recent-rate.js";

it("answers what came in the last ten whole seconds, by the second", () => {
  const rate = new RecentRate(0);
  for (let second = 0; second < 20; second += 1) rate.note(second, second * 1000 + 500);
  // The twentieth second is under way; of those before it the last ten count.
  expect(rate.perSecond(19_999)).toBe((9 + 18) / 2);
  expect(rate.perSecond(20_000)).toBe((10 + 19) / 2);
  expect(rate.total).toBe(190);
});

it("has forgotten everything after ten seconds of silence, however long that lasts", () => {
  const rate = new RecentRate(0);
  rate.note(1000, 500);
  expect(rate.perSecond(10_999)).toBe(100);
  expect(rate.perSecond(11_000)).toBe(0);
  rate.note(7, 5_000_000_000);
  expect(rate.perSecond(5_000_001_000)).toBe(0.7);
  expect(rate.total).toBe(1007);
});
