// Deliveries over the Unix socket beside a bare sender.
import { passThrough } from "../events.mjs";
import { atLeast, atMost, interleaved, median, ratioLine } from "../measuring.mjs";

const TARGETS = new Map([
  [1, 0.35],
  [10, 0.8],
  [100, 0.8],
]);
const WINDOW = 1024;

export const socket = {
  name: "socket",
  title: "Throughput: Unix socket",
  remarks: `
Deliveries a second to subscribers who parse every event and check the order, with terms that pass everything through; publishing over the socket
in arrays of 64, no more than 1,024 events ahead of the slowest. Beside it: a sender that takes nothing in and writes the same events, encoded
beforehand, 128 at a time to the same receivers.
`,
  rows: socketRows,
};

/** One row for each number of subscribers, and the slope between 10 and 100. */
async function socketRows(stage, { pairs, scale }) {
  const [receivers, bare, daemon, publisher] = await Promise.all([
    stage.role("receivers"),
    stage.role("bare-sender"),
    stage.daemon(),
    stage.role("publisher"),
  ]);
  const barePath = stage.path("bare");
  await bare.call("listen", { path: barePath });
  const lines = [];
  const cpu = new Map();
  for (const [subscribers, target] of TARGETS) {
    const events = Math.ceil((subscribers === 1 ? 100_000 : 300_000 / subscribers) * scale);
    const deliveries = events * subscribers;
    const measure = async (sender, send) => {
      await receivers.call("expect", { count: events });
      const begin = performance.now();
      const { cpuMicros } = await sender.during(async () => {
        await Promise.all([send(), receivers.call("reached")]);
      });
      return { perSecond: (deliveries * 1000) / (performance.now() - begin), cpuMicros: cpuMicros / events };
    };
    const runBare = async () => {
      await bare.call("begin");
      await receivers.call("connect", { path: barePath, count: subscribers });
      await bare.call("accepted", { count: subscribers });
      return measure(bare, () => bare.call("send", { count: events }));
    };
    const runDaemon = async () => {
      const creditPath = stage.path("credit");
      await publisher.call("open", { path: daemon.socket, creditPath });
      const capabilities = passThrough();
      await receivers.call("connect", { path: daemon.socket, count: subscribers, capabilities, creditPath });
      return measure(daemon, () => publisher.call("publish", { count: events, size: 64, window: WINDOW }));
    };
    const measured = await interleaved(pairs, runDaemon, runBare);
    cpu.set(subscribers, {
      daemon: median(measured.map(([ours]) => ours.cpuMicros)),
      bare: median(measured.map(([, theirs]) => theirs.cpuMicros)),
      pairs: measured,
    });
    const { daemon: ours, bare: theirs } = cpu.get(subscribers);
    lines.push(
      ratioLine(
        `${subscribers} subscriber${subscribers === 1 ? "" : "s"}`,
        "deliveries/s",
        measured.map(([one, other]) => [one.perSecond, other.perSecond]),
        atLeast(target),
        {
          note: `sender's CPU a delivery: daemon ${(ours / subscribers).toFixed(2)} µs, ingest included; bare ${(theirs / subscribers).toFixed(2)} µs`,
        },
      ),
    );
  }
  const few = cpu.get(10).pairs;
  const slopes = cpu
    .get(100)
    .pairs.slice(0, few.length)
    .map(([ours, theirs], pair) => [(ours.cpuMicros - few[pair][0].cpuMicros) / 90, theirs.cpuMicros / 100]);
  lines.push(ratioLine("CPU of each further delivery, slope from 10 to 100 subscribers", "µs", slopes, atMost(2)));
  return lines;
}
