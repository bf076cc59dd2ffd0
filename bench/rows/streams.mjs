// Deliveries over WebSocket and Server-Sent Events beside the local socket.
import { passThrough } from "../events.mjs";
import { atLeast, deliveries, deliveriesLine, interleaved } from "../measuring.mjs";

const WINDOW = 1024;
const SUBSCRIBERS = [10, 100];
const IN_A_HURRY = [10];

const CASES = [
  { kind: "websocket", what: "WebSocket", target: 0.8 },
  { kind: "sse", what: "Server-Sent Events", target: 0.9 },
];

export const streams = {
  name: "streams",
  title: "Throughput: WebSocket and Server-Sent Events",
  remarks: `
Deliveries a second. All sockets are Unix sockets, each subscriber has a connection of its own, and its terms pass everything through. Publishing is
over the local socket in arrays of 64, no more than 1,024 events ahead of the slowest receiver. Receivers cut events from bytes and check the order
of their ids, in each form alike, so that the servers and not the receivers are measured. Beside it: the local socket of such a daemon.
`,
  rows: streamsRows,
};

async function streamsRows(stage, { pairs, scale, quick }) {
  const served = stage.path("http");
  const [receivers, publisher] = await Promise.all([stage.role("stream-receivers"), stage.role("publisher")]);
  const lines = [];
  for (const { kind, what, target } of CASES)
    for (const subscribers of quick ? IN_A_HURRY : SUBSCRIBERS) {
      const count = Math.ceil((600_000 / subscribers) * scale);
      const once = (daemon) => {
        const publish = () => publisher.call("publish", { count, size: 64, window: WINDOW });
        return deliveries(daemon, publish, receivers, { count, subscribers });
      };
      /** Every measurement has a daemon of its own: subscriptions outlast streams that broke off, and would count among the next. */
      const run = async (over) => {
        const daemon = await stage.daemon("--http", `unix:${served}`);
        const creditPath = stage.path("credit");
        await publisher.call("open", { path: daemon.socket, creditPath });
        const path = over === "socket" ? daemon.socket : served;
        const capabilities = passThrough();
        await receivers.call("connect", { kind: over, path, count: subscribers, capabilities, creditPath });
        // The first pass only warms the daemon.
        await once(daemon);
        const measured = await once(daemon);
        await receivers.call("leave");
        await daemon.stop();
        return measured;
      };
      const measured = await interleaved(
        Math.min(pairs, 3),
        () => run(kind),
        () => run("socket"),
      );
      lines.push(deliveriesLine(`${what} beside the local socket, `, subscribers, measured, atLeast(target)));
    }
  return lines;
}
