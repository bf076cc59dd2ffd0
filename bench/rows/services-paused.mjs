// Subscribers of services that stop reading: what they cost in memory, and whether the others notice.
import { passThrough } from "../events.mjs";
import { atLeast, atMost, figureLine, interleaved, ratioLine } from "../measuring.mjs";

const OTHERS = 10;
const WINDOW = 1024;
const MIB = 1024 * 1024;
/** Fewer than what a subscriber may lag by, so that those who do not read are there still. */
const WHILE_LAGGING = 12_000;
/** So many of each kind when memory is measured, as what a collection leaves differs by some MiB from one time to the next. */
const MANY = 20;
/** Fills the journal, so that it grows no more. */
const FIRST = 100_000;

export async function servicesPausedRows(stage, { pairs, scale }) {
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
    return (await held()) - before;
  };
  // More than what may be lagged by: those who do not read are sent away on the way.
  const perSecond = (pausedCount) => async () => {
    await open(pausedCount);
    return publish(whileLagging * 3);
  };
  await open(0);
  await publish(Math.ceil(FIRST * scale));
  const memory = await interleaved(pairs, grown(MANY), grown(0));
  const speed = await interleaved(pairs, perSecond(1), perSecond(0));
  return [
    figureLine(
      `memory of a daemon for each of ${2 * MANY} subscribers that do not read, gRPC and Connect, ${WHILE_LAGGING} events behind`,
      "MiB each",
      memory.map(([beside, without]) => (beside - without) / (2 * MANY)),
      atMost(2),
    ),
    ratioLine(
      `${OTHERS} subscribers over gRPC beside two that do not read, over ${OTHERS} alone, deliveries`,
      "deliveries/s",
      speed,
      atLeast(0.9),
    ),
  ];
}
