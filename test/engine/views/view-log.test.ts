// The batches that subscriptions at one place of a view share (R34).
import { describe, expect, it } from "vitest";
import { Delivery } from "../../../src/engine/views/delivery.js";
import { eventUnit, RenderedEntry } from "../../../src/engine/views/unit.js";
import { ViewLog } from "../../../src/engine/views/view-log.js";
import { BASE, textUnit } from "../../support/rigs/text-unit.js";

function logOf(count: number, text: string) {
  const log = new ViewLog(
    { wordWork: 0, deliveryOf: (unit) => new Delivery(BASE, unit.epoch, unit.at, undefined) },
    16_384,
  );
  for (let index = 0; index < count; index += 1) log.append(textUnit(index, text));
  const sizes: number[] = [];
  for (let from = 0; from < log.end; from += sizes.at(-1) ?? 1)
    sizes.push(log.batch(from)?.batch.deliveries.length ?? 0);
  return { log, sizes };
}

describe("R34: a batch", () => {
  it("has at most 256 units", () => {
    expect(logOf(600, "small ").sizes).toEqual([256, 256, 88]);
  });

  it("ends with the unit that reaches 64 KiB", () => {
    expect(logOf(5, "x".repeat(40 * 1024)).sizes).toEqual([2, 2, 1]);
    expect(logOf(2, "x".repeat(100 * 1024)).sizes).toEqual([1, 1]);
  });

  it("is one object for equal requests, and another one when units came to it", () => {
    const { log } = logOf(300, "small ");
    const full = log.batch(0);
    const rest = log.batch(256);
    expect([log.batch(0), log.batch(256)]).toEqual([full, rest]);
    expect(log.batch(0)).toBe(full);
    expect(log.batch(256)).toBe(rest);
    log.append(textUnit(300, "one more"));
    expect(log.batch(0)).toBe(full);
    expect(log.batch(256)).not.toBe(rest);
    expect(log.batch(256)?.next).toBe(301);
  });
});

describe("R18: critical units", () => {
  it("are found from any place, unless more than 1,000 stand behind it: those keep their place", () => {
    const log = new ViewLog(
      { wordWork: 0, deliveryOf: (unit) => new Delivery(BASE, unit.epoch, unit.at, undefined) },
      16_384,
    );
    const event = { ...BASE, urgency: "critical" as const };
    const entry = { event, kind: "extension", source: undefined, at: 0, ordinal: 1, made: undefined } as const;
    const critical = (): void => log.append(eventUnit(new RenderedEntry({ ...entry, epoch: log.end })));
    for (let index = 0; index < 1000; index += 1) {
      critical();
      log.append(textUnit(index, "x"));
    }
    expect([0, 1, 2, 999, 1998, 1999].map((from) => log.criticalFrom(from)?.index)).toEqual([
      0,
      2,
      2,
      1000,
      1998,
      undefined,
    ]);
    critical();
    expect([0, 1, 2].map((from) => log.criticalFrom(from)?.index)).toEqual([undefined, 2, 2]);
  });
});
