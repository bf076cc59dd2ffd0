// The cost of one more subscriber, from the first to the ten thousandth.
import { passThrough } from "../events.mjs";
import { interleaved, median, ratioLine } from "../measuring.mjs";

const COUNTS = [1, 10, 100, 1000, 10_000];
/**
 * Pairs of counts whose slope is reported. From 1 to 10 there is none: with one subscriber an event may cost more than with ten, which makes the
 * slope negative.
 */
const SLOPES = [
  [0, 2],
  [2, 3],
  [3, 4],
  [0, 4],
];
const PER_PROCESS = 5000;
const SIZE = 64;
/** A daemon's queue for one of ten thousand is the kernel's, and so is the bare sender's. */
const WINDOW = 128;

export const more = {
  name: "more",
  title: "One more subscriber",
  remarks: `
Subscribers on the Unix socket whose terms pass everything through, and who walk the frames without parsing them; publishing in arrays of
${SIZE}, ${WINDOW} events ahead of the slowest at most. "CPU" is the daemon's for each event, "time" what publishing an event takes until the
daemon has taken it and everybody has it. Each slope is what one more subscriber adds between the two numbers. Beside it: the same slope of a
sender that writes the same events, encoded beforehand, 128 at a time.
`,
  rows: moreRows,
};

/** Enough deliveries for a figure, and enough events for few subscribers. */
function eventsFor(subscribers, scale) {
  const wanted = Math.min(100_000, Math.max(128, 1_280_000 / subscribers)) * scale;
  return Math.max(SIZE, Math.ceil(wanted / SIZE) * SIZE);
}

async function moreRows(stage, { pairs, scale, quick }) {
  const counts = quick ? COUNTS.slice(0, 4) : COUNTS;
  const [bare, daemon, publisher] = await Promise.all([
    stage.role("bare-sender"),
    stage.daemon("--max-concurrent-subscriptions", "16384"),
    stage.role("publisher"),
  ]);
  const readers = [await stage.role("receivers"), await stage.role("receivers")];
  const barePath = stage.path("bare");
  await bare.call("listen", { path: barePath });
  /** Half of them in each process, as soon as there are enough for both. */
  const shares = (count) => {
    const first = count > PER_PROCESS / 10 ? count >> 1 : count;
    return [first, count - first].flatMap((share, index) => (share === 0 ? [] : [[readers[index], share]]));
  };
  const measure = async (sender, used, events, send) => {
    await Promise.all(used.map(([one]) => one.call("expect", { count: events })));
    const begin = performance.now();
    const { cpuMicros } = await sender.during(() => Promise.all([send(), ...used.map(([one]) => one.call("reached"))]));
    return { cpu: cpuMicros / events, time: ((performance.now() - begin) * 1000) / events };
  };

  const measured = [];
  for (const subscribers of counts) {
    const events = eventsFor(subscribers, scale);
    const used = shares(subscribers);
    const connect = (args) =>
      Promise.all(used.map(([one, count]) => one.call("connect", { ...args, count, parse: false })));
    const runBare = async () => {
      await bare.call("begin");
      await connect({ path: barePath });
      await bare.call("accepted", { count: subscribers });
      return measure(bare, used, events, () => bare.call("send", { count: events }));
    };
    const runDaemon = async () => {
      const creditPath = stage.path("credit");
      await publisher.call("open", { path: daemon.socket, creditPath, readers: used.length });
      await connect({ path: daemon.socket, capabilities: passThrough(), creditPath });
      return measure(daemon, used, events, () =>
        publisher.call("publish", { count: events, size: SIZE, window: WINDOW }),
      );
    };
    measured.push(await interleaved(Math.min(pairs, 3), runDaemon, runBare));
    for (const one of readers) await one.call("connect", { path: barePath, count: 0 });
  }

  const slopes = (from, to, kind) =>
    measured[to].slice(0, measured[from].length).map(([ours, theirs], pair) => {
      const per = counts[to] - counts[from];
      const [oursBefore, theirsBefore] = measured[from][pair];
      return [(ours[kind] - oursBefore[kind]) / per, (theirs[kind] - theirsBefore[kind]) / per];
    });
  const figure = (value) => Number(value.toPrecision(3)).toLocaleString("en");
  const levels = (kind) => counts.map((_, at) => figure(median(measured[at].map(([ours]) => ours[kind]))));
  const line = (name, kind, [from, to], index) =>
    ratioLine(
      `${name}, slope from ${counts[from].toLocaleString("en")} to ${counts[to].toLocaleString("en")}`,
      "µs",
      slopes(from, to, kind),
      undefined,
      index > 0
        ? {}
        : {
            note: `the daemon's ${name} an event, with ${counts.join(", ")} subscribers: ${levels(kind).join("; ")} µs`,
          },
    );
  const told = SLOPES.filter(([, to]) => to < counts.length);
  return [
    ["CPU", "cpu"],
    ["time", "time"],
  ].flatMap(([name, kind]) => told.map((slope, index) => line(name, kind, slope, index)));
}
