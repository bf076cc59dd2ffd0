// A listener comes back to its place (R17).
import { expect } from "vitest";
import type { Lane } from "../support/lanes.js";
import { ACCEPTED, chunk, completed, progress, RAW, started, state } from "./events.js";
import { tellOverLanes } from "./over-lanes.js";
import type { Part } from "./scenario.js";

const PLACED: Part = { capabilities: { coalesce_boundaries: ["none"], aaepd: { checkpoints: true } } };
const resuming = (after: unknown): Part => ({ ...RAW, extensions: { aaepd: { resume_after: after } } });
const resumed = (how: string): Part => ({ ...ACCEPTED, honored_capabilities: { aaepd: { resumed: how } } });

/** Its place, in an acceptance. */
const PLACE = { place: "honored_capabilities.aaepd.cursor" };

const ofTheStream = ({ transport }: Lane): string | undefined =>
  transport === "sse" ? "its places are ids of the stream, which are tried at a base address (N8)" : undefined;

tellOverLanes([
  {
    name: "R17: a listener that names its place gets what came since, once, and no sum",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      { do: "publish", events: [started(), state("idle", "thinking")] },
      { do: "hears", who: "reader", events: [started(), state("idle", "thinking")] },
      { do: "renegotiate", who: "reader", capabilities: {}, answer: ACCEPTED, save: PLACE },
      { do: "close", who: "reader" },
      { do: "publish", events: [progress(10), progress(20), chunk("Text.", true)] },
      { do: "subscribe", who: "reader", request: resuming("$place"), answer: resumed("all") },
      { do: "hears", who: "reader", events: [progress(10), progress(20), chunk("Text.", true)] },
      { do: "publish", events: [completed()] },
      { do: "hears", who: "reader", events: [completed()] },
    ],
    skip: ({ service }) =>
      service?.listener === "client"
        ? "the client leaves out the place of an answer, for it may be ahead of the stream"
        : undefined,
  },
  {
    name: "R17: who comes back with the place of a checkpoint gets what came since, once, and no sum",
    steps: [
      { do: "subscribe", who: "reader", request: PLACED, answer: ACCEPTED },
      { do: "publish", events: [started(), state("idle", "thinking")] },
      { do: "hears", who: "reader", events: [started(), state("idle", "thinking")] },
      { do: "is told its place", who: "reader", save: { place: "cursor" } },
      { do: "close", who: "reader" },
      { do: "publish", events: [progress(10), progress(20), chunk("Text.", true)] },
      { do: "subscribe", who: "reader", request: resuming("$place"), answer: resumed("all") },
      { do: "hears", who: "reader", events: [progress(10), progress(20), chunk("Text.", true)] },
      { do: "publish", events: [completed()] },
      { do: "hears", who: "reader", events: [completed()] },
    ],
    skip: ofTheStream,
  },
  {
    name: "R17: a place is good for whoever names it, under other terms: text goes on where it was",
    steps: [
      { do: "subscribe", who: "reader", request: PLACED, answer: ACCEPTED },
      { do: "publish", events: [started(), chunk("One. Two")] },
      { do: "hears", who: "reader", events: [started(), chunk("One. Two")] },
      { do: "is told its place", who: "reader", save: { place: "cursor" } },
      { do: "close", who: "reader" },
      { do: "publish", events: [chunk(" three. Four")] },
      {
        do: "subscribe",
        who: "another",
        request: { ...resuming("$place"), capabilities: { coalesce_boundaries: ["sentence", "completion"] } },
        answer: resumed("all"),
      },
      { do: "publish", events: [chunk(" five.", true), completed()] },
      {
        do: "hears all",
        who: "another",
        until: "aaep:agent.session.completed",
        check: (events) => {
          const texts = events.filter(({ chunk: text }) => text !== undefined);
          expect(texts[0]).toMatchObject({ position: 8 });
          expect(texts.map(({ chunk: text }) => text).join("")).toBe(" three. Four five.");
        },
      },
    ],
    skip: ofTheStream,
  },
  {
    name: "R17: who was never here, or names a place that nobody knows, gets a summary of each open session",
    steps: [
      { do: "publish", events: [started(), state("idle", "thinking", { event_id: "evt_known" })] },
      { do: "subscribe", who: "new", request: RAW, answer: ACCEPTED },
      { do: "hears", who: "new", events: [state("idle", "thinking", { extensions: { aaepd: { by: "daemon" } } })] },
      // An id of an event is no place.
      { do: "subscribe", who: "lost", request: resuming("evt_known"), answer: resumed("unknown") },
      { do: "hears", who: "lost", events: [state("idle", "thinking", { extensions: { aaepd: { by: "daemon" } } })] },
    ],
  },
]);
