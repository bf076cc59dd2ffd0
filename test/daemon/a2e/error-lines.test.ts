// The standard error of a host in the log.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { logErrorLines } from "../../../src/daemon/a2e/provider-process.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

function written() {
  const source = new PassThrough();
  const clock = createVirtualClock();
  const lines: string[] = [];
  const omitted: unknown[] = [];
  const log = {
    info: ({ line }: Readonly<Record<string, unknown>>) => void lines.push(String(line)),
    warn: ({ lines: count }: Readonly<Record<string, unknown>>) => void omitted.push(count),
  } as unknown as Parameters<typeof logErrorLines>[2]["log"];
  logErrorLines(source, "host", { log, clock });
  return { source, clock, lines, omitted };
}

test("lines are logged whole, whatever pieces they come in, and blank ones are not", () => {
  const { source, lines } = written();
  for (const piece of ["on", "e\ntw", "o\n\n  \nthr", "ee\n"]) source.write(piece);
  expect(lines).toEqual(["one", "two", "three"]);
});

test("R34: a hundred lines a second are logged, of 2,000 characters at most, and the others are counted", () => {
  const { source, clock, lines, omitted } = written();
  source.write(`${"x".repeat(5000)}\n${"y\n".repeat(1000)}`);
  expect([lines.length, lines[0]?.length]).toEqual([100, 2000]);
  clock.pass(1000);
  source.write("z\n");
  expect([lines.at(-1), omitted]).toEqual(["z", [901]]);
});
