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
