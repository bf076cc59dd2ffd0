// The Field of Akashik by itself: the CPU of recording, with pushes as text. Its clock stands still, and nothing is kept.
import { createField } from "../../dist/src/protocols/akashik/field/field.js";
import { readRecord } from "../../dist/src/protocols/akashik/messages/record-request.js";
import { createVirtualClock } from "../engine-stage.mjs";
import { serveRole } from "../role.mjs";

/** Words of which interests and contents are made. */
const WORDS = Array.from({ length: 2000 }, (_, index) => `${letters(index)}topic`);
/** Units recorded in one turn of the event loop. */
const IN_TURN = 16;

const fields = new Map();
let pushed = 0;

function letters(number) {
  return [...String(number)].map((digit) => "bcdfghjklm"[Number(digit)]).join("");
}

/** Draws words, the same ones for the same seed. */
function pickFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[Math.floor((state / 2 ** 32) * WORDS.length)];
  };
}

/** A Field with `matching` agents that want every unit, `others` that want other units, and `units` units. `suffix`: of the others' words. */
function openField({ matching, others, units, suffix = "" }) {
  const clock = createVirtualClock();
  let ids = 0;
  const field = createField({
    clock,
    kept: { put: () => {}, remove: () => {} },
    newId: () => {
      ids += 1;
      return ids.toString(16).padStart(16, "0");
    },
    limits: { maxUnits: () => Number.POSITIVE_INFINITY },
  });
  const pick = pickFrom(7);
  const word = () => `${pick()}${suffix}`;
  const link = {
    push: (notification) => {
      pushed += JSON.stringify(notification).length;
      return true;
    },
  };
  const join = (id, interests) => {
    field.register({ id, role: "reader", interests }, link);
    field.subscribe(id, { events: ["memory.recorded"], minRelevance: 0.6, debounceMs: null });
  };
  field.register({ id: "writer", role: "writer", interests: [] });
  for (let index = 0; index < matching; index += 1) join(`matching-${index}`, ["market prices"]);
  for (let index = 0; index < others; index += 1)
    join(`other-${index}`, [`${word()} ${word()}`, `${word()} ${word()} ${word()}`]);
  const record = () => {
    const content = `Market prices: ${Array.from({ length: 12 }, pick).join(" ")}.`;
    const payload = {
      mode: "committed",
      type: "finding",
      content,
      intent: { purpose: "watch the market" },
      confidence: { score: 0.9, reasoning: "Read twice." },
      relations: [],
    };
    const { kind } = field.record("writer", null, readRecord(payload).value);
    if (kind !== "done") throw new Error(`The Field answered ${kind}.`);
  };
  const made = { clock, record };
  run(made, units);
  return made;
}

function run({ clock, record }, count) {
  for (let done = 0; done < count; done += 1) {
    record();
    if (done % IN_TURN === IN_TURN - 1) clock.settle();
  }
  clock.settle();
}

serveRole({
  /** Recording `count` units in a Field of the given size, which lasts: CPU microseconds a unit. */
  record: ({ count, ...size }) => {
    const key = JSON.stringify(size);
    const field = fields.get(key) ?? openField(size);
    fields.set(key, field);
    globalThis.gc?.();
    const before = process.cpuUsage();
    run(field, count);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  },
  /** As `record`, each time in a new Field: its units stay about as many as given. */
  recordAnew: ({ count, ...size }) => {
    const field = openField(size);
    globalThis.gc?.();
    const before = process.cpuUsage();
    run(field, count);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  },
  pushed: () => pushed,
});
