import { ACCEPTED, completed, errored, invoked, progress, RAW, returned, started, state } from "./events.js";
import { tellOverLanes } from "./over-lanes.js";
import type { Part } from "./scenario.js";

const VOCABULARY = "https://example.org/fedlearn/context/v1";
const OWN: Part = {
  "@context": ["https://aaep-protocol.org/context/v1", VOCABULARY],
  type: "fedlearn:model.updated",
  session_id: "sess_1",
  round_number: 47,
  summary_normal: "Round 47.",
};
const DATA: Part = {
  "@context": OWN["@context"],
  extensions: { fedlearn: { pattern: "pulse", strength: 0.5 } },
};

tellOverLanes([
  {
    name: "AAEP §5.3.1.7, AAEP §5.3.1.9: types of an extension come to those that include them, its data to everybody",
    steps: [
      {
        do: "subscribe",
        who: "knows",
        request: {
          capabilities: {
            supported_extensions: [VOCABULARY],
            event_filters: { include: ["fedlearn:*", "aaep:agent.state.*"] },
          },
        },
        answer: ACCEPTED,
      },
      { do: "subscribe", who: "not", request: RAW, answer: ACCEPTED },
      { do: "publish", events: [started(), OWN, state("idle", "daydreaming", DATA), completed()] },
      { do: "hears", who: "knows", events: [OWN, state("idle", "daydreaming", DATA)] },
      // AAEP §4.2.1: a state may have any name.
      { do: "hears", who: "not", events: [started(), state("idle", "daydreaming", DATA), completed()] },
      { do: "hears nothing", who: "knows" },
      { do: "hears nothing", who: "not" },
    ],
  },
  {
    name: "AAEP §5.3.1.10, R15: with low cognitive load nothing of the background comes, text aside",
    steps: [
      { do: "subscribe", who: "calm", request: { capabilities: { cognitive_load: "low" } }, answer: ACCEPTED },
      {
        do: "publish",
        events: [
          started(),
          state("idle", "thinking", { urgency: "background" }),
          progress(10),
          invoked("look"),
          returned("look"),
          errored(),
        ],
      },
      { do: "hears", who: "calm", events: [started(), invoked("look"), returned("look"), errored()] },
      { do: "hears nothing", who: "calm" },
    ],
  },
  {
    name: "R37: words come beside each text, and stop when they are not wanted any more",
    steps: [
      {
        do: "subscribe",
        who: "speaks",
        request: { capabilities: { aaepd: { speakable: { code: "read" } } } },
        answer: {
          honored_capabilities: {
            aaepd: { speakable: { code: "read", links: "host", emoji: "name" }, max_chars: 2000 },
          },
        },
      },
      { do: "publish", events: [started({ summary_normal: "50% `a_b`" })] },
      {
        do: "hears",
        who: "speaks",
        events: [
          {
            ...started({ summary_normal: "50% `a_b`" }),
            "@context": ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"],
            extensions: {
              aaepd: {
                speakable: {
                  summary_normal: [
                    { kind: "prose", from: 0, to: 4, speech: "50 percent ", braille: "50% " },
                    { kind: "inline-code", from: 4, to: 9, speech: "a b", braille: "a_b" },
                  ],
                },
              },
            },
          },
        ],
      },
      {
        do: "renegotiate",
        who: "speaks",
        capabilities: { aaepd: { speakable: false } },
        answer: { honored_capabilities: { aaepd: { max_chars: 16_384 } } },
      },
      { do: "publish", events: [completed()] },
      { do: "hears", who: "speaks", events: [{ ...completed(), extensions: undefined }] },
    ],
  },
]);
