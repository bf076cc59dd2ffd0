// Deliveries over gRPC and Connect beside servers that write prepared messages, one event each.
import { passThrough } from "../events.mjs";
import { atLeast, deliveries, deliveriesLine, interleaved } from "../measuring.mjs";

const WINDOW = 1024;
const SUBSCRIBERS = [1, 10, 100];
const IN_A_HURRY = [10];

/** The method that a subscriber calls, and the targets by the number of subscribers. */
const CASES = [
  {
    rpc: "grpc-json",
    what: "gRPC, one event a message",
    targets: { 10: 0.8, 100: 0.8 },
    total: 80_000,
  },
  { rpc: "grpc-typed", what: "gRPC, several events a message", targets: { 10: 2 }, total: 80_000 },
  {
    rpc: "connect-http2",
    what: "Connect over HTTP/2, several events a message",
    targets: { 10: 2 },
    total: 40_000,
  },
  {
    rpc: "connect-http1",
    what: "Connect over HTTP/1.1, several events a message",
    targets: { 10: 2 },
    total: 40_000,
  },
];

export const services = {
  name: "services",
  title: "Throughput: gRPC and Connect",
  remarks: `
Deliveries a second; sockets are Unix sockets, each subscriber has a connection of its own, and its terms pass everything through. Publishing is
over the local socket in arrays of 64, no more than 1,024 events ahead of the slowest receiver. Receivers are clients of \`@grpc/grpc-js\` and of
\`@connectrpc/connect-node\`, the same for both sides; they do not decode events, but cut them from their message and check the order of their
ids, so that the servers and not the receivers are measured. Beside it:

| rows | daemon | beside it |
|---|---|---|
| one event a message | \`AaepService.Subscribe\` on \`--grpc\`, which has one event in each message by definition | \`@grpc/grpc-js\`, the same messages encoded beforehand |
| gRPC, several events a message | \`SubscriberService.Subscribe\` on \`--grpc\` | \`@grpc/grpc-js\`, one event a message |
| Connect over HTTP/2 and HTTP/1.1 | \`SubscriberService.Listen\` on \`--http\` | \`@connectrpc/connect-node\`, one event a message, nothing compressed |
`,
  rows: servicesRows,
};

async function servicesRows(stage, { pairs, scale, quick }) {
  const paths = { grpcPath: stage.path("grpc"), http2Path: stage.path("http2"), http1Path: stage.path("http1") };
  const served = { grpc: stage.path("grpc"), http: stage.path("http") };
  const [receivers, bare, daemon, publisher] = await Promise.all([
    stage.role("service-receivers"),
    stage.role("bare-services"),
    stage.daemon("--grpc", `unix:${served.grpc}`, "--http", `unix:${served.http}`),
    stage.role("publisher"),
  ]);
  await bare.call("listen", paths);
  const barePaths = { "connect-http2": paths.http2Path, "connect-http1": paths.http1Path };
  const lines = [];
  const runs = CASES.flatMap((one) =>
    (quick ? IN_A_HURRY : SUBSCRIBERS).map((subscribers) => ({ ...one, subscribers })),
  );
  for (const { rpc, what, subscribers, targets, total } of runs) {
    const overGrpc = rpc.startsWith("grpc");
    const count = Math.ceil((total / subscribers) * scale);
    const measure = (sender, send) => deliveries(sender, send, receivers, { count, subscribers });
    const runBare = async () => {
      await bare.call("prepare", { count, json: rpc === "grpc-json" });
      await receivers.call("connect", { path: barePaths[rpc] ?? paths.grpcPath, rpc, count: subscribers });
      await bare.call("accepted", { count: subscribers, overGrpc });
      return measure(bare, () => bare.call("send", { overGrpc }));
    };
    const runDaemon = async () => {
      const creditPath = stage.path("credit");
      await publisher.call("open", { path: daemon.socket, creditPath });
      const path = overGrpc ? served.grpc : served.http;
      await receivers.call("connect", { path, rpc, count: subscribers, capabilities: passThrough(), creditPath });
      return measure(daemon, () => publisher.call("publish", { count, size: 64, window: WINDOW }));
    };
    const measured = await interleaved(Math.min(pairs, 3), runDaemon, runBare);
    const target = targets[subscribers] === undefined ? undefined : atLeast(targets[subscribers]);
    lines.push(deliveriesLine(`${what}, `, subscribers, measured, target));
  }
  return lines;
}
