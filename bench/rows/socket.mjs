// Deliveries over the Unix socket beside a bare sender.
import { passThrough } from "../events.mjs";
import { atLeast, atMost, deliveries, deliveriesLine, interleaved, ratioLine } from "../measuring.mjs";

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
    const measure = (sender, send) => deliveries(sender, send, receivers, { count: events, subscribers });
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
    cpu.set(subscribers, measured);
    lines.push(deliveriesLine("", subscribers, measured, atLeast(target)));
  }
  const few = cpu.get(10);
  const slopes = cpu
    .get(100)
    .slice(0, few.length)
    .map(([ours, theirs], pair) => [(ours.cpuMicros * 100 - few[pair][0].cpuMicros * 10) / 90, theirs.cpuMicros]);
  lines.push(ratioLine("CPU of each further delivery, slope from 10 to 100 subscribers", "µs", slopes, atMost(2)));
  return lines;
}
