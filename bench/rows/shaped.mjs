// Sentences at three a second, above what a pass-through subscription costs.
import { atMost, figureLine, interleaved } from "../measuring.mjs";

const SETS = 8;

export async function shapedRows(stage, { pairs, scale }) {
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
  const extra = measured.map(([shaped, plain]) => (shaped.microsPerToken - plain.microsPerToken) / SETS);
  const alone = single.map(([shaped, plain]) => shaped.microsPerToken - plain.microsPerToken);
  const calls = single.map(([shaped]) => shaped.calls / shaped.delivered);
  return [
    figureLine(
      `shaped and coalesced, each of ${SETS} sets of terms, above pass-through`,
      "µs CPU a token",
      extra,
      atMost(3),
    ),
    figureLine("shaped and coalesced, one set of terms, above pass-through", "µs CPU a token", alone, atMost(3)),
    figureLine("segmenter calls a delivered event of sentences", "calls", calls, atMost(2)),
  ];
}
