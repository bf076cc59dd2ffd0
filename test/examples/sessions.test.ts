// The recorded sessions are real input for the engine's tests, the demo and the benchmarks; here they are held to what they claim.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { schemaFaults } from "../../src/base/schema/schema-faults.js";
import { isCriticalKind, isTerminalKind, type TopicKind, topicKind } from "../../src/engine/event/event.js";
import { coreTypeOf } from "../../src/protocols/aaep/validation/core-types.js";

const FOLDER = new URL("../../examples/sessions/", import.meta.url);

interface RecordedEvent {
  readonly "@context": string;
  readonly type: string;
  readonly event_id: string;
  readonly session_id: string;
  readonly timestamp: string;
  readonly producer: { readonly agent_id: string };
  readonly urgency: string;
  readonly localization_hints?: { readonly primary_language: string; readonly available_languages?: readonly string[] };
  readonly [field: string]: unknown;
}

interface Chunk extends RecordedEvent {
  readonly chunk: string;
  readonly position: number;
  readonly complete: boolean;
  readonly output_id: string;
}

interface Recording {
  readonly file: string;
  readonly lines: readonly string[];
  readonly events: readonly RecordedEvent[];
  /** Chunks by output id, in order. */
  readonly outputs: ReadonlyMap<string, readonly Chunk[]>;
}

function isChunk(event: RecordedEvent): event is Chunk {
  return topicKind(event.type) === "output.streaming";
}

function readRecording(file: string): Recording {
  const text = readFileSync(new URL(file, FOLDER), "utf8");
  if (!text.endsWith("\n")) throw new Error(`${file} does not end with a line feed.`);
  const lines = text.slice(0, -1).split("\n");
  const events = lines.map((line) => JSON.parse(line) as RecordedEvent);
  const outputs = new Map<string, Chunk[]>();
  for (const event of events.filter(isChunk)) {
    outputs.set(event.output_id, [...(outputs.get(event.output_id) ?? []), event]);
  }
  return { file, lines, events, outputs };
}

const recordings = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".ndjson"))
  .map(readRecording);
const allEvents = recordings.flatMap((recording) => recording.events);
const allOutputs = recordings.flatMap((recording) =>
  [...recording.outputs.values()].map((chunks) => ({ name: `${recording.file} ${chunks[0]?.output_id}`, chunks })),
);

function textOf(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => chunk.chunk).join("");
}

function gapsMs(events: readonly RecordedEvent[]): number[] {
  return events
    .slice(1)
    .map((event, index) => Date.parse(event.timestamp) - Date.parse(events[index]?.timestamp ?? ""));
}

function recordingNamed(file: string): Recording {
  const found = recordings.find((recording) => recording.file === file);
  if (found === undefined) throw new Error(`There is no ${file}.`);
  return found;
}

test.each(recordings)(
  "$file: one compact event per line, in NFC and well-formed, within the envelope's bounds",
  (recording) => {
    for (const [index, line] of recording.lines.entries()) {
      const event = recording.events[index];
      expect(JSON.stringify(event)).toBe(line);
      expect(line.normalize("NFC")).toBe(line);
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(65_536);
      expect(event).toMatchObject({
        "@context": "https://aaep-protocol.org/context/v1",
        event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        session_id: expect.stringMatching(/^sess_[0-9a-f]{16}$/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      expect(Object.keys(event ?? {}).length).toBeLessThanOrEqual(32);
      const strings = collectStrings(event);
      expect(strings.filter((string) => string.length > 16_384 || Buffer.from(string).toString() !== string)).toEqual(
        [],
      );
    }
  },
);

function collectStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(collectStrings) : [];
}

test.each(recordings)("$file: every event is valid against the schema of its type", ({ events }) => {
  for (const event of events) {
    const type = coreTypeOf(event.type);
    if (type === undefined) throw new Error(`${event.event_id} is of no core type.`);
    expect(schemaFaults(type.payload, event), event.event_id).toEqual([]);
    expect(type.accepts(event), event.event_id).toBe(true);
  }
});

test("ids are unique over all files", () => {
  const calls = allEvents
    .filter((event) => topicKind(event.type) === "tool.invoked")
    .map((event) => event.tool_call_id);
  const tokens = allEvents.flatMap((event) => event.reply_token ?? []);
  const sessions = recordings.map((recording) => new Set(recording.events.map((event) => event.session_id)));
  const ids = [
    ...allEvents.map((event) => event.event_id),
    ...allOutputs.map((output) => output.name),
    ...calls,
    ...tokens,
  ];
  expect(new Set(ids).size).toBe(ids.length);
  expect(sessions.map((session) => session.size)).toEqual(recordings.map(() => 1));
  expect(new Set(sessions.flatMap((session) => [...session])).size).toBe(recordings.length);
});

test.each(recordings)(
  "$file: AAEP §4.5.1: started first, one terminal event last, urgency as the type demands",
  ({ events }) => {
    const kinds = events.map((event) => topicKind(event.type));
    expect(kinds.indexOf("session.started")).toBe(0);
    expect(kinds.lastIndexOf("session.started")).toBe(0);
    expect(kinds.findIndex(isTerminalKind)).toBe(kinds.length - 1);
    expect(kinds).not.toContain("extension");
    for (const [index, kind] of kinds.entries()) {
      if (isCriticalKind(kind)) expect(events[index]?.urgency).toBe("critical");
      else expect(["background", "normal"]).toContain(events[index]?.urgency);
    }
  },
);

test.each(recordings)(
  "$file: AAEP §4.5.2: every call is completed once, after it was invoked, and never irreversible",
  ({ events }) => {
    const open = new Map<unknown, RecordedEvent>();
    const seen = new Set<unknown>();
    for (const event of events) {
      const id = event.tool_call_id;
      if (topicKind(event.type) === "tool.invoked") {
        expect(seen.has(id)).toBe(false);
        expect(event.irreversible).toBe(false);
        seen.add(id);
        open.set(id, event);
      }
      if (topicKind(event.type) === "tool.completed") {
        const invoked = open.get(id);
        expect(event.tool).toBe(invoked?.tool);
        expect(event.duration_ms).toBe(Date.parse(event.timestamp) - Date.parse(invoked?.timestamp ?? ""));
        open.delete(id);
      }
    }
    expect([...open.keys()]).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
  },
);

const IMPLIED: Partial<Record<TopicKind, string>> = {
  "tool.invoked": "calling_tool",
  "output.streaming": "writing_output",
  "awaiting.confirmation": "awaiting_input",
  "awaiting.clarification": "awaiting_input",
  "handoff.requested": "handing_off",
};

test.each(recordings)("$file: R3a: each state follows from the one before or from what came since", ({ events }) => {
  let acceptable = new Set(["idle"]);
  for (const event of events) {
    const kind = topicKind(event.type);
    const implied = IMPLIED[kind];
    if (kind === "awaiting.confirmation" || kind === "awaiting.clarification")
      expect(acceptable).toContain("awaiting_input");
    if (implied !== undefined) acceptable.add(implied);
    if (kind === "state.changed") {
      expect(acceptable).toContain(event.from_state);
      acceptable = new Set([String(event.to_state)]);
    }
  }
  expect(acceptable).not.toContain("idle");
});

test.each(recordings)("$file: R3b: timestamps never run back, and the session takes 25 to 50 s", ({ events }) => {
  expect(gapsMs(events).filter((gap) => !(gap >= 0))).toEqual([]);
  const seconds = gapsMs(events).reduce((sum, gap) => sum + gap, 0) / 1000;
  expect(seconds).toBeGreaterThanOrEqual(25);
  expect(seconds).toBeLessThanOrEqual(50);
});

test.each(allOutputs)(
  "$name: R13, AAEP §4.5.4: positions count code points, one completing chunk comes last",
  ({ chunks }) => {
    let position = 0;
    for (const chunk of chunks) {
      expect(chunk.position).toBe(position);
      expect(chunk).not.toHaveProperty("coalesce_hint");
      position += Array.from(chunk.chunk).length;
    }
    expect(chunks.map((chunk) => chunk.complete)).toEqual(chunks.map((_, index) => index === chunks.length - 1));
  },
);

test.each(allOutputs)("$name: 30 to 100 chunks per second on average", ({ chunks }) => {
  const seconds = gapsMs(chunks).reduce((sum, gap) => sum + gap, 0) / 1000;
  expect(chunks.length / seconds).toBeGreaterThanOrEqual(30);
  expect(chunks.length / seconds).toBeLessThanOrEqual(100);
});

const answers = allOutputs.filter((output) => output.chunks.length > 100);

test.each(answers)(
  "$name: pauses of more than half a second, and bursts of at least four chunks within 10 ms",
  ({ chunks }) => {
    const gaps = gapsMs(chunks);
    expect(Math.max(...gaps)).toBeGreaterThan(500);
    const bursts = gaps.filter((_, index) => {
      const three = gaps.slice(index, index + 3);
      return three.length === 3 && three.reduce((sum, gap) => sum + gap, 0) <= 10;
    });
    expect(bursts.length).toBeGreaterThan(0);
  },
);

test("there is one answer of a few hundred tokens in every file", () => {
  expect(answers.length).toBe(recordings.length);
  for (const { name, chunks } of answers) {
    expect(chunks.length, name).toBeGreaterThanOrEqual(300);
    expect(chunks.length, name).toBeLessThanOrEqual(700);
  }
});

test("A19: the planner's answer holds what trips sentence splitters up", () => {
  const { events, outputs } = recordingNamed("retirement-planner.ndjson");
  const answer = [...outputs.values()].map(textOf).join("");
  for (const piece of [
    "e.g. ",
    "i.e. ",
    "Dr. ",
    "approx. ",
    " U.S. ",
    "5.0%",
    "$1,150.00",
    "](https://",
    "```python\n",
    "\n- ",
    "\n1. ",
    "\n|",
    "# ",
  ]) {
    expect(answer).toContain(piece);
  }
  expect(events.filter((event) => topicKind(event.type) === "awaiting.clarification")).toHaveLength(1);
  expect(events.filter((event) => topicKind(event.type) === "progress.updated").length).toBeGreaterThan(1);
  const withoutSummary = events.filter(
    (event) => !isChunk(event) && !("summary_terse" in event && "summary_normal" in event),
  );
  expect(withoutSummary).toEqual([]);
  expect(
    events.some((event) => topicKind(event.type) === "state.changed" && event.from_state === "awaiting_input"),
  ).toBe(true);
});

test("the tools of the release check overlap; one fails, one is given up, the end is an error with a remedy", () => {
  const { events } = recordingNamed("parallel-tools.ndjson");
  const running = events.map(
    (_, index) =>
      events.slice(0, index + 1).filter((event) => topicKind(event.type) === "tool.invoked").length -
      events.slice(0, index + 1).filter((event) => topicKind(event.type) === "tool.completed").length,
  );
  expect(Math.max(...running)).toBe(3);
  expect(events.flatMap((event) => event.status ?? []).sort()).toEqual(["error", "success", "timeout"]);
  expect(events.at(-1)).toMatchObject({
    type: "aaep:agent.session.errored",
    urgency: "critical",
    remediation_hint: expect.stringMatching(/\w/),
  });
});

test("the Yoruba session offers every summary in English as well, and its answer carries tone marks without a code point of their own", () => {
  const { events, outputs } = recordingNamed("yoruba-market.ndjson");
  for (const event of events.filter((event) => !isChunk(event))) {
    expect(event.localization_hints).toMatchObject({ primary_language: "yo", available_languages: ["yo", "en"] });
    const plain = Object.keys(event).filter((field) => /^summary_(terse|normal|detailed)$/.test(field));
    expect(plain.length).toBeGreaterThan(0);
    for (const field of plain) expect(event).toHaveProperty(`${field}_en`);
  }
  const inTheMiddle = [...outputs.values()].flat().filter((chunk) => /^\p{M}/u.test(chunk.chunk));
  expect(inTheMiddle.length).toBeGreaterThan(10);
  expect([...outputs.values()].map((chunks) => chunks[0]?.language)).toEqual(["yo", "en"]);
});

test("the Japanese session has no spaces between words, and has a character beyond the basic plane", () => {
  const { events, outputs } = recordingNamed("japanese-travel.ndjson");
  const answer = [...outputs.values()].map(textOf).join("");
  expect(answer).not.toMatch(/\p{Script=Hiragana} \p{Script=Hiragana}/u);
  expect(answer).toMatch(/[\u{10000}-\u{10ffff}]/u);
  expect(answer.length).toBeGreaterThan(Array.from(answer).length);
  expect(events[0]?.localization_hints?.primary_language).toBe("ja");
});
