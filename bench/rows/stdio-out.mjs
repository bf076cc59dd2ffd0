// Deliveries over standard output: an agent's own user interface receives them from the daemon that the agent has started.
import { join } from "node:path";
import { AAEPD, BENCH, stdioArguments } from "../children.mjs";
import { passThrough } from "../events.mjs";
import { interleaved, median, ratioLine } from "../measuring.mjs";

const WINDOW = 1024;

export const stdioOut = {
  name: "stdio-out",
  title: "Throughput: stdio",
  remarks: `
Deliveries a second of \`aaepd stdio\` to its parent, as JSON-RPC notifications on standard output; the parent parses each and checks the order.
Standard output is one peer, so 10 and 100 are subscriptions on that one connection, each with its own notifications. Publishing is over the
child's local socket in arrays of 64, no more than 1,024 events ahead. Beside it: a child that writes the same lines, encoded beforehand, 128 at
a time.
`,
  rows: stdioOutRows,
};

async function stdioOutRows(stage, { pairs, scale }) {
  const [ours, theirs, publisher] = await Promise.all([
    stage.role("stdio-receiver"),
    stage.role("stdio-receiver"),
    stage.role("publisher"),
  ]);
  const socket = stage.path("stdio");
  await ours.call("start", { args: [AAEPD, ...stdioArguments(socket)], isDaemon: true });
  await theirs.call("start", { args: [join(BENCH, "roles/bare-lines.mjs")] });
  const lines = [];
  for (const subscribers of [1, 10, 100]) {
    const count = Math.ceil((subscribers === 1 ? 100_000 : 200_000 / subscribers) * scale);
    const measure = async (receiver, send) => {
      await receiver.call("expect", { count });
      const cpuBefore = await receiver.call("childCpu");
      const begin = performance.now();
      await Promise.all([send(), receiver.call("reached")]);
      const ms = performance.now() - begin;
      const deliveries = count * subscribers;
      const cpuMicros = ((await receiver.call("childCpu")) - cpuBefore) / deliveries;
      return { perSecond: (deliveries * 1000) / ms, cpuMicros };
    };
    const runDaemon = async () => {
      const creditPath = stage.path("credit");
      await publisher.call("open", { path: socket, creditPath });
      await ours.call("subscribe", { count: subscribers, capabilities: passThrough(), creditPath });
      return measure(ours, () => publisher.call("publish", { count, size: 64, window: WINDOW }));
    };
    const runBare = async () => {
      await theirs.call("subscribe", { count: subscribers });
      return measure(theirs, () => theirs.call("tell", { count, subscribers }));
    };
    const measured = await interleaved(pairs, runDaemon, runBare);
    const micros = (of) => median(measured.map((pair) => of(pair).cpuMicros)).toFixed(2);
    lines.push(
      ratioLine(
        `${subscribers} subscription${subscribers === 1 ? "" : "s"}`,
        "deliveries/s",
        measured.map(([one, other]) => [one.perSecond, other.perSecond]),
        undefined,
        {
          note: `sender's CPU a delivery: daemon ${micros(([one]) => one)} µs, ingest included; bare ${micros(([, other]) => other)} µs`,
        },
      ),
    );
  }
  await Promise.all([ours.call("stop"), theirs.call("stop")]);
  return lines;
}
