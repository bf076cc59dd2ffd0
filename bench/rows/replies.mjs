// The effect of forged replies on one connection on a valid reply on another (R19).
import { atMost, median, percentile, ratioLine } from "../measuring.mjs";

const FORGED = 100_000;

export const replies = {
  name: "replies",
  title: "A reply during a flood of forged ones",
  remarks: `
From sending a valid reply to the agent's having its answer: the 99th percentile while another connection sends forged replies as fast as they
are read, beside the same with nothing else going on (R19).
`,
  rows: repliesRows,
};

async function repliesRows(stage, { pairs, quick, scale }) {
  const [daemon, person, forger] = await Promise.all([stage.daemon(), stage.role("replier"), stage.role("replier")]);
  const forged = Math.ceil(FORGED * scale);
  const count = quick ? 20 : 200;
  await person.call("open", { path: daemon.socket });
  const idle = () => person.call("replies", { count, everyMs: 10 });
  /** As many replies as fit into the time of the flood. */
  const flooded = async () => {
    let isOver = false;
    const flood = forger.call("forge", { path: daemon.socket, count: forged }).then(() => {
      isOver = true;
    });
    const micros = [];
    while (!isOver) micros.push(...(await person.call("replies", { count: 1, everyMs: 10 })));
    await flood;
    return micros;
  };
  await idle();
  await flooded();
  const measured = [];
  for (let round = 0; round < (quick ? 1 : pairs); round += 1) {
    measured.push({ quiet: percentile(await idle(), 0.99), under: await flooded() });
  }
  const all = measured.flatMap(({ under }) => under);
  const of = (values) => Math.round(median(values));
  return [
    ratioLine(
      `p99 during ${forged.toLocaleString("en")} forged replies`,
      "µs",
      measured.map(({ quiet, under }) => [percentile(under, 0.99), quiet]),
      atMost(10),
      { note: `p50 ${of(all)} µs, worst ${Math.round(Math.max(...all))} µs, ${all.length} replies` },
    ),
  ];
}
