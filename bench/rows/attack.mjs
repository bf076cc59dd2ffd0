// The effect of attacks on the daemon's time, measured by an ordinary bystander.
import { ATTACKS } from "../attacks.mjs";
import { createStage } from "../children.mjs";
import { aimedLine, atMost, FEWEST_PAIRS, inTime, median, missingLine, ratioLine } from "../measuring.mjs";

const EVENTS = 400;
const EVERY_MS = 5;
const WORST_MS = 100;
const TIMES_IDLE = 10;
/** How long missing events are awaited after the last event. */
const LIMIT_MS = 30_000;
/** Longest preparation of an attack, ms. */
const PREPARE_MS = 60_000;
const MINUTES = 60_000;

export const attack = {
  name: "attack",
  title: "Critical events under attack",
  longestMs: 90 * MINUTES,
  remarks: `
A bystander is an agent and a subscriber with default terms in one process. An attacker is another process: it makes one attack over and over, as
fast as the daemon takes it, and all its subscribers read. The bystander schedules ${EVENTS} critical events, one each ${EVERY_MS} ms (beside 500 subscribers, who get them too, each 50 ms), whatever has arrived.
Each is timed from its scheduled instant to its arrival, so the figure includes a daemon that does not read. Beside it: the same daemon before the
attack. Every round has a daemon of its own, and there are at most ${FEWEST_PAIRS} rounds. An event that has not arrived ${LIMIT_MS / 1000} s after the last one was due
counts with the time until then, and a note says so. The first two rows are no attack: a process that is as busy, and sends nothing, shows what
sharing the processor's cores does to the figures. The attacks are in \`bench/attacks.mjs\`.
`,
  rows: attackRows,
};

async function attackRows(_, settings) {
  const lines = [];
  for (const one of ATTACKS.filter(({ name }) => settings.attacks?.includes(name) ?? true)) {
    const rounds = [];
    console.log(`        ${one.what} …`);
    try {
      for (let left = Math.min(settings.pairs, FEWEST_PAIRS); left > 0; left -= 1) {
        rounds.push(await roundOnStage(one, settings));
      }
    } catch (error) {
      // A failed attack must not lose the others; only a quick run stops, because it looks for such failures.
      if (settings.quick) throw error;
      lines.push(missingLine(one.what, error.message));
      continue;
    }
    lines.push(...linesOf(one, rounds));
  }
  return lines;
}

/** A round on a stage of its own, with folders that no other daemon has written to. */
async function roundOnStage(one, settings) {
  const stage = createStage(settings);
  try {
    const round = await roundOf(one, stage, settings);
    if (settings.quick) checkRound(one, round);
    return round;
  } finally {
    // A blocked daemon cannot end in order.
    await stage.close(settings.profile === undefined ? { patienceMs: 0 } : {});
  }
}

/** The bystander's figures without and under the attack, in ms, and the repetitions of the attack. */
async function roundOf({ name, options = [], over, everyMs = EVERY_MS }, stage, { quick, scale }) {
  const servicePath = stage.path("service");
  const [daemon, bystander, attacker] = await Promise.all([
    stage.daemon(...options, ...(over === undefined ? [] : [`--${over}`, `unix:${servicePath}`])),
    stage.role("bystander"),
    stage.role("attacker"),
  ]);
  const measure = (count, everyMs) => bystander.call("measure", { count, everyMs, limitMs: LIMIT_MS });
  const count = quick ? EVENTS / 20 : EVENTS;
  await bystander.call("open", { path: daemon.socket });
  await measure(count, 1);
  const idle = await measure(count, everyMs);
  const how = { name, path: daemon.socket, servicePath, scale };
  await inTime(attacker.call("prepare", how), PREPARE_MS, "The attack could not be prepared within a minute.");
  await attacker.call("begin");
  const attacked = await measure(count, everyMs);
  const told = await attacker.call("tell", { waitMs: quick ? LIMIT_MS : 0 });
  return { idle, attacked, ...told };
}

/** Throws if the attack did not work, or the daemon did not. */
function checkRound({ name, mayBeRefused = false }, { repeats, refused, refusal, failure, attacked }) {
  if (refused > 0 && !mayBeRefused) throw new Error(`The attack "${name}" was refused: ${refusal}`);
  if (repeats === 0) throw new Error(`The attack "${name}" could not be made: ${failure ?? "it takes too long."}`);
  if (attacked.missing > 0) throw new Error(`Under the attack "${name}" ${attacked.missing} events did not arrive.`);
}

function linesOf({ what, isControl = false, mayBeRefused = false }, rounds) {
  const of = (figure) => rounds.map(({ attacked, idle }) => [attacked[figure], idle[figure]]);
  const target = (bound) => (isControl ? undefined : atMost(bound));
  const note = noteOf(rounds, mayBeRefused);
  return [
    { ...ratioLine(`${what}: p99`, "ms", of("p99"), target(TIMES_IDLE), { note }), rounds },
    aimedLine(`${what}: the worst`, "ms", of("worst"), { unit: "ms", of: ([ours]) => ours }, target(WORST_MS)),
  ];
}

function noteOf(rounds, mayBeRefused) {
  const middle = (of) => Number(median(rounds.map(of)).toPrecision(3)).toLocaleString("en");
  const found = (of) => rounds.map(of).find((one) => one !== undefined);
  const refusal = mayBeRefused ? undefined : found((round) => round.refusal);
  const failure = found((round) => round.failure);
  const lastWords = found(({ attacked }) => attacked.lastWords);
  return [
    `attacks made: ${middle(({ repeats }) => repeats)}; p50 ${middle(({ attacked }) => attacked.p50)} ms`,
    ...(rounds.some(({ attacked }) => attacked.missing > 0)
      ? [`not arrived in time: ${middle(({ attacked }) => attacked.missing)} of ${EVENTS} events`]
      : []),
    ...(refusal === undefined ? [] : [`refused: ${refusal.slice(0, 200)}`]),
    ...(failure === undefined ? [] : [`the attack ended: ${failure.split("\n")[0]}`]),
    ...(lastWords === undefined ? [] : [`a connection of the bystander's was closed: ${lastWords.slice(0, 200)}`]),
  ].join("; ");
}
