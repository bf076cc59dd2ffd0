// Makes examples/sessions/*.ndjson from the scripts in scripts/sessions/. The texts were written for the purpose; the cut into tokens comes
// from a real BPE tokenizer, and the pace is modelled on an LLM's stream. The same input gives the same bytes: random numbers come from a seeded
// generator, and dates are fixed.
//
//   node scripts/make-sessions.mjs           write the files and print a table of them
//   node scripts/make-sessions.mjs --check   fail if a file differs from the result
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { decodeGenerator, encode } from "gpt-tokenizer/encoding/o200k_base";
import { arabicLibrary } from "./sessions/arabic-library.mjs";
import { japaneseTravel } from "./sessions/japanese-travel.mjs";
import { parallelTools } from "./sessions/parallel-tools.mjs";
import { retirementPlanner } from "./sessions/retirement-planner.mjs";
import { yorubaMarket } from "./sessions/yoruba-market.mjs";

export const TOKENIZER = "o200k_base";

const SESSIONS = [retirementPlanner, parallelTools, yorubaMarket, japaneseTravel, arabicLibrary];
const FOLDER = new URL("../examples/sessions/", import.meta.url);

/** Every file of this script, as [file name, text]. */
export function sessionFiles() {
  return SESSIONS.map((session) => {
    const lines = sessionEvents(session).map((event) => JSON.stringify(event));
    return [`${session.name}.ndjson`, `${lines.join("\n")}\n`];
  });
}

/**
 * Cuts a text as an agent's decoder passes it on: one chunk for each token, except that the bytes of a character cut by a token are held back until
 * the character is whole. Each chunk has the number of its tokens.
 */
export function tokenChunks(text) {
  let read = 0;
  function* counted() {
    for (const token of encode(text)) {
      read += 1;
      yield token;
    }
  }
  const chunks = [];
  let before = 0;
  for (const chunk of decodeGenerator(counted())) {
    chunks.push({ text: chunk, tokens: read - before });
    before = read;
  }
  if (chunks.map((chunk) => chunk.text).join("") !== text) throw new Error("The tokens do not decode to their text.");
  return chunks;
}

/** All events of one session, in order. */
function sessionEvents(session) {
  const chance = seededChance(session.seed);
  const sessionId = `sess_${chance.hex(8)}`;
  const startedAt = Date.parse(session.startedAt);
  const calls = new Map();
  const events = [];
  let now = startedAt;

  function emit(type, payload, hints = session.hints) {
    events.push({
      "@context": "https://aaep-protocol.org/context/v1",
      type: `aaep:agent.${type}`,
      event_id: `evt_${chance.hex(16)}`,
      session_id: sessionId,
      timestamp: new Date(now).toISOString(),
      producer: session.producer,
      urgency: payload.urgency ?? DEFAULT_URGENCY[type] ?? "normal",
      ...(hints === undefined ? {} : { localization_hints: hints }),
      ...normalized(payload),
    });
  }

  function emitStep(step) {
    emit(step.type, { ...derivedFields(step, calls, now, startedAt, chance), ...step.event });
  }

  for (const step of session.steps) {
    now += chance.near(step.after ?? 0);
    if (step.output === undefined) emitStep(step);
    else streamOutput(step.output);
  }
  return events;

  function streamOutput(output) {
    const outputId = `out_${chance.hex(4)}`;
    const hints = session.hints === undefined ? undefined : withoutVariants(session.hints);
    const fields = {
      output_id: outputId,
      content_type: output.contentType,
      ...(output.language === undefined ? {} : { language: output.language }),
    };
    const pending = [...(output.during ?? [])];
    let position = 0;
    const chunks = timedChunks(output, chance);
    for (const [index, chunk] of chunks.entries()) {
      now += chunk.gapMs;
      const last = index === chunks.length - 1 && !output.endsEmpty;
      emit("output.streaming", { chunk: chunk.text, position, complete: last, ...fields }, hints);
      position += [...chunk.text].length;
      while (pending[0] !== undefined && index / chunks.length >= pending[0].at) emitStep(pending.shift());
    }
    // Many agents learn that the last token was the last only from the end of the model's stream.
    if (output.endsEmpty) {
      now += chance.between(2, 12);
      emit("output.streaming", { chunk: "", position, complete: true, ...fields }, hints);
    }
  }
}

const DEFAULT_URGENCY = {
  "session.errored": "critical",
  "awaiting.confirmation": "critical",
  "awaiting.clarification": "critical",
  "handoff.requested": "critical",
  "progress.updated": "background",
  "state.changed": "background",
};

/** Measured or random fields that the script of a session leaves open: ids that pair, durations, counts. */
function derivedFields(step, calls, now, startedAt, chance) {
  switch (step.type) {
    case "tool.invoked": {
      const id = `call_${chance.hex(4)}`;
      calls.set(step.call, { id, invokedAt: now });
      return { tool_call_id: id };
    }
    case "tool.completed": {
      const call = calls.get(step.call);
      return { tool_call_id: call.id, duration_ms: now - call.invokedAt };
    }
    case "awaiting.confirmation":
    case "awaiting.clarification":
      return { reply_token: `rpl_${chance.hex(16)}` };
    case "session.completed":
      return { duration_ms: now - startedAt, tool_invocations_count: calls.size };
    default:
      return {};
  }
}

/**
 * Gives each chunk of an output the gap before it, milliseconds: a model's steady pace with jitter. Now and then the network holds a few tokens back
 * and delivers them at once (a burst). At the sentence ends behind the fractions in `pauses`, the model stalls for more than half a second.
 */
function timedChunks(output, chance) {
  const chunks = tokenChunks(output.text);
  const perTokenMs = 1000 / output.tokensPerSecond;
  const pauses = [...output.pauses];
  let burst = 0;
  let owedPause = false;
  return chunks.map((chunk, index) => {
    let gapMs = perTokenMs * chunk.tokens * (0.5 + chance.fraction() * 0.5 + chance.fraction() * 0.5);
    if (burst > 0) {
      burst -= 1;
      gapMs = chance.between(0, 2);
    } else if (chance.fraction() < 0.06) {
      burst = chance.between(3, 9);
      gapMs += burst * perTokenMs;
    }
    if (owedPause) {
      owedPause = false;
      gapMs += chance.between(560, 1150);
    }
    if (pauses[0] !== undefined && index / chunks.length >= pauses[0] && /[.!?。！？؟\n]\s*$/u.test(chunk.text)) {
      pauses.shift();
      owedPause = true;
    }
    return { text: chunk.text, gapMs: index === 0 ? 0 : Math.round(gapMs) };
  });
}

/** Chunks carry one text in one language, so a list of the languages of other fields would be wrong for them. */
function withoutVariants({ available_languages: _, fallback_chain: __, ...hints }) {
  return hints;
}

/** Throws unless everything published is in NFC (AAEP §11). The sources are too; this only catches a slip. */
function normalized(payload) {
  const text = JSON.stringify(payload);
  if (text !== text.normalize("NFC")) throw new Error(`Not in NFC, write it so: ${text}`);
  return payload;
}

/** Mulberry32: 32-bit integer arithmetic only, so that every machine draws the same numbers. */
function seededChance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const fraction = () => next() / 2 ** 32;
  return {
    fraction,
    /** An integer from `low` to `high`, both included. */
    between: (low, high) => low + Math.floor(fraction() * (high - low + 1)),
    /** Within 12 % of `value`, an integer. */
    near: (value) => Math.round(value * (0.88 + fraction() * 0.24)),
    hex: (bytes) => Array.from({ length: bytes }, () => (next() >>> 24).toString(16).padStart(2, "0")).join(""),
  };
}

/** The table of examples/sessions/README.md: counts for each file, a row for each output. */
export function sessionTable() {
  const rows = [
    "| file | events | seconds | output | tokens | chunks | tokens/s | longest pause (s) |",
    "|---|---:|---:|---|---:|---:|---:|---:|",
  ];
  for (const [file, text] of sessionFiles()) {
    const events = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const outputIds = new Set(events.flatMap((event) => event.output_id ?? []));
    const head = `| [\`${file}\`](${file}) | ${events.length} | ${seconds(events.at(0), events.at(-1)).toFixed(1)} |`;
    for (const [index, outputId] of [...outputIds].entries()) {
      const chunks = events.filter((event) => event.output_id === outputId);
      const tokenCount = encode(chunks.map((event) => event.chunk).join("")).length;
      const longest = Math.max(...chunks.slice(1).map((event, before) => seconds(chunks[before], event)));
      const rate = tokenCount / seconds(chunks.at(0), chunks.at(-1));
      const name = chunks[0].language ?? chunks[0].localization_hints?.primary_language ?? "en";
      rows.push(
        `${index === 0 ? head : "| | | |"} ${name}, \`${chunks[0].content_type}\` | ${tokenCount} | ${chunks.length} | ${rate.toFixed(1)} | ${longest.toFixed(2)} |`,
      );
    }
  }
  return rows.join("\n");
}

function seconds(from, to) {
  return (Date.parse(to.timestamp) - Date.parse(from.timestamp)) / 1000;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const check = process.argv.includes("--check");
  for (const [file, text] of sessionFiles()) {
    const path = new URL(file, FOLDER);
    if (!check) writeFileSync(path, text);
    else if (readFileSync(path, "utf8") !== text) {
      console.error(`examples/sessions/${file} is not what scripts/make-sessions.mjs makes; run it.`);
      process.exitCode = 1;
    }
  }
  if (!check) console.log(sessionTable());
}
