// Deliveries over gRPC and Connect beside servers that write messages encoded beforehand, one event each.
import { passThrough } from "../events.mjs";
import { atLeast, interleaved, median, ratioLine } from "../measuring.mjs";

const WINDOW = 1024;

/** What a subscriber calls, how many call, and what the target is. */
const CASES = [
  {
    rpc: "grpc-json",
    what: "gRPC, one event a message (AaepService)",
    subscribers: 10,
    target: 0.8,
    deliveries: 200_000,
  },
  {
    rpc: "grpc-json",
    what: "gRPC, one event a message (AaepService)",
    subscribers: 100,
    target: 0.8,
    deliveries: 200_000,
  },
  { rpc: "grpc-typed", what: "gRPC, several events a message", subscribers: 10, target: 2, deliveries: 200_000 },
  {
    rpc: "connect-http2",
    what: "Connect over HTTP/2, several events a message",
    subscribers: 10,
    target: 2,
    deliveries: 100_000,
  },
  {
    rpc: "connect-http1",
    what: "Connect over HTTP/1.1, several events a message",
    subscribers: 10,
    target: 2,
    deliveries: 100_000,
  },
];

export async function servicesRows(stage, { pairs, scale }) {
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
  for (const { rpc, what, subscribers, target, deliveries } of CASES) {
    const overGrpc = rpc.startsWith("grpc");
    const count = Math.ceil((deliveries / subscribers) * scale);
    const measure = async (sender, send) => {
      await receivers.call("expect", { count });
      const begin = performance.now();
      const { cpuMicros } = await sender.during(() => Promise.all([send(), receivers.call("reached")]));
      const done = count * subscribers;
      return { perSecond: (done * 1000) / (performance.now() - begin), cpuMicros: cpuMicros / done };
    };
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
    const measured = await interleaved(pairs, runDaemon, runBare);
    const micros = (of) => median(measured.map((pair) => of(pair).cpuMicros)).toFixed(2);
    lines.push(
      ratioLine(
        `${what}, ${subscribers} subscribers, deliveries`,
        "deliveries/s",
        measured.map(([ours, theirs]) => [ours.perSecond, theirs.perSecond]),
        atLeast(target),
        {
          note: `sender's CPU a delivery: daemon ${micros(([ours]) => ours)} µs, ingest included; bare ${micros(([, theirs]) => theirs)} µs`,
        },
      ),
    );
  }
  return lines;
}
