// The cost of finding out that a message has no doubled member.
import { interleaved, ratioLine } from "../measuring.mjs";

export const reading = {
  name: "reading",
  title: "Reading a message",
  remarks: `
CPU to read the text of a message that publishes, beside \`JSON.parse\` of the same text: what is on top finds members that stand twice, nesting that is
too deep, and where the text of each event stands (R19). It is a part of taking an event in.
`,
  rows: readingRows,
};

async function readingRows(stage, { pairs, scale }) {
  const count = Math.ceil(120_000 * scale);
  const engine = await stage.role("engine");
  const lines = [];
  for (const size of [1, 64]) {
    const measured = await interleaved(
      pairs,
      () => engine.call("read", { count, size, isChecked: true }),
      () => engine.call("read", { count, size, isChecked: false }),
    );
    lines.push(ratioLine(size === 1 ? "one event a message" : `arrays of ${size}`, "µs CPU an event", measured));
  }
  return lines;
}
