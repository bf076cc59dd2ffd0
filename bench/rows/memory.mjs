// The memory of an idle subscription, with its connection.
import { CORE, passThrough } from "../events.mjs";
import { aimedLine, atMost, interleaved, ratioLine } from "../measuring.mjs";
import { receiversFor } from "../receivers-for.mjs";

export const memory = {
  name: "memory",
  title: "Memory of a subscription",
  remarks: `
Subscriptions for which nothing is published, each with terms like all others': heap and resident memory for each, after collections. "Over
sockets" is the daemon with a connection for each; beside it a server that has read a request from each connection and answered it, and keeps the
connection. Every figure comes from a process that has done nothing else. The last row publishes beside them events that their filters exclude;
beside it, the same with nobody there.
`,
  rows: memoryRows,
};

const KIB = 1024;

async function memoryRows(stage, { pairs, scale, quick }) {
  const subscribers = quick ? 500 : 10_000;
  const rounds = Math.min(pairs, 3);
  const each = (before, after) => ({
    heap: (after.heapUsed - before.heapUsed) / KIB / subscribers,
    resident: (after.rss - before.rss) / KIB / subscribers,
  });
  const capabilities = passThrough([`${CORE}tool.invoked`]);
  const over = (start) => async () => {
    const server = await start();
    const before = await server.call("memory");
    const receivers = await receiversFor(stage, server.socket, subscribers, capabilities);
    const after = await server.call("memory");
    await Promise.all(receivers.map((one) => one.stop()));
    await server.stop();
    return each(before, after);
  };
  const bareServer = async () => {
    const bare = await stage.role("bare-sender");
    const socket = stage.path("held");
    await bare.call("greet", { path: socket });
    return { ...bare, socket };
  };
  const crowdedDaemon = () => stage.daemon("--max-concurrent-subscriptions", "16384");
  const sockets = await interleaved(rounds, over(crowdedDaemon), over(bareServer));

  const of = (measured, kind) => measured.map(([ours, theirs]) => [ours[kind], theirs[kind]]);
  const absolute = { unit: "KiB", of: ([ours]) => ours };
  return [
    aimedLine("over sockets, heap", "KiB", of(sockets, "heap"), absolute, atMost(8)),
    ratioLine("over sockets, resident", "KiB", of(sockets, "resident")),
    await publishingLine(stage, { pairs, events: Math.ceil(50_000 * scale), subscribers, capabilities }),
  ];
}

async function publishingLine(stage, { pairs, events, subscribers, capabilities }) {
  const [crowded, empty, publisher] = await Promise.all([
    stage.daemon("--max-concurrent-subscriptions", "16384"),
    stage.daemon(),
    stage.role("publisher"),
  ]);
  await receiversFor(stage, crowded.socket, subscribers, capabilities);
  const publish = (daemon) => async () => {
    await publisher.call("open", { path: daemon.socket });
    const { cpuMicros } = await daemon.during(() => publisher.call("publish", { count: events, size: 64 }));
    return cpuMicros / events;
  };
  const measured = await interleaved(pairs, publish(crowded), publish(empty));
  const what = `publishing beside ${subscribers.toLocaleString("en")} whose filters exclude the event`;
  return ratioLine(what, "µs CPU an event", measured, atMost(1.2));
}
