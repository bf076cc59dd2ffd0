// Pairs, medians and spreads, and what is measured in several rows.
import { readdirSync, readFileSync } from "node:fs";

/** Pairs of every line, and the time after which a line gets no more than these. */
export const FEWEST_PAIRS = 3;
const LONG_ENOUGH_MS = 12_000;

/** Of an even number of values, the mean of the middle two. NaN if there is none. */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value that a share of the values, from 0 to 1, does not exceed. NaN if there is none. */
export function percentile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Runs both in turns, of several pairs the first one uncounted. The order changes, so that a trend of the machine favours neither. Resolves with
 * `count` pairs, or with fewer if they take long.
 */
export async function interleaved(count, one, other) {
  const begin = performance.now();
  // One pair shows whether they run.
  if (count > 1) {
    await one();
    await other();
  }
  const measured = [];
  const isEnough = () => measured.length >= FEWEST_PAIRS && performance.now() - begin > LONG_ENOUGH_MS;
  while (measured.length < count && !isEnough()) {
    if (measured.length % 2 === 0) {
      const first = await one();
      measured.push([first, await other()]);
    } else {
      const second = await other();
      measured.push([await one(), second]);
    }
  }
  return measured;
}

/** A line of the table: both figures, and the median and spread of their ratios. `target` applies to the ratio. */
export function ratioLine(what, unit, pairs, target, { note } = {}) {
  return {
    what,
    unit,
    daemon: median(pairs.map(([ours]) => ours)),
    beside: median(pairs.map(([, beside]) => beside)),
    ratio: spreadOf(pairs.map(([ours, beside]) => ours / beside)),
    target,
    note,
  };
}

/** A line whose target applies to another figure than the ratio: `aim.of` computes it, in `aim.unit`, from a pair and its number. */
export function aimedLine(what, unit, pairs, aim, target, notes) {
  return {
    ...ratioLine(what, unit, pairs, target, notes),
    aim: { unit: aim.unit, ...spreadOf(pairs.map((pair, index) => aim.of(pair, index))) },
  };
}

/** A line for a figure that could not be measured here, with the reason. */
export function missingLine(what, why) {
  return { what, missing: why };
}

function spreadOf(values) {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

export const atLeast = (bound) => ({ kind: "at least", bound });
export const atMost = (bound) => ({ kind: "at most", bound });

/** Undefined if there is no target, or no figure. */
export function isMet(line) {
  const figure = (line.aim ?? line.ratio)?.median;
  const { target } = line;
  if (target === undefined || figure === undefined) return undefined;
  return target.kind === "at least" ? figure >= target.bound : figure <= target.bound;
}

/** CPU microseconds of a process that cannot report them, all its threads, as the kernel counts them. */
export function cpuMicrosOf(pid) {
  let total = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    total += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
  }
  return total / 1000;
}

/** Resolves with the result of `work`; rejects with `sentence` after `ms`. */
export function inTime(work, ms, sentence) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(sentence)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Deliveries a second of `count` events that `send` begins to each of the receivers' subscribers, and the sender's CPU a delivery. */
export async function deliveries(sender, send, receivers, { count, subscribers }) {
  await receivers.call("expect", { count });
  const begin = performance.now();
  const { cpuMicros } = await sender.during(() => Promise.all([send(), receivers.call("reached")]));
  const done = count * subscribers;
  return { perSecond: (done * 1000) / (performance.now() - begin), cpuMicros: cpuMicros / done };
}

/** The line of pairs of `deliveries`. */
export function deliveriesLine(what, subscribers, measured, target) {
  const micros = (of) => median(measured.map((pair) => of(pair).cpuMicros)).toFixed(2);
  return ratioLine(
    `${what}${subscribers} subscriber${subscribers === 1 ? "" : "s"}`,
    "deliveries/s",
    measured.map(([ours, theirs]) => [ours.perSecond, theirs.perSecond]),
    target,
    {
      note: `sender's CPU a delivery: daemon ${micros(([ours]) => ours)} µs, ingest included; beside it ${micros(([, theirs]) => theirs)} µs`,
    },
  );
}
