// Measures a daemon of its own, and prints the report.
import { loadavg } from "node:os";
import { readVersion } from "../../daemon/platform/version.js";
import { EXIT, type ExitCode } from "../shell/exit-codes.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { reflowed } from "../terminal/help-layout.js";
import { jsonText } from "../terminal/json-text.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { terminalColumns, USUAL_COLUMNS } from "../terminal/terminal-width.js";
import { type BenchStage, createStage } from "./bench-stage.js";
import { type BenchPlan, measureCarrying, measureLatency, measureStart, WHOLE_PLAN } from "./measurements.js";
import { type BenchResult, reportDocument, reportLines } from "./report.js";

export interface BenchOptions {
  readonly json?: true;
}

/** `plan` is for tests; default: the whole measurement. */
export function runBench(options: BenchOptions, io: CommandIo, plan: BenchPlan = WHOLE_PLAN): Promise<void> {
  return runCommand(io, () => bench(options, io, plan));
}

async function bench(options: BenchOptions, io: CommandIo, plan: BenchPlan): Promise<ExitCode> {
  const output = createLineWriter(io.stdout);
  const stage = createStage(io.environment);
  let interrupt: (code: undefined) => void = () => {};
  const interrupted = new Promise<undefined>((resolve) => {
    interrupt = resolve;
  });
  const cancelInterrupt = io.onInterrupt(() => interrupt(undefined));
  // Silence for half a minute would look like a hang. A pipe is not told.
  const tell = (text: string): void => {
    if (io.stderr.isTTY === true) io.stderr.write(`${text}\n`);
  };
  try {
    const measuring = measure(stage, plan, tell);
    // Children that were ended by an interrupt are no fault.
    measuring.catch(() => {});
    const result = await Promise.race([interrupted, stage.failed, measuring]);
    if (result === undefined) return EXIT.interrupted;
    const columns = terminalColumns(io.stdout) ?? USUAL_COLUMNS;
    const text = options.json === true ? jsonText(reportDocument(result)) : textOf(result, columns);
    await output.write(text);
    await output.flush();
    return EXIT.ok;
  } finally {
    cancelInterrupt();
    await stage.close();
  }
}

async function measure(stage: BenchStage, plan: BenchPlan, tell: (text: string) => void): Promise<BenchResult> {
  const begin = performance.now();
  const [load = 0] = loadavg();
  tell("This takes about half a minute. Measuring the start.");
  const start = await measureStart(stage, plan);
  const [daemon, relay] = await Promise.all([stage.startDaemon(), stage.startRelay()]);
  tell("Measuring how many events are carried.");
  const carried = await measureCarrying(daemon, relay, plan);
  tell("Measuring how soon critical events arrive.");
  const latency = await measureLatency(daemon, relay, plan);
  const seconds = (performance.now() - begin) / 1000;
  return { version: readVersion(), seconds, load, measured: { ...carried, ...latency, start } };
}

/** Paragraphs as wide as the terminal; the table fits 80 columns. */
function textOf(result: BenchResult, columns: number): string {
  return reportLines(result)
    .map((line) => (/ {2}/.test(line) ? line : reflowed(line, columns)))
    .join("\n");
}
