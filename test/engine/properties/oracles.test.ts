// The oracles notice what they are there for: a life that was heard rightly, and the same with one thing wrong in what somebody heard.
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { hearingFaults } from "../../support/oracles/hearing-oracle.js";
import type { Operation } from "../../support/rigs/delivery-plans.js";
import { type Connection, live, type World } from "../../support/rigs/delivery-world.js";
import type { Received } from "../../support/rigs/engine-rig.js";

const say = (text: string, complete = false): Operation => ({ op: "chunk", s: 0, a: 0, o: 0, text, complete });
const state = (to: string): Operation => ({ op: "state", s: 0, a: 1, to, background: false });
const wait = (ms: number): Operation => ({ op: "wait", ms });
const pause = (paused: boolean): Operation => ({ op: "retune", l: 1, terms: { paused } });
const tool: Operation = { op: "tool", s: 0, a: 0 };
const alarm: Operation = { op: "extra", s: 0, a: 0, critical: true };

/** Three listeners: one hears each piece, and can answer; two hear sentences, and cannot: one of them one event a second, one on new terms later. */
function life(): World {
  return live({
    viewWindowCount: 1024,
    queueLimitCount: 256,
    journalCount: 65_536,
    seats: [
      { coalesceBoundaries: ["none"], supportsConfirmationReply: true, maxEventsPerSecond: undefined },
      { coalesceBoundaries: ["sentence", "completion"], maxEventsPerSecond: 1, maxChars: 80 },
      { coalesceBoundaries: ["sentence", "completion"], maxEventsPerSecond: undefined },
    ],
    operations: [
      say("One is said. "),
      wait(6000),
      state("thinking"),
      state("deciding"),
      tool,
      { op: "returned", s: 0 },
      say("Two is said. "),
      wait(6000),
      { op: "ask", s: 0, a: 0, clarify: false, seconds: 1 },
      wait(6000),
      ...Array.from({ length: 6 }, () => tool),
      alarm,
      wait(16_000),
      pause(true),
      alarm,
      pause(false),
      { op: "state", s: 0, a: 0, to: "thinking", background: false },
      { op: "retune", l: 2, terms: { coalesceBoundaries: ["sentence", "paragraph", "completion"] } },
      say("Then"),
      say(" more. "),
      say("The end.", true),
      { op: "end", s: 0, how: "completed" },
    ],
  });
}

type Is = (event: AgentEvent) => boolean;
type Spoil = (received: Received[], connection?: Connection) => void;

const place = (received: readonly Received[], is: Is): number => received.findIndex(({ event }) => is(event));

const lost =
  (is: Is): Spoil =>
  (received) =>
    void received.splice(place(received, is), 1);
const twice =
  (is: Is): Spoil =>
  (received) =>
    void received.splice(place(received, is), 0, received[place(received, is)] as Received);
const altered =
  (is: Is, fields: Readonly<Record<string, unknown>>): Spoil =>
  (received) => {
    const at = place(received, is);
    const got = received[at] as Received;
    received[at] = { ...got, event: { ...got.event, ...fields } as AgentEvent };
  };
/** So many events later than it came. */
const moved =
  (is: Is, by: number): Spoil =>
  (received) => {
    const at = place(received, is);
    received.splice(at + by, 0, ...received.splice(at, 1));
  };
const movedIntoPause =
  (is: Is): Spoil =>
  (received, connection) =>
    moved(is, (connection?.eras[1]?.received ?? 0) - place(received, is))(received);
/** Though everything was skipped before. */
const endedInPause: Spoil = (received, connection) => {
  connection?.skips.push({ output: undefined, journaled: 0, received: 0 });
  movedIntoPause(typed("session.completed"))(received, connection);
};
const atOnce: Spoil = (received) => void received.splice(0, Infinity, ...received.map((got) => ({ ...got, at: 0 })));

const typed =
  (name: string): Is =>
  ({ type }) =>
    type === `aaep:agent.${name}`;
const isText: Is = ({ chunk: text }) => text === "One is said. ";
const isThen: Is = ({ chunk: text }) => String(text).startsWith("Then");
const isLast: Is = ({ complete }) => complete === true;
const isDeciding: Is = ({ to_state: to }) => to === "deciding";
const isAlarm: Is = ({ type }) => type === "example:note.taken";
const UNHINTED = { coalesce_hint: undefined };
const REWRITTEN = { event_id: "evt_made", urgency: "critical" };
/** The first state that its agent tells after the critical event that overtook. */
const isBehindAlarm: Is = ({ to_state: to, producer }) => to === "thinking" && producer.agent_id === "agent-a";
const hasOvertaken: Is = ({ extensions }) => extensions?.aaepd?.overtook !== undefined;
const isQuestion = typed("awaiting.confirmation");

/** What is wrong, in the hearing of which listener, and what an oracle says of it. */
const WRONGS: readonly (readonly [rule: string, seat: number, spoil: Spoil, says: RegExp])[] = [
  ["R10: text never came", 0, lost(isText), /^lost: .*output\.streaming/],
  ["R10: text came twice", 0, twice(isText), /^duplicated: /],
  ["R10: other text came", 0, altered(isText, { chunk: "One was said. " }), /^invented: /],
  ["R10: text came in another order", 0, moved(isText, 6), /^reordered: /],
  ["R10: text is held although nothing holds it up", 0, moved(isText, 6), /was held although/],
  ["R10: text is given before anything shows that it ends", 2, moved(isThen, -1), /before anything showed/],
  ["R10: an output never ended", 0, altered(isLast, { complete: false }), /^lost: /],
  ["R10: a hint below the set's", 1, altered(isText, { coalesce_hint: "word" }), /a hint below/],
  ["R32: no hint where no terms have changed", 2, altered(isText, UNHINTED), /no hint/],
  ["R10: complete by its hint alone", 1, altered(isText, { coalesce_hint: "completion" }), /complete only by its hint/],
  ["R10: text in another language", 0, altered(isText, { language: "ja" }), /other fields than its first chunk's/],
  ["R26: text longer than max_chars", 1, altered(isText, { chunk: "x".repeat(81) }), /80 are the most/],
  ["R26: an ordinary event in a pause", 1, movedIntoPause(isText), /in a pause/],
  ["R26: an end in a pause, though all was skipped", 1, endedInPause, /in a pause/],
  ["R11: a state that nothing explains never came", 0, lost(isDeciding), /state\.changed .*never delivered/],
  ["R17, R27: an event never came", 0, lost(typed("tool.completed")), /^lost: .*tool\.completed/],
  ["R17: an event came twice", 0, twice(typed("tool.completed")), /^duplicated: .*twice/],
  ["R30: text after what released it", 0, moved(isText, 3), /after an event of/],
  ["R30: an instant falls", 0, altered(isDeciding, { timestamp: "2020-01-01T00:00:00.000Z" }), /after 20/],
  ["AAEP §4.2.1: a chain of states has a hole", 0, altered(isDeciding, { from_state: "reading" }), /after thinking/],
  ["AAEP §4.5.2: a tool returns before it was invoked", 0, moved(typed("tool.invoked"), 1), /not invoked before/],
  ["AAEP §4.5.1: something before the start", 0, moved(typed("session.started"), 2), /before the start/],
  ["AAEP §4.5.1: something after the end", 0, moved(typed("session.completed"), -1), /after the end/],
  ["AAEP ch. 3: an event that is none", 0, altered(typed("tool.invoked"), { tool: 5 }), /must/],
  ["R4: a critical event is late", 0, moved(isAlarm, 3), /not in its turn/],
  ["R4: what was overtaken is not said", 1, altered(hasOvertaken, { extensions: undefined }), /overtook undefined/],
  [
    "R4: nothing was overtaken, and it is said",
    0,
    altered(isAlarm, { extensions: { aaepd: { overtook: 1 } } }),
    /nothing was owed/,
  ],
  [
    "R4: how many were overtaken",
    1,
    altered(hasOvertaken, { extensions: { aaepd: { overtook: 6 } } }),
    /overtook 6, but/,
  ],
  ["R4: a critical state that begins earlier", 1, altered(isBehindAlarm, REWRITTEN), /was rewritten/],
  ["R9: more comes than the rate allows", 1, atOnce, /events from/],
  ["R6: one who can answer is not asked", 0, lost(isQuestion), /not asked of one who could answer/],
  ["R28: a question is put twice", 0, twice(isQuestion), /asked 2 times/],
];

function spoiled(seat: number, spoil: Spoil): World {
  const lived = life();
  const connection = lived.connections[seat] as Connection;
  spoil(connection.listener.received, connection);
  return lived;
}

describe("the oracles of delivery", () => {
  it("have nothing to say against a life that was heard rightly", () => {
    const lived = life();
    expect(lived.connections[1]?.listener.received.some(({ event }) => hasOvertaken(event))).toBe(true);
    expect(hearingFaults(lived)).toEqual([]);
  });

  it.each(WRONGS)("notice %s", (_, seat, spoil, says) => {
    expect(hearingFaults(spoiled(seat, spoil))).toContainEqual(expect.stringMatching(says));
  });

  it.each([
    ["R4: a state that begins anew behind the mark", 1, altered(isBehindAlarm, { from_state: "reading" })],
    ["R32: text without a hint where terms have changed", 2, altered(isThen, UNHINTED)],
  ])("have nothing to say against %s", (_, seat, spoil) => {
    expect(hearingFaults(spoiled(seat, spoil))).toEqual([]);
  });
});
