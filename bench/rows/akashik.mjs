// The Field of Akashik by itself: recording beside recording with fewer subscriptions or fewer units.
import { atMost, interleaved, ratioLine } from "../measuring.mjs";

export const akashik = {
  name: "akashik",
  title: "Recording in the Akashik Field",
  remarks: `
CPU of the Field alone for each recorded unit, with its notifications as text. Each of 10 agents wants every unit. The other agents have two interests
of two and three words, out of 2,000, and want a relevance of 0.6. A unit has 16 words. No other agent is told of it. In the first line no other agent
shares a word with it, in the second line about 300 do. Beside each line stands the Field with these 10 agents alone, or with 100 units. The last line tells every unit to 10,000 agents. Its ratio is by
notification.
`,
  rows: akashikRows,
};

async function akashikRows(stage, { pairs, scale }) {
  const role = await stage.role("akashik-field");
  const count = Math.ceil(2000 * scale);
  const record = (size, units = count, name = "record") =>
    role.call(name, { count: units, units: 100, others: 0, ...size });
  const few = { matching: 10 };
  const withOthers = await interleaved(
    pairs,
    () => record({ ...few, others: 9990 }),
    () => record(few),
  );
  const withStrangers = await interleaved(
    pairs,
    () => record({ ...few, others: 9990, suffix: "other" }),
    () => record(few),
  );
  const unitCount = Math.ceil(100 * scale);
  const withUnits = await interleaved(
    pairs,
    () => record({ ...few, units: 10_000 }, unitCount, "recordAnew"),
    () => record({ ...few, units: 100 }, unitCount, "recordAnew"),
  );
  const fanOut = Math.ceil(20 * scale);
  const withMany = await interleaved(
    pairs,
    async () => (await record({ matching: 10_000 }, fanOut)) / 1000,
    () => record(few),
  );
  return [
    ratioLine("10,000 subscriptions, 10 match", "µs a unit", withStrangers, atMost(2)),
    ratioLine("10,000 subscriptions, 10 match, 300 share a word", "µs a unit", withOthers, atMost(2)),
    ratioLine("10,000 units", "µs a unit", withUnits, atMost(1.5)),
    ratioLine("10,000 subscriptions match", "µs a unit and 10 agents", withMany),
  ];
}
