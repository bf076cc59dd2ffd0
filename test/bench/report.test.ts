// The report is made from what a run has measured and from what its rows say of themselves; nothing of it is written by hand.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import {
  aimedLine,
  atLeast,
  atMost,
  isMet,
  median,
  missingLine,
  percentile,
  ratioLine,
} from "../../bench/measuring.mjs";
import { lineText, reportOf } from "../../bench/report.mjs";
import { ensureBuilt } from "../support/built.js";

const ROOT = new URL("../../", import.meta.url);
const MACHINE = {
  at: "2026-01-02T03:04:05.678Z",
  commit: "abcdef0",
  cpu: "A Processor",
  cores: 2,
  memoryGiB: 24,
  system: "linux 6.1 x64",
  node: "20.19.0",
  disk: { fileSystem: "ext4", syncMicros: 512 },
  pairs: 3,
};
const SECTIONS = [{ name: "one", title: "The first", remarks: "This beside that." }];

function reportWith(lines: readonly object[]): string {
  return reportOf({ ...MACHINE, sections: [{ name: "one", lines }] }, SECTIONS);
}

function rowOf(line: object): string | undefined {
  return reportWith([line])
    .split("\n")
    .find((row) => row.startsWith("| a row"));
}

test("figures are the middle of the values, or what a share of them does not exceed", () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, Number.NaN]);
  const hundred = Array.from({ length: 100 }, (_, index) => 99 - index);
  expect([percentile(hundred, 0.5), percentile(hundred, 0.99), percentile([7], 0.99)]).toEqual([50, 99, 7]);
});

describe("a line", () => {
  const pairs = [
    [10, 5],
    [12, 4],
    [9, 9],
  ];

  test("has both figures, and the median and spread of the pairs' ratios", () => {
    expect(rowOf(ratioLine("a row", "events/s", pairs, atLeast(2)))).toBe(
      "| a row | 10 events/s | 5 | 2 × | 1 to 3 | at least 2 × | met |",
    );
    expect(rowOf(ratioLine("a row", "events/s", pairs, atMost(1.9)))).toContain("| at most 1.9 × | **missed** |");
  });

  test("whose target is about something else says what was reached", () => {
    const above = { unit: "ms above", of: ([ours = 0, beside = 0]: readonly number[]) => ours - beside };
    const line = aimedLine("a row", "ms", pairs, above, atMost(4));
    expect(isMet(line)).toBe(false);
    expect(rowOf(line)).toContain("| at most 4 ms above; 5 ms above (0 to 8) | **missed** |");
  });

  test("without a target has no verdict", () => {
    expect(isMet(ratioLine("a row", "µs", pairs, undefined))).toBeUndefined();
    expect(rowOf(ratioLine("a row", "µs", pairs, undefined))).toBe("| a row | 10 µs | 5 | 2 × | 1 to 3 |  |  |");
  });

  test("that could not be measured says why", () => {
    const line = missingLine("a row", "no such program");
    expect(isMet(line)).toBeUndefined();
    expect(rowOf(line)).toContain("not run: no such program");
    expect(lineText(line)).toContain("not run: no such program");
  });
});

test("the page has the machine, the sections that were measured with their remarks, the notes, and what was missed", () => {
  const page = reportWith([
    ratioLine("a row", "µs", [[3, 1]], atMost(2), { note: "of 7 things" }),
    ratioLine("another", "µs", [[1, 1]], atMost(2)),
  ]);
  for (const part of ["A Processor, 2 cores", "24 GiB", "linux 6.1 x64", "20.19.0", "ext4, 512 µs", "3 pairs a row"]) {
    expect(page).toContain(part);
  }
  expect(page).toContain("## The first\n\nThis beside that.");
  expect(page).toContain("- a row: of 7 things.");
  expect(page).toContain("1 of 2 are met. Missed:\n\n- The first: a row: 3 ×, where the target is at most 2 ×");
});

describe("the rows", () => {
  beforeAll(ensureBuilt);

  test("docs/performance.md names every row", async () => {
    const { SECTIONS: real } = await import("../../bench/sections.mjs");
    const page = readFileSync(new URL("docs/performance.md", ROOT), "utf8");
    const named = /Names of rows: ([^.]+)\./.exec(page)?.[1]?.split(/,\s+/);
    expect(named).toEqual(real.map(({ name }) => name));
  });

  test("every section has a name of its own, and says what is compared with what", async () => {
    const { SECTIONS: real } = await import("../../bench/sections.mjs");
    expect(new Set(real.map(({ name }) => name)).size).toBe(real.length);
    for (const { name, title, remarks } of real) {
      expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      expect(title).not.toBe("");
      expect(remarks.trim().length, name).toBeGreaterThan(40);
    }
  });
});
