import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { runBench } from "../../../src/cli/bench/bench-run.js";
import { median, percentile } from "../../../src/cli/bench/figures.js";
import { type BenchPlan, MEASURES, type Measure, type Measured } from "../../../src/cli/bench/measurements.js";
import { figure, reportDocument, reportLines } from "../../../src/cli/bench/report.js";
import { usualRatio, verdictOf } from "../../../src/cli/bench/usual.js";
import { ensureBuilt } from "../../support/built.js";
import { itInFull } from "../../support/extent.js";
import { startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, eventually } from "../command-stage.js";

beforeAll(ensureBuilt, 120_000);

/** Everything once, and as little as possible. */
const SMALL: BenchPlan = {
  startPairs: 1,
  carryPairs: 1,
  carryMs: 20,
  latencyPairs: 1,
  latencyEvents: 5,
  listeners: 3,
};

/** All measures with the ratios that these have. */
function measuredWith(ratios: Partial<Record<Measure, number>>): Record<Measure, Measured> {
  const of = (measure: Measure): Measured => {
    const { least, most } = usualRatio(measure);
    const ratio = ratios[measure] ?? (least + most) / 2;
    return { daemon: 1000 * ratio, bare: 1000, ratio };
  };
  return Object.fromEntries(MEASURES.map((measure) => [measure, of(measure)])) as Record<Measure, Measured>;
}

describe("figures", () => {
  it("are the middle of the values, or what a share of them does not exceed", () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, Number.NaN]);
    const hundred = Array.from({ length: 100 }, (_, index) => 99 - index);
    expect([percentile(hundred, 0.5), percentile(hundred, 0.99), percentile([7], 0.99)]).toEqual([50, 99, 7]);
  });

  it("have three digits", () => {
    expect([59_817.7, 15.654, 0.27193, 0.0012345, 7].map(figure)).toEqual(["59,800", "15.7", "0.272", "0.00123", "7"]);
  });
});

describe("a report", () => {
  it("has a table that fits 80 columns, and a paragraph with the verdict for each line", () => {
    const lines = reportLines({ version: "1.2.3", seconds: 24.4, load: 0, measured: measuredWith({}) });
    expect(lines[0]).toMatch(/^aaepd 1\.2\.3 on .*, \d+ cores, Node \d+\.\d+\.\d+, \w+ \w+\.$/);
    expect(lines[1]).toContain("Measured in 24 seconds");
    const table = lines.slice(4, 5 + MEASURES.length);
    for (const line of table) expect(line.length).toBeLessThanOrEqual(80);
    expect(table[0]).toMatch(/^ +daemon +bare +ratio$/);
    for (const line of table.slice(1)) expect(line).toMatch(/^\S.* {2,}[\d.,]+ +1,000 +[\d.,]+$/);
    expect(lines.filter((line) => line.endsWith(": as usual."))).toHaveLength(MEASURES.length);
    expect(lines[2]).toBe("Nothing is worse than usual.");
  });

  it("says what is worse and what is better than usual, whichever way a line is better", () => {
    const { events_per_second: events, start } = {
      events_per_second: usualRatio("events_per_second"),
      start: usualRatio("start"),
    };
    const worse = measuredWith({ events_per_second: events.least / 2, start: start.most * 2 });
    const lines = reportLines({ version: "1.2.3", seconds: 24, load: 0, measured: worse });
    expect(lines.filter((line) => line.endsWith(": worse than usual."))).toHaveLength(2);
    expect(lines[2]).toBe("2 of 6 lines are worse than usual. Run it again, and then aaepd doctor.");
    expect(verdictOf("events_per_second", events.most * 2)).toBe("better");
    expect(verdictOf("start", start.least / 2)).toBe("better");
    expect(verdictOf("start", start.most)).toBe("usual");
    expect(reportDocument({ version: "1.2.3", seconds: 24, load: 0, measured: worse })).toMatchObject({
      lines: MEASURES.map((name) => ({
        name,
        verdict: ["events_per_second", "start"].includes(name) ? "worse" : "usual",
      })),
    });
  });
});

it("a report says that the machine was busy, and that its figures say little", () => {
  const busy = reportLines({ version: "1.2.3", seconds: 24, load: 500, measured: measuredWith({}) });
  expect(busy[2]).toMatch(
    /^Nothing is worse than usual\. Other programs kept the processors busy before \(a load of 500 on \d+ cores\)/,
  );
});

describe("aaepd bench", () => {
  it("measures a daemon of its own, and leaves nothing", async () => {
    const home = temporaryDirectory();
    const stage = createStage({ environment: { HOME: home, PATH: process.env.PATH, AAEPD_BURST: "no number" } });
    await runBench({ json: true }, stage.io, SMALL);
    expect([stage.err(), stage.exitCode()]).toEqual(["", 0]);
    const { lines, cores, seconds } = JSON.parse(stage.out());
    expect([cores > 0, seconds > 0]).toEqual([true, true]);
    expect(lines.map(({ name }: { name: string }) => name)).toEqual([...MEASURES]);
    for (const { name, daemon, bare } of lines) {
      expect(daemon, name).not.toBeNaN();
      if (name !== "cpu_of_further_listener") expect(Math.min(daemon, bare), name).toBeGreaterThan(0);
    }
    expect(readdirSync(home)).toEqual([]);
  });

  it("prints sentences as wide as the terminal, and tells a terminal that it works", async () => {
    const stage = createStage({ environment: { HOME: temporaryDirectory(), PATH: process.env.PATH }, columns: 100 });
    Object.assign(stage.io.stderr, { isTTY: true });
    await runBench({}, stage.io, SMALL);
    for (const line of stage.out().split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(stage.out()).toContain("Events a second to one listener: An agent publishes");
    expect(stage.err().split("\n")).toEqual([
      "This takes about half a minute. Measuring the start.",
      "Measuring how many events are carried.",
      "Measuring how soon critical events arrive.",
      "",
    ]);
  });

  it("ends its children and removes its folder when it is interrupted", async () => {
    const stage = createStage({ environment: { HOME: temporaryDirectory(), PATH: process.env.PATH } });
    Object.assign(stage.io.stderr, { isTTY: true });
    const running = runBench({}, stage.io, { ...SMALL, carryMs: 600_000 });
    await eventually(() => expect(stage.err()).toContain("carried"));
    stage.interrupt();
    await running;
    expect([stage.exitCode(), stage.out()]).toEqual([130, ""]);
  });

  itInFull("says so when its daemon is lost, and leaves no folder", async () => {
    const folder = temporaryDirectory();
    const program = startProgram(["bench"], { environment: { TMPDIR: folder } });
    const daemons = (): readonly string[] => {
      const { stdout } = spawnSync("ps", ["-o", "pid=,args=", "--ppid", String(program.child.pid)], {
        encoding: "utf8",
      });
      // The daemon of the measurement, and not one whose start is measured.
      return stdout.split("\n").filter((line) => line.includes("--import") && line.includes(" serve "));
    };
    await eventually(() => expect(daemons()).toHaveLength(1));
    process.kill(Number.parseInt(daemons()[0] ?? "", 10), "SIGKILL");
    expect((await program.ended).code).toBe(1);
    expect(program.stderr()).toMatch(/^Error: A process of the measurement was killed\. .*Run aaepd doctor/);
    expect(readdirSync(folder)).toEqual([]);
  });

  itInFull("prints one table and its meaning, and is silent about its progress in a pipe", async () => {
    const folder = temporaryDirectory();
    const program = startProgram(["bench"], { environment: { TMPDIR: folder } });
    expect((await program.ended).code).toBe(0);
    expect(
      program
        .stdout()
        .split("\n")
        .filter((line) => / {2,}[\d.,]+ +[\d.,]+ +[\d.,]+$/.test(line)),
    ).toHaveLength(6);
    expect(program.stderr()).toBe("");
    expect(readdirSync(folder)).toEqual([]);
  });
});
