// A listener sets its pace: it pauses, and skips what it has heard enough of (R26).
import { expect } from "vitest";
import { carriesText } from "../support/lanes.js";
import { ACCEPTED, chunk, completed, errored, progress, RAW, started, state } from "./events.js";
import { tellOverLanes } from "./over-lanes.js";

tellOverLanes([
  {
    name: "R26: paused, only critical events go out; afterwards what was held comes coalesced",
    steps: [
      { do: "subscribe", who: "reader", request: { capabilities: { aaepd: { paused: true } } }, answer: ACCEPTED },
      { do: "publish", events: [started(), chunk("One. "), chunk("Two. "), chunk("Three.", true)] },
      { do: "hears nothing", who: "reader" },
      { do: "publish", agent: "other", events: [started({ session_id: "sess_2" }), errored({ session_id: "sess_2" })] },
      { do: "hears", who: "reader", events: [errored({ session_id: "sess_2" })] },
      { do: "renegotiate", who: "reader", capabilities: { aaepd: { paused: false } }, answer: ACCEPTED },
      {
        do: "hears all",
        who: "reader",
        until: "aaep:agent.output.streaming",
        check: (events) =>
          expect(events.at(-1)).toMatchObject({ position: 0, chunk: expect.stringMatching(/^One\. /) }),
      },
    ],
  },
  {
    name: "R26: no text is longer than max_chars, and none is lost",
    steps: [
      { do: "subscribe", who: "reader", request: { capabilities: { aaepd: { max_chars: 80 } } }, answer: ACCEPTED },
      { do: "publish", events: [started(), chunk(`${"word ".repeat(100)}end.`, true), completed()] },
      {
        do: "hears all",
        who: "reader",
        until: "aaep:agent.session.completed",
        check: (events) => {
          const texts = events.flatMap(({ chunk: text }) => (typeof text === "string" ? [text] : []));
          expect(texts.join("")).toBe(`${"word ".repeat(100)}end.`);
          expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(80);
          expect(events.filter(({ complete }) => complete === true)).toHaveLength(1);
        },
      },
    ],
  },
  {
    name: "R26: of an output that is skipped only its end comes, and what follows comes whole",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      { do: "publish", events: [started(), chunk("Long ", false, { output_id: "out_a" })] },
      { do: "hears", who: "reader", events: [started(), chunk("Long ", false, { output_id: "out_a" })] },
      { do: "skip", who: "reader", params: { session_id: "sess_1", output_id: "out_a" } },
      {
        do: "publish",
        events: [chunk("story", false, { output_id: "out_a" }), chunk(".", true, { output_id: "out_a" })],
      },
      { do: "publish", events: [chunk("Next.", true, { output_id: "out_b" })] },
      {
        do: "hears",
        who: "reader",
        events: [
          { output_id: "out_a", chunk: "", complete: true },
          { output_id: "out_b", chunk: "Next.", complete: true, position: 0 },
        ],
      },
      {
        do: "skip",
        who: "reader",
        params: { output_id: "out_a" },
        answer: { type: "aaepd.error", pointer: "/session_id" },
      },
    ],
  },
  {
    name: "R20, R26: a skip with a member that it does not have is refused by the place",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      {
        do: "skip",
        who: "reader",
        params: { session_id: "sess_1", speed: 2 },
        answer: { type: "aaepd.error", pointer: "/speed" },
      },
    ],
    skip: (lane) =>
      carriesText(lane) ? undefined : "the message AaepdSkip has no place for members that it does not know",
  },
  {
    name: "R26: everything that waits is skipped, each open session is summed up, then live",
    steps: [
      { do: "subscribe", who: "reader", request: { capabilities: { max_events_per_second: 1 } }, answer: ACCEPTED },
      { do: "publish", events: [started(), state("idle", "thinking"), progress(1), chunk("One. Two. ")] },
      { do: "hears", who: "reader", events: [started()] },
      { do: "skip", who: "reader", params: {} },
      { do: "advance", ms: 10_000 },
      {
        do: "hears",
        who: "reader",
        events: [{ type: "aaep:agent.state.changed", from_state: "idle", extensions: { aaepd: { by: "daemon" } } }],
      },
      { do: "publish", events: [chunk("Three.", true)] },
      { do: "advance", ms: 10_000 },
      { do: "hears", who: "reader", events: [{ chunk: "Three.", position: 10, complete: true }] },
    ],
  },
]);
