// Subscribers of services that stop reading: their cost in memory, and their effect on the others.
import { passThrough } from "../events.mjs";
import { aimedLine, atLeast, atMost, interleaved, ratioLine } from "../measuring.mjs";

const OTHERS = 10;
const WINDOW = 1024;
const MIB = 1024 * 1024;
/** Below the permitted lag, so that paused subscribers are still connected. */
const WHILE_LAGGING = 12_000;
/** Subscribers of each kind when memory is measured: many, because garbage collections leave differences of some MiB. */
const MANY = 20;
/** Fills the journal, so that it grows no more. */
const FIRST = 100_000;

export const servicesPaused = {
  name: "services-paused",
  title: "Subscribers of services that do not read",
  remarks: `
Memory: 20 over gRPC and 20 over Connect that stop reading after their acceptance, 12,000 events behind 10 others over gRPC. Heap and buffers
after a collection, beside the same daemon with the 10 alone; the target is about what each of the 40 adds to what the daemon grows by.
Throughput: 10 over gRPC together with one over gRPC and one over Connect that stop reading, and are sent away after 16,384 events (lagging),
beside the 10 alone.
`,
  rows: servicesPausedRows,
};

async function servicesPausedRows(stage, { pairs, scale }) {
  const served = { grpc: stage.path("grpc"), http: stage.path("http") };
  const [daemon, publisher, others, overGrpc, overConnect] = await Promise.all([
    stage.daemon("--grpc", `unix:${served.grpc}`, "--http", `unix:${served.http}`),
    stage.role("publisher"),
    stage.role("service-receivers"),
    stage.role("service-receivers"),
    stage.role("service-receivers"),
  ]);
  const capabilities = passThrough();
  const open = async (pausedCount) => {
    const creditPath = stage.path("credit");
    await publisher.call("open", { path: daemon.socket, creditPath });
    await others.call("connect", { path: served.grpc, rpc: "grpc-typed", count: OTHERS, capabilities, creditPath });
    const paused = { count: pausedCount, capabilities, isPaused: true };
    await overGrpc.call("connect", { ...paused, path: served.grpc, rpc: "grpc-typed" });
    await overConnect.call("connect", { ...paused, path: served.http, rpc: "connect-http2" });
  };
  const publish = async (count) => {
    await others.call("expect", { count });
    const begin = performance.now();
    await Promise.all([publisher.call("publish", { count, size: 64, window: WINDOW }), others.call("reached")]);
    return (count * OTHERS * 1000) / (performance.now() - begin);
  };
  const held = async () => {
    const { heapUsed, external } = await daemon.call("memory");
    return (heapUsed + external) / MIB;
  };
  const whileLagging = Math.ceil(WHILE_LAGGING * scale);
  const grown = (pausedCount) => async () => {
    await open(pausedCount);
    const before = await held();
    await publish(whileLagging);
    const after = await held();
    return { after, grown: after - before };
  };
  // More than the permitted lag: paused subscribers are closed on the way.
  const perSecond = (pausedCount) => async () => {
    await open(pausedCount);
    return publish(whileLagging * 3);
  };
  await open(0);
  await publish(Math.ceil(FIRST * scale));
  const memory = await interleaved(pairs, grown(MANY), grown(0));
  const speed = await interleaved(pairs, perSecond(1), perSecond(0));
  return [
    aimedLine(
      `memory with ${2 * MANY} subscribers that do not read, gRPC and Connect, ${WHILE_LAGGING} events behind`,
      "MiB",
      memory.map(([beside, without]) => [beside.after, without.after]),
      { unit: "MiB each", of: (_, pair) => (memory[pair][0].grown - memory[pair][1].grown) / (2 * MANY) },
      atMost(2),
    ),
    ratioLine(
      `${OTHERS} subscribers over gRPC together with two that do not read`,
      "deliveries/s",
      speed,
      atLeast(0.9),
    ),
  ];
}
