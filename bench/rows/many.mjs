// Ten thousand subscribers at one event a second each.
import { CORE } from "../events.mjs";
import { aimedLine, atMost, ratioLine } from "../measuring.mjs";
import { receiversFor } from "../receivers-for.mjs";

/**
 * 13,000 characters a second, 80 % of the capacity of one event a second (R10: 16,384 code points): no text is left over that could wait for ever.
 */
const CHUNK_CHARACTERS = 65;

export const slow = {
  name: "slow",
  title: "Ten thousand subscribers at one event a second",
  remarks: `
200 events with ${CHUNK_CHARACTERS} characters of text are published a second; every subscriber gets one event a second, which has the text of all.
CPU as a part of one core. Beside it: a sender that writes one frame of as many bytes to each connection a second, encoded beforehand. The
receivers are the same, and parse. The budget's row has the most events that any of them got, beside one a second and a burst of one.
`,
  rows: slowRows,
};

async function slowRows(stage, { pairs, quick }) {
  const subscribers = quick ? 500 : 10_000;
  const seconds = quick ? 3 : 6;
  const [daemon, bare, publisher] = await Promise.all([
    stage.daemon("--max-concurrent-subscriptions", "16384"),
    stage.role("bare-sender"),
    stage.role("publisher"),
  ]);
  const barePath = stage.path("bare");
  await bare.call("greet", { path: barePath });
  const capabilities = { max_events_per_second: 1, event_filters: { include: [`${CORE}output.streaming`] } };
  await publisher.call("open", { path: daemon.socket, chunkCharacters: CHUNK_CHARACTERS });
  const served = await receiversFor(stage, daemon.socket, subscribers, capabilities);
  const besides = await receiversFor(stage, barePath, subscribers, capabilities);

  const measure = async (sender, receivers, send) => {
    await Promise.all(receivers.map((one) => one.call("noteArrivals")));
    const begin = performance.now();
    const { cpuMicros } = await sender.during(send);
    const elapsed = performance.now() - begin;
    // A window a little shorter than the budget's second, because the clocks of two processes and one socket add jitter that is not the daemon's.
    const told = await Promise.all(receivers.map((one) => one.call("tellArrivals", { windowMs: 950 })));
    const sum = (of) => told.reduce((total, one) => total + of(one), 0);
    return {
      seconds: elapsed / 1000,
      core: cpuMicros / 1000 / elapsed,
      total: sum((one) => one.total),
      bytes: sum((one) => one.bytes),
      most: Math.max(...told.map((one) => one.most)),
      least: Math.min(...told.map((one) => one.least)),
      burst: Math.max(...told.map((one) => one.mostInWindow)),
    };
  };
  const publish = (during) => publisher.call("publishAtRate", { perSecond: 200, seconds: during, size: 1 });
  const runDaemon = () => measure(daemon, served, () => publish(seconds));
  const runBare = ({ total, bytes }) =>
    measure(bare, besides, () => bare.call("sendAtRate", { seconds, bytes: Math.round(bytes / Math.max(1, total)) }));

  // In the first second everybody receives the first event.
  await publish(2);
  const measured = [];
  for (let round = 0; round < Math.min(pairs, 3); round += 1) {
    const ours = await runDaemon();
    measured.push([ours, await runBare(ours)]);
  }
  const [[ours]] = measured;
  const figure = (value) => Math.round(value).toLocaleString("en");
  const what = `${subscribers.toLocaleString("en")} subscribers`;
  return [
    aimedLine(
      `${what}, CPU`,
      "of a core",
      measured.map(([one, other]) => [one.core, other.core]),
      { unit: "of a core", of: ([core]) => core },
      atMost(0.5),
      {
        note: [
          `${figure(ours.total / ours.seconds)} deliveries/s of ${figure(ours.bytes / ours.total)} bytes`,
          `in ${ours.seconds.toFixed(1)} s each got ${ours.least} to ${ours.most}, at most ${ours.burst} within 950 ms`,
        ].join("; "),
      },
    ),
    ratioLine(
      `${what}, the most events that any of them got`,
      "events",
      measured.map(([one]) => [one.most, one.seconds + 1]),
      atMost(1),
    ),
  ];
}
