// The time of a critical event, with nothing else going on and under a flood.
import { CORE, passThrough } from "../events.mjs";
import { atMost, median, percentile, ratioLine } from "../measuring.mjs";

const FLOOD_PER_SECOND = 20_000;
const SUBSCRIBERS = 100;
const SHARES = [
  ["p50", 0.5],
  ["p99", 0.99],
  ["p99.9", 0.999],
];

export const latency = {
  name: "latency",
  title: "Latency of critical events",
  remarks: `
From writing a critical event to its arrival at a subscriber; agent and subscriber are one process, so that one clock measures both ends. Beside
it: the same bytes to a peer that sends them back (a bare round trip), from the same process. "Idle" is a daemon with this one subscriber, "100
subscribers" one with 99 more, and "flood" the same while another agent publishes ${FLOOD_PER_SECOND.toLocaleString("en")} events/s to all of
them. All receivers walk the frames and parse nothing. The row of the target has the idle daemon with 100 subscribers beside the flood. A round
has 400 events; a p99.9 is therefore the worst of each round, and the median of rounds.
`,
  rows: latencyRows,
};

async function latencyRows(stage, { pairs, quick }) {
  const rounds = quick ? 1 : pairs;
  const count = quick ? 20 : 400;
  const everyMs = 5;
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
  const round = async () => ({
    trips: await trips(),
    alone: await alone(),
    idle: await idle(),
    flood: await flooded(),
  });
  await round();
  const measured = [];
  for (let turn = 0; turn < rounds; turn += 1) measured.push(await round());

  const beside = (what, ours, theirs, share, target, note) =>
    ratioLine(
      what,
      "µs",
      measured.map((one) => [percentile(ours(one), share), percentile(theirs(one), share)]),
      target,
      { note },
    );
  const tripsOf = (one) => one.trips;
  const cases = [
    ["idle", (one) => one.alone],
    ["100 subscribers", (one) => one.idle],
    ["flood", (one) => one.flood.micros],
  ];
  const perSecond = Math.round(median(measured.map(({ flood }) => flood.perSecond))).toLocaleString("en");
  return [
    beside(
      "flood, p99, beside the idle p99",
      ({ flood }) => flood.micros,
      (one) => one.idle,
      0.99,
      atMost(3),
      `${perSecond} events/s were published`,
    ),
    ...cases.flatMap(([what, ours]) =>
      SHARES.map(([name, share]) =>
        beside(
          `${what}, ${name}, beside the bare round trip's`,
          ours,
          tripsOf,
          share,
          what === "idle" && share === 0.5 ? atMost(1.5) : undefined,
        ),
      ),
    ),
  ];
}
