// Ten thousand subscribers: what they weigh while nothing is for them, and what they cost at one event a second each.
import { CORE, passThrough } from "../events.mjs";
import { atMost, figureLine, interleaved, ratioLine } from "../measuring.mjs";

const PER_PROCESS = 5000;

async function receiversFor(stage, daemon, count, capabilities) {
  const all = [];
  for (let left = count; left > 0; left -= PER_PROCESS) {
    const receivers = await stage.role("receivers");
    await receivers.call("connect", {
      path: daemon.socket,
      count: Math.min(left, PER_PROCESS),
      inOrder: false,
      capabilities,
    });
    all.push(receivers);
  }
  return all;
}

export async function idleRows(stage, { pairs, scale, quick }) {
  const subscribers = quick ? 500 : 10_000;
  const events = Math.ceil(50_000 * scale);
  const options = ["--max-concurrent-subscriptions", "16384"];
  const [crowded, empty, publisher] = await Promise.all([
    stage.daemon(...options),
    stage.daemon(...options),
    stage.role("publisher"),
  ]);
  const before = await crowded.call("memory");
  await receiversFor(stage, crowded, subscribers, passThrough([`${CORE}tool.invoked`]));
  const after = await crowded.call("memory");
  const publish = (daemon) => async () => {
    await publisher.call("open", { path: daemon.socket });
    const { cpuMicros } = await daemon.during(() => publisher.call("publish", { count: events, size: 64 }));
    return cpuMicros / events;
  };
  const measured = await interleaved(pairs, publish(crowded), publish(empty));
  const heap = (after.heapUsed - before.heapUsed) / 1024 / subscribers;
  const resident = (after.rss - before.rss) / 1024 / subscribers;
  return [
    figureLine(`heap of each of ${subscribers} idle subscribers`, "KiB", [heap], atMost(8), {
      note: `resident memory ${resident.toFixed(1)} KiB each`,
    }),
    ratioLine(
      `publishing beside ${subscribers} subscribers whose filters exclude the event, over none`,
      "µs CPU an event",
      measured,
      atMost(1.2),
    ),
  ];
}

/** The usual event with a token of 4 characters in it, as a model streams them. */
export function slowRows(stage, settings) {
  return slow(stage, settings, "a token of 4 characters", 4);
}

/** 13,000 characters a second, 80 % of what one event a second may carry (R10: 16,384 code points): nothing is left over that could wait for ever. */
export function slowFullRows(stage, settings) {
  return slow(stage, settings, "65 characters", 65);
}

const slowCount = ({ quick }) => (quick ? 500 : 10_000);
const slowTitle = (settings, text) =>
  `${slowCount(settings)} subscribers at 1 event/s, 200 events of 471 bytes with ${text} a second published`;

async function slow(stage, settings, text, chunkCharacters) {
  const { quick } = settings;
  const subscribers = slowCount(settings);
  const seconds = quick ? 3 : 20;
  const [daemon, publisher] = await Promise.all([
    stage.daemon("--max-concurrent-subscriptions", "16384"),
    stage.role("publisher"),
  ]);
  const capabilities = { max_events_per_second: 1, event_filters: { include: [`${CORE}output.streaming`] } };
  await publisher.call("open", { path: daemon.socket, chunkCharacters });
  const all = await receiversFor(stage, daemon, subscribers, capabilities);
  // The first second is everybody's first event.
  await publisher.call("publishAtRate", { perSecond: 200, seconds: 2, size: 1 });
  await Promise.all(all.map((one) => one.call("noteArrivals")));
  const begin = performance.now();
  const { cpuMicros } = await daemon.during(() =>
    publisher.call("publishAtRate", { perSecond: 200, seconds, size: 1 }),
  );
  const elapsed = performance.now() - begin;
  // A window a little shorter than the budget's second: what two processes' clocks and one socket add is not the daemon's.
  const told = await Promise.all(all.map((one) => one.call("tellArrivals", { windowMs: 950 })));
  const total = told.reduce((sum, one) => sum + one.total, 0);
  const most = Math.max(...told.map((one) => one.most));
  const least = Math.min(...told.map((one) => one.least));
  const burst = Math.max(...told.map((one) => one.mostInWindow));
  const seconds_ = elapsed / 1000;
  return [
    figureLine(slowTitle(settings, text), "of a core", [cpuMicros / 1000 / elapsed], atMost(0.5), {
      note: `${Math.round(total / seconds_)} deliveries/s; in ${seconds_.toFixed(1)} s each got ${least} to ${most}; at most ${burst} within 950 ms`,
    }),
    figureLine(
      "the same: events that any of them got, over 1/s and a burst of 1",
      "×",
      [most / (seconds_ + 1)],
      atMost(1),
    ),
  ];
}
