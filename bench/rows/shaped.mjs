// Sentences at three a second, compared with the cost of a pass-through subscription.
import { aimedLine, atMost, interleaved, ratioLine } from "../measuring.mjs";

const SETS = 8;

export const shaped = {
  name: "shaped",
  title: "Shaped and coalesced text",
  remarks: `
A model's answer in tokens of 4 characters, in the engine alone, to subscribers who want sentences at three a second, beside the same tokens to
one pass-through subscription. CPU a token; the target is about what each distinct set of terms adds. The segmenter's calls stand beside the
events of sentences that were delivered.
`,
  rows: shapedRows,
};

async function shapedRows(stage, { pairs, scale }) {
  const engine = await stage.role("engine");
  const tokens = Math.ceil(40_000 * scale);
  const measured = await interleaved(
    pairs,
    () => engine.call("shaped", { tokens, sets: SETS }),
    () => engine.call("shaped", { tokens, sets: 0 }),
  );
  const single = await interleaved(
    pairs,
    () => engine.call("shaped", { tokens, sets: 1 }),
    () => engine.call("shaped", { tokens, sets: 0 }),
  );
  const spoken = await interleaved(
    pairs,
    () => engine.call("shaped", { tokens, sets: 1, speakable: { code: "announce", links: "host", emoji: "name" } }),
    () => engine.call("shaped", { tokens, sets: 1 }),
  );
  const micros = (pairs) => pairs.map(([shaped, plain]) => [shaped.microsPerToken, plain.microsPerToken]);
  const above = (sets) => ({ unit: "µs above, each", of: ([shaped, plain]) => (shaped - plain) / sets });
  return [
    aimedLine(`${SETS} sets of terms`, "µs CPU a token", micros(measured), above(SETS), atMost(3)),
    aimedLine("one set of terms", "µs CPU a token", micros(single), above(1), atMost(3)),
    ratioLine(
      "one set of terms, with words beside its texts, over the same without",
      "µs CPU a token",
      micros(spoken),
      atMost(2.5),
    ),
    ratioLine(
      "calls of the segmenter, over delivered events of sentences",
      "calls",
      single.map(([{ calls, delivered }]) => [calls, delivered]),
      atMost(2),
    ),
  ];
}
