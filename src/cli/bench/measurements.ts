// The measurements: each runs the daemon and the bare part beside it in pairs that take turns, after a first pair that does not count.
import { setTimeout as delay } from "node:timers/promises";
import type { BenchStage, Carrier } from "./bench-stage.js";
import { ALARM_MARK } from "./event-texts.js";
import { interleaved, median, percentile } from "./figures.js";
import { type Carried, carry, connectPublisher, connectReceiver } from "./load.js";

/** How much is measured. */
export interface BenchPlan {
  readonly startPairs: number;
  readonly carryPairs: number;
  /** How long events are published in each run, ms. */
  readonly carryMs: number;
  readonly latencyPairs: number;
  readonly latencyEvents: number;
  /** Listeners of the measurement of a further one. */
  readonly listeners: number;
}

/** Takes 20 to 30 s. */
export const WHOLE_PLAN: BenchPlan = {
  startPairs: 3,
  carryPairs: 3,
  carryMs: 1000,
  latencyPairs: 3,
  latencyEvents: 250,
  listeners: 100,
};

/** The measures, in the order of the report. */
export const MEASURES = [
  "events_per_second",
  "cpu_of_event",
  "cpu_of_further_listener",
  "critical_p50",
  "critical_p99",
  "start",
] as const;
export type Measure = (typeof MEASURES)[number];

/** Medians of the pairs. */
export interface Measured {
  readonly daemon: number;
  /** Of the bare relay; of the start that of a Node without a program. */
  readonly bare: number;
  /** Median of the ratios of the pairs. */
  readonly ratio: number;
}

type Pair = readonly [daemon: number, bare: number];

/** Pauses between critical events, ms: no two events share a turn. */
const LEAST_PAUSE_MS = 1;
const PAUSES = 4;

export async function measureStart(stage: BenchStage, { startPairs }: BenchPlan): Promise<Measured> {
  const subscribed = async (socketPath: string): Promise<void> => {
    const receiver = await connectReceiver({ kind: "daemon", socketPath }, () => {});
    receiver.destroy();
  };
  return summed(await interleaved(startPairs, () => stage.timeToStart(subscribed), stage.timeOfNode));
}

export type CarriedMeasures = Readonly<
  Record<"events_per_second" | "cpu_of_event" | "cpu_of_further_listener", Measured>
>;

export async function measureCarrying(
  daemon: Carrier,
  relay: Carrier,
  { carryPairs, carryMs, listeners }: BenchPlan,
): Promise<CarriedMeasures> {
  // Both runs of a carrier follow one another, so that what the machine does meanwhile weighs on both alike.
  const measured = await interleaved(
    carryPairs,
    () => carryTwice(daemon, listeners, carryMs),
    () => carryTwice(relay, listeners, carryMs),
  );
  const of = (figure: (twice: Twice) => number): Measured =>
    summed(measured.map(([ours, bare]): Pair => [figure(ours), figure(bare)]));
  return {
    events_per_second: of(({ alone }) => alone.eventsPerSecond),
    cpu_of_event: of(({ alone }) => alone.cpuMicros),
    cpu_of_further_listener: of(({ alone, together }) => (together.cpuMicros - alone.cpuMicros) / (listeners - 1)),
  };
}

interface Twice {
  readonly alone: Carried;
  readonly together: Carried;
}

/** Carries events to one listener, and then to all. */
async function carryTwice(carrier: Carrier, listeners: number, ms: number): Promise<Twice> {
  const alone = await carry(carrier, 1, ms);
  return { alone, together: await carry(carrier, listeners, ms) };
}

export async function measureLatency(
  daemon: Carrier,
  relay: Carrier,
  { latencyPairs, latencyEvents }: BenchPlan,
): Promise<Readonly<Record<"critical_p50" | "critical_p99", Measured>>> {
  const measured = await interleaved(
    latencyPairs,
    () => alarms(daemon, latencyEvents),
    () => alarms(relay, latencyEvents),
  );
  const at = (share: number): Measured =>
    summed(measured.map(([ours, bare]): Pair => [percentile(ours, share), percentile(bare, share)]));
  return { critical_p50: at(0.5), critical_p99: at(0.99) };
}

/** Publishes critical events one after another. Resolves with the ms of each from its writing to its arrival. */
async function alarms(carrier: Carrier, count: number): Promise<readonly number[]> {
  let arrived: () => void = () => {};
  const receiver = await connectReceiver(carrier, (data, from, end) => {
    if (data.subarray(from, end).includes(ALARM_MARK)) arrived();
  });
  const publisher = await connectPublisher(carrier);
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const text = publisher.texts.alarm();
    const arrival = new Promise<number>((resolve) => {
      arrived = () => resolve(performance.now());
    });
    const begin = performance.now();
    publisher.send([text]);
    times.push((await arrival) - begin);
    await delay(LEAST_PAUSE_MS + (index % PAUSES));
  }
  publisher.close();
  receiver.destroy();
  return times;
}

function summed(measured: readonly Pair[]): Measured {
  return {
    daemon: median(measured.map(([ours]) => ours)),
    bare: median(measured.map(([, bare]) => bare)),
    ratio: median(measured.map(([ours, bare]) => ours / bare)),
  };
}
