import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { RecordedEvent } from "../../../src/daemon/replay/recorded-session.js";
import { type AgentEvent, topicKind } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { createReplayStage, sessionOf } from "../../support/rigs/replay-stage.js";

const EXAMPLE = new URL("../../../examples/sessions/retirement-planner.ndjson", import.meta.url);

const RECORDED: readonly RecordedEvent[] = readFileSync(EXAMPLE, "utf8")
  .trim()
  .split("\n")
  .map((source, index) => {
    const event = JSON.parse(source) as AgentEvent;
    const kind = topicKind(event.type);
    // Between the events of a session stand those of others.
    const place = { epoch: 5000 + 3 * index, ordinal: index + 1, receivedAt: Date.parse(event.timestamp) };
    return { event, source, kind, at: 0, made: undefined, ...place };
  });
const SESSION = sessionOf(RECORDED, RECORDED[0]?.event.session_id);
const BEGUN_AT = RECORDED[0]?.receivedAt ?? 0;

/** Each output's text, as far as it is new: whoever comes back may be given some of it again, and never less. */
function textsOf(events: readonly { readonly event: AgentEvent }[]): ReadonlyMap<string, string> {
  const texts = new Map<string, readonly string[]>();
  for (const { event } of events) {
    if (typeof event.chunk !== "string") continue;
    const output = String(event.output_id ?? "");
    const known = texts.get(output) ?? [];
    const position = Number(event.position);
    expect(position).toBeLessThanOrEqual(known.length);
    texts.set(output, [...known, ...[...event.chunk].slice(Math.max(0, known.length - position))]);
  }
  return new Map([...texts].map(([output, characters]) => [output, characters.join("")]));
}

const BOUNDARIES: readonly Terms["coalesceBoundaries"][] = [
  ["none"],
  ["sentence", "completion"],
  ["word"],
  ["completion"],
];
const CASES = BOUNDARIES.flatMap((coalesceBoundaries) =>
  [undefined, 0.5].flatMap((maxEventsPerSecond) =>
    [80, 16_384].map((maxChars) => ({ coalesceBoundaries, maxEventsPerSecond, maxChars })),
  ),
);

it.each(CASES)("R10, R17: %j: whoever goes in the middle and comes back has all text, once", (terms) => {
  const whole = textsOf(RECORDED);
  for (const index of [40, 300, 500]) {
    const stage = createReplayStage(SESSION);
    const first = stage.listen(terms);
    stage.clock.advance((RECORDED[index]?.receivedAt ?? 0) - BEGUN_AT);
    const place = first.subscription.cursor();
    first.subscription.close();
    const second = stage.listen(terms, place);
    stage.clock.advance(24 * 3_600_000);
    expect(second.ended).toStrictEqual(["recording_ended"]);
    expect(textsOf([...first.received, ...second.received])).toStrictEqual(whole);
  }
});
