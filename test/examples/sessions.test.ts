// The recorded sessions are real input for the engine's tests, the demo and the benchmarks; here they are held to what they claim. That each is valid, in
// its events and in their order, is tested with `aaepd validate`.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { topicKind } from "../../src/engine/event/event.js";

const FOLDER = new URL("../../examples/sessions/", import.meta.url);

type RecordedEvent = Readonly<Record<string, unknown>> & { readonly type: string };

interface Recording {
  readonly file: string;
  readonly lines: readonly string[];
  readonly events: readonly RecordedEvent[];
  /** The text of each output, in order. */
  readonly outputs: readonly string[];
}

function readRecording(file: string): Recording {
  const lines = readFileSync(new URL(file, FOLDER), "utf8").trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line) as RecordedEvent);
  const outputs = new Map<unknown, string>();
  for (const { output_id, chunk } of events.filter(isChunk))
    outputs.set(output_id, `${outputs.get(output_id) ?? ""}${chunk}`);
  return { file, lines, events, outputs: [...outputs.values()] };
}

const isChunk = ({ type }: RecordedEvent): boolean => topicKind(type) === "output.streaming";
const ofKind = ({ events }: Recording, kind: string): readonly RecordedEvent[] =>
  events.filter(({ type }) => topicKind(type) === kind);

const RECORDINGS = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".ndjson"))
  .map(readRecording);

function recordingNamed(file: string): Recording {
  const found = RECORDINGS.find((recording) => recording.file === file);
  if (found === undefined) throw new Error(`There is no ${file}.`);
  return found;
}

test.each(RECORDINGS)("$file: one compact event per line, in NFC, and an answer of hundreds of tokens", (recording) => {
  for (const [index, line] of recording.lines.entries()) {
    expect(JSON.stringify(recording.events[index])).toBe(line);
    expect(line.normalize("NFC")).toBe(line);
  }
  const chunks = ofKind(recording, "output.streaming").length;
  expect(chunks).toBeGreaterThanOrEqual(300);
  expect(chunks).toBeLessThanOrEqual(800);
});

test("ids are unique over all files, and each has one session", () => {
  const all = RECORDINGS.flatMap(({ events }) => events);
  const calls = RECORDINGS.flatMap((recording) => ofKind(recording, "tool.invoked").map((one) => one.tool_call_id));
  const ids = [
    ...all.map(({ event_id }) => event_id),
    ...calls,
    ...all.flatMap(({ reply_token }) => reply_token ?? []),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(all.map(({ session_id }) => session_id)).size).toBe(RECORDINGS.length);
});

test("A19: the planner's answer holds what trips sentence splitters up", () => {
  const planner = recordingNamed("retirement-planner.ndjson");
  const pieces = ["e.g. ", "i.e. ", "Dr. ", "approx. ", " U.S. ", "5.0%", "$1,150.00", "](https://"];
  for (const piece of [...pieces, "```python\n", "\n- ", "\n1. ", "\n|", "# "])
    expect(planner.outputs.join("")).toContain(piece);
  expect(ofKind(planner, "awaiting.clarification")).toHaveLength(1);
  expect(ofKind(planner, "progress.updated").length).toBeGreaterThan(1);
});

test("the tools of the release check overlap; one fails, one is given up, the end is an error with a remedy", () => {
  const { events } = recordingNamed("parallel-tools.ndjson");
  let [running, most] = [0, 0];
  for (const { type } of events) {
    if (topicKind(type) === "tool.invoked") running += 1;
    if (topicKind(type) === "tool.completed") running -= 1;
    most = Math.max(most, running);
  }
  expect(most).toBe(3);
  expect(events.flatMap((event) => event.status ?? []).sort()).toEqual(["error", "success", "timeout"]);
  expect(events.at(-1)).toMatchObject({
    type: "aaep:agent.session.errored",
    urgency: "critical",
    remediation_hint: expect.stringMatching(/\w/),
  });
});

test("the Yoruba session offers every summary in English as well, and its answer carries tone marks without a code point of their own", () => {
  const yoruba = recordingNamed("yoruba-market.ndjson");
  for (const event of yoruba.events.filter((one) => !isChunk(one))) {
    expect(event.localization_hints).toMatchObject({ primary_language: "yo", available_languages: ["yo", "en"] });
    const plain = Object.keys(event).filter((field) => /^summary_(terse|normal|detailed)$/.test(field));
    expect(plain.length).toBeGreaterThan(0);
    for (const field of plain) expect(event).toHaveProperty(`${field}_en`);
  }
  const inTheMiddle = yoruba.events.filter(({ chunk }) => /^\p{M}/u.test(String(chunk)));
  expect(inTheMiddle.length).toBeGreaterThan(10);
  expect(yoruba.outputs).toHaveLength(2);
});

test("the Japanese session has no spaces between words, and has a character beyond the basic plane", () => {
  const { events, outputs } = recordingNamed("japanese-travel.ndjson");
  expect(outputs.join("")).not.toMatch(/\p{Script=Hiragana} \p{Script=Hiragana}/u);
  expect(outputs.join("")).toMatch(/[\u{10000}-\u{10ffff}]/u);
  expect(events[0]?.localization_hints).toMatchObject({ primary_language: "ja" });
});
