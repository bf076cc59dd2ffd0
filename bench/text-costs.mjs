// Milliseconds per 16,384 characters of each kind of text, in one chunk and in tokens: scanned, and cut at one level after the other (R34). Also the
// longest time of one token. CPU time, except for single tokens, because other programs use the machine too. After a build: node bench/text-costs.mjs
// [--json FILE] [NAME]...
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createSegmenter } from "../dist/src/daemon/platform/segmenter.js";
import { TextBoundaries } from "../dist/src/engine/text/text-boundaries.js";
import { KINDS, textOf, tokensOf } from "./text-kinds.mjs";

const LENGTH = 16_384;
const LEVELS = ["sentence", "word", "paragraph"];
const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, rounds: { type: "string", default: "3" } },
});
const segmenter = createSegmenter();

/** CPU time of this process, ms. */
function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Cuts the text as a view does. */
function take(boundaries, level, from) {
  let at = from;
  for (let cut = boundaries.next(at, level); cut !== undefined; cut = boundaries.next(at, level)) {
    boundaries.levelAt(cut);
    boundaries.slice(at, boundaries.cutWithin(at, cut, LENGTH, 65_536));
    at = cut;
  }
  return at;
}

function milliseconds(chunks, language, levels) {
  const boundaries = new TextBoundaries(segmenter);
  const from = levels.map(() => 0);
  let longest = 0;
  const begin = now();
  const step = () => {
    const stepBegin = performance.now();
    boundaries.scanTo(boundaries.length);
    levels.forEach((level, index) => {
      from[index] = take(boundaries, level, from[index]);
    });
    boundaries.forget(Math.min(...from));
    longest = Math.max(longest, performance.now() - stepBegin);
  };
  for (const chunk of chunks) {
    boundaries.append(chunk, language, { markdown: true });
    step();
  }
  boundaries.complete();
  step();
  return { whole: now() - begin, longest };
}

/** The best of some rounds: other work of the machine is not the text's cost. */
function best(chunks, language, levels) {
  const rounds = Array.from({ length: Number(options.rounds) }, () => milliseconds(chunks, language, levels));
  return {
    whole: Math.min(...rounds.map(({ whole }) => whole)),
    longest: Math.min(...rounds.map(({ longest }) => longest)),
  };
}

const chosen = KINDS.filter(([name]) => names.length === 0 || names.includes(name));
// Compiled before the measurement.
for (const [, language, pattern] of KINDS) milliseconds([textOf(pattern, 512)], language, LEVELS);
const rows = chosen.map(([name, language, pattern]) => {
  const text = textOf(pattern, LENGTH);
  const tokens = tokensOf(text);
  const single = Object.fromEntries(LEVELS.map((level) => [level, best([text], language, [level]).whole]));
  const all = best([text], language, LEVELS).whole;
  const inTokens = best(tokens, language, LEVELS);
  return { name, ...single, all, tokens: inTokens.whole, longestToken: inTokens.longest };
});
const columns = ["sentence", "word", "paragraph", "all", "tokens", "longestToken"];
console.log(`${"kind".padEnd(34)}${columns.map((column) => column.padStart(13)).join("")}`);
for (const row of rows)
  console.log(`${row.name.padEnd(34)}${columns.map((column) => row[column].toFixed(2).padStart(13)).join("")}`);
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(rows, undefined, 1));
