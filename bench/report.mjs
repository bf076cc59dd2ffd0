// Makes the report, a page about the measurements. The descriptions stand beside the rows that measure: nothing is written by hand.
import { FEWEST_PAIRS, isMet } from "./measuring.mjs";

const HEAD = `# Benchmarks

Made by \`npm run bench -- --write\` alone, which takes about 17 minutes; changes by hand are lost. The conclusions from the figures, and the
changes that followed, are in [performance.md](performance.md).

Every figure stands beside what was run beside it on the same machine, in pairs that take turns after a first one that does not count: the ratio
is the median of the pairs' ratios, the spread their least and greatest. Daemon, publishers, receivers and what is compared are processes of
their own. The event is an \`output.streaming\` of 471 bytes unless said otherwise. Absolute figures move from machine to machine and with what
else it does; ratios move less.
`;

/** The page. `result` has the lines of each section; `sections` describe the comparisons (name, title, remarks). */
export function reportOf(result, sections) {
  const all = sections.map((section) => ({
    ...section,
    ...result.sections.find(({ name }) => name === section.name),
  }));
  return [HEAD, machinePart(result), summary(all), ...all.map(sectionPart)].join("\n");
}

function machinePart({ at, commit, cpu, cores, memoryGiB, system, node, disk, pairs }) {
  return `## Machine

| | |
|---|---|
| processor | ${cpu}, ${cores} cores |
| memory | ${memoryGiB} GiB |
| system | ${system} |
| Node | ${node} |
| disk | ${disk.fileSystem}, ${disk.syncMicros} µs until 4 KiB are on it |
| run | ${at.slice(0, 16).replace("T", " ")} UTC, commit ${commit ?? "unknown"}, ${pairsText(pairs)} |
`;
}

function pairsText(pairs) {
  if (pairs <= FEWEST_PAIRS) return pairs === 1 ? "one pair a row" : `${pairs} pairs a row`;
  return `${pairs} pairs a row, ${FEWEST_PAIRS} where they take long`;
}

function summary(sections) {
  const all = sections.flatMap(({ title, lines }) => lines.map((line) => ({ title, line })));
  const aimed = all.filter(({ line }) => isMet(line) !== undefined);
  const missed = aimed.filter(({ line }) => !isMet(line));
  const list = missed
    .map(({ title, line }) => `- ${title}: ${line.what}: ${reached(line)}, where the target is ${targetText(line)}\n`)
    .join("");
  const told = missed.length === 0 ? "" : `Missed:\n\n${list}`;
  return `## Targets\n\n${aimed.length - missed.length} of ${aimed.length} are met. ${told}`;
}

function sectionPart({ title, remarks, lines }) {
  const rows = lines.map((line) => row(line)).join("\n");
  const notes = lines.filter(({ note }) => note !== undefined).map(({ what, note }) => `- ${what}: ${note}.`);
  return `## ${title}

${remarks.trim()}

| what | daemon | beside it | ratio | spread | target | |
|---|---:|---:|---:|---:|---:|---|
${rows}
${notes.length === 0 ? "" : `\n${notes.join("\n")}\n`}`;
}

function row(line) {
  if (line.missing !== undefined) return `| ${line.what} | | | not run: ${line.missing} | | | |`;
  const { what, unit, daemon, beside, ratio, target } = line;
  const verdict = target === undefined ? "" : isMet(line) ? "met" : "**missed**";
  const aim = target === undefined ? "" : targetText(line);
  const spread = line.aim === undefined ? "" : `; ${reached(line)}`;
  return `| ${what} | ${figure(daemon)} ${unit} | ${figure(beside)} | ${figure(ratio.median)} × | ${spreadText(ratio)} | ${aim}${spread} | ${verdict} |`;
}

/** The figure that is compared with the target. */
function reached({ aim, ratio }) {
  if (aim === undefined) return `${figure(ratio.median)} ×`;
  const spread = spreadText(aim);
  return `${figure(aim.median)} ${aim.unit}${spread === "" ? "" : ` (${spread})`}`;
}

function targetText({ aim, target: { kind, bound } }) {
  return `${kind} ${bound} ${aim?.unit ?? "×"}`;
}

function spreadText({ least, most }) {
  return least === most ? "" : `${figure(least)} to ${figure(most)}`;
}

/** Rounds to three significant digits. */
function figure(value) {
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

/** A line in the form for the terminal. */
export function lineText(line) {
  const { what, unit, daemon, beside, ratio, target, note, missing } = line;
  if (missing !== undefined) return `        ${what}\n        not run: ${missing}`;
  const verdict = target === undefined ? "known" : isMet(line) ? "met" : "MISSED";
  const aim = target === undefined ? "no target" : `target ${targetText(line)}${line.aim ? `: ${reached(line)}` : ""}`;
  const spread = spreadText(ratio) === "" ? "" : ` (${spreadText(ratio)})`;
  return [
    `${verdict.padEnd(6)}  ${what}`,
    `        ${figure(ratio.median)} ×${spread}, ${aim}  ${figure(daemon)} beside ${figure(beside)} ${unit}`,
    ...(note === undefined ? [] : [`        ${note}`]),
  ].join("\n");
}
