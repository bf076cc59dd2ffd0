// How long a critical event takes, with nothing else going on and under a flood.
import { CORE, passThrough } from "../events.mjs";
import { atMost, figureLine, median, percentile } from "../measuring.mjs";

const FLOOD_PER_SECOND = 20_000;
const SUBSCRIBERS = 100;

export async function latencyRows(stage, { pairs, quick }) {
  const rounds = quick ? 1 : pairs;
  const count = quick ? 20 : 200;
  const everyMs = 10;
  const [daemon, lonely, receivers, prober, lonelyProber, publisher, bare] = await Promise.all([
    stage.daemon(),
    stage.daemon(),
    stage.role("receivers"),
    stage.role("prober"),
    stage.role("prober"),
    stage.role("publisher"),
    stage.role("bare-sender"),
  ]);
  const echoPath = stage.path("echo");
  await bare.call("echo", { path: echoPath });
  const capabilities = passThrough([`${CORE}output.streaming`]);
  const half = (SUBSCRIBERS >> 1) - 1;
  await receivers.call("connect", { path: daemon.socket, count: half, parse: false, capabilities });
  await prober.call("open", { path: daemon.socket, capabilities });
  const others = await stage.role("receivers");
  await others.call("connect", { path: daemon.socket, count: SUBSCRIBERS - half - 1, parse: false, capabilities });
  await lonelyProber.call("open", { path: lonely.socket, capabilities });
  await publisher.call("open", { path: daemon.socket });

  const trips = () => prober.call("roundTrips", { path: echoPath, count, everyMs });
  const alone = () => lonelyProber.call("alarms", { count, everyMs });
  const idle = () => prober.call("alarms", { count, everyMs });
  const flooded = async () => {
    const seconds = (count * everyMs * 1.3) / 1000 + 1;
    const [published, micros] = await Promise.all([
      publisher.call("publishAtRate", { perSecond: FLOOD_PER_SECOND, seconds, size: 64 }),
      new Promise((resolve) => setTimeout(resolve, 500)).then(idle),
    ]);
    return { perSecond: published / seconds, micros };
  };
  await trips();
  await alone();
  await idle();
  await flooded();
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push({ trips: await trips(), alone: await alone(), idle: await idle(), flooded: await flooded() });
  }
  const p99s = measured.map(({ idle: quiet, flooded: { micros } }) => [
    percentile(micros, 0.99),
    percentile(quiet, 0.99),
  ]);
  const of = (values) => Math.round(median(values));
  return [
    figureLine(
      `critical event under ${FLOOD_PER_SECOND} events/s to ${SUBSCRIBERS} subscribers: p99 over the idle p99`,
      "×",
      p99s.map(([flood, quiet]) => flood / quiet),
      atMost(3),
      {
        note: `p99 ${of(p99s.map(([flood]) => flood))} µs, idle ${of(p99s.map(([, quiet]) => quiet))} µs; p50 ${of(measured.map(({ flooded: { micros } }) => median(micros)))} µs; ${of(measured.map(({ flooded: { perSecond } }) => perSecond))} events/s published`,
      },
    ),
    figureLine(
      "critical event, idle, one subscriber: p50 over a bare round trip's",
      "×",
      measured.map((one) => median(one.alone) / median(one.trips)),
      atMost(1.5),
      {
        note: `p50 ${of(measured.map((one) => median(one.alone)))} µs, bare ${of(measured.map((one) => median(one.trips)))} µs; with ${SUBSCRIBERS} subscribers ${of(measured.map((one) => median(one.idle)))} µs`,
      },
    ),
  ];
}
