// The report of a measurement: one table, and sentences that say what each line means and what is usual.
import { cpus } from "node:os";
import type { Measure, Measured } from "./measurements.js";
import { MEASURES } from "./measurements.js";
import { usualRatio, type Verdict, verdictOf } from "./usual.js";

export interface BenchResult {
  readonly version: string;
  readonly seconds: number;
  /** The load of the machine over the minute before, as the system counts it: 1 keeps one core busy. 0 if the system does not tell. */
  readonly load: number;
  readonly measured: Readonly<Record<Measure, Measured>>;
}

interface Row {
  readonly title: string;
  readonly unit: string;
  /** The meaning of the daemon's figure. */
  readonly meaning: (daemon: number) => string;
}

/** Tokens a second of a fast agent. */
const TOKENS_PER_SECOND = 100;

const ROWS: Readonly<Record<Measure, Row>> = {
  events_per_second: {
    title: "Events a second to one listener",
    unit: "events/s",
    meaning: (daemon) =>
      `An agent publishes, the daemon checks and keeps each event, and one listener gets it. An agent that streams ${TOKENS_PER_SECOND} tokens a second needs ${TOKENS_PER_SECOND} events a second. This machine carries about ${figure(Math.floor(daemon / TOKENS_PER_SECOND))} such agents.`,
  },
  cpu_of_event: {
    title: "Processor time of an event, µs",
    unit: "µs",
    meaning: (daemon) =>
      `An agent that streams ${TOKENS_PER_SECOND} tokens a second therefore takes ${figure((daemon * TOKENS_PER_SECOND) / 10_000)} percent of one core. The relay takes so little because it reads nothing and copies many events at once.`,
  },
  cpu_of_further_listener: {
    title: "A further listener, µs an event",
    unit: "µs",
    meaning: (daemon) =>
      `Each further listener with equal terms adds this processor time to each event. Ten more listeners add ${figure(daemon * 10)} µs.`,
  },
  critical_p50: {
    title: "Critical event, half within, ms",
    unit: "ms",
    meaning: (daemon) =>
      `Half of all critical events, such as questions and errors, arrive at a listener within ${figure(daemon)} ms while nothing else happens.`,
  },
  critical_p99: {
    title: "Critical event, 99 of 100 within, ms",
    unit: "ms",
    meaning: (daemon) =>
      `99 of 100 critical events arrive within ${figure(daemon)} ms. Other programs of this machine delay the slowest.`,
  },
  start: {
    title: "Start to first subscription, ms",
    unit: "ms",
    meaning: (daemon) =>
      `A listener is accepted ${figure(daemon)} ms after the start of aaepd serve. The bare figure is a start of Node without a program.`,
  },
};

/** The machine, without its owner: "Intel Xeon, 2 cores, Node 20.19.0, linux x64". */
export function machineText(): string {
  const [first] = cpus();
  const model = first?.model.replace(/\s+/g, " ").trim() || "unknown processor";
  return `${model}, ${cpus().length} cores, Node ${process.versions.node}, ${process.platform} ${process.arch}`;
}

export function reportLines({ version, seconds, load, measured }: BenchResult): readonly string[] {
  const titles = Math.max(...MEASURES.map((measure) => ROWS[measure].title.length));
  const line = (title: string, cells: readonly string[]): string =>
    [title.padEnd(titles), ...cells.map((cell) => cell.padStart(11))].join("").trimEnd();
  return [
    `aaepd ${version} on ${machineText()}.`,
    `Measured in ${Math.round(seconds)} seconds, with a daemon of its own whose journal is in memory.`,
    conclusion(measured, load),
    "",
    line("", ["daemon", "bare", "ratio"]),
    ...MEASURES.map((measure) => {
      const { daemon, bare, ratio } = measured[measure];
      return line(ROWS[measure].title, [figure(daemon), figure(bare), figure(ratio)]);
    }),
    "",
    "bare is a relay that copies bytes from one socket to the others, measured in the same run. ratio is daemon divided by bare: it depends less on the machine.",
    ...MEASURES.flatMap((measure) => ["", meaningOf(measure, measured[measure])]),
  ];
}

function meaningOf(measure: Measure, { daemon, ratio }: Measured): string {
  const { title, meaning } = ROWS[measure];
  const { least, most } = usualRatio(measure);
  const usual = `The ratio is ${figure(ratio)}, usually ${figure(least)} to ${figure(most)}: ${VERDICTS[verdictOf(measure, ratio)]}.`;
  return `${title.split(/, [µm]s/)[0]}: ${meaning(daemon)} ${usual}`;
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  usual: "as usual",
  better: "better than usual",
  worse: "worse than usual",
};

/** The load from which other programs weigh on the figures: half of the cores. */
function conclusion(measured: BenchResult["measured"], load: number): string {
  const cores = cpus().length;
  const worse = MEASURES.filter((measure) => verdictOf(measure, measured[measure].ratio) === "worse").length;
  const isBusy = load > cores / 2;
  const told =
    worse === 0 ? "Nothing is worse than usual." : `${worse} of ${MEASURES.length} lines are worse than usual.`;
  if (isBusy)
    return `${told} Other programs kept the processors busy before (a load of ${figure(load)} on ${cores} cores), so the figures say little. Run it again when the machine is idle.`;
  return worse === 0 ? told : `${told} Run it again, and then aaepd doctor.`;
}

/** The report for programs. The names are stable. */
export function reportDocument({ version, seconds, load, measured }: BenchResult): object {
  const [first] = cpus();
  return {
    version,
    node: process.versions.node,
    system: `${process.platform} ${process.arch}`,
    cpu: first?.model ?? "unknown",
    cores: cpus().length,
    load,
    seconds: Number(seconds.toFixed(1)),
    lines: MEASURES.map((measure) => {
      const { daemon, bare, ratio } = measured[measure];
      const usual = usualRatio(measure);
      return {
        name: measure,
        unit: ROWS[measure].unit,
        daemon,
        bare,
        ratio,
        usual,
        verdict: verdictOf(measure, ratio),
      };
    }),
  };
}

/** Three digits, as in "59,800", "15.7" and "0.27". */
export function figure(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 6 });
}
