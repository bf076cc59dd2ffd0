// The agent's side (R2, R3, R8, R33).
import { expect } from "vitest";
import { hasRpcAgent, type Lane } from "../support/lanes.js";
import { ACCEPTED, chunk, completed, errored, invoked, progress, RAW, returned, started, state } from "./events.js";
import { tellOverLanes } from "./over-lanes.js";
import type { Part, Step } from "./scenario.js";

const MANIFEST: Part = {
  "@context": "https://aaep-protocol.org/context/v1",
  type: "aaep:producer.manifest",
  agent_id: "planner",
  agent_version: "1.4.2",
  agent_name: "Planner",
  aaep_versions_supported: ["1.0.0"],
  conformance_levels_supported: [1],
  transports_supported: ["stdio-jsonrpc"],
  languages_supported: ["ha-NG", "en"],
  event_types_emitted: ["aaep:agent.session.*"],
};

const NOW = "2026-05-24T14:00:00.000Z";
/** Written as no serializer would; complete and valid, and in no language. */
const UNTOLD = [
  `{"chunk":"\\u0041\\/\\u00e9 \\ud83d\\ude00","position":0.0,"complete":false,"@context":["https://aaep-protocol.org/context/v1","https://example.org/v1"],`,
  `"type":"aaep:agent.output.streaming","event_id":"evt_unusual1","session_id":"sess_1","timestamp":"${NOW}","producer":{"agent_id":"test-agent"},`,
  `"urgency":"normal","extensions":{"mine":{"10":1.0,"2":1e2,"b":-0,"a":[ ],"10.50":1.23456789012345678901}}}`,
].join("");
/** The same, and it says its language. */
const UNUSUAL = UNTOLD.replace('"urgency":', '"localization_hints": {"primary_language":"\\u0065n-GB" },"urgency":');

/** The second of two such texts. */
const second = (text: string): string =>
  text.replace("unusual1", "unusual2").replace('"position":0.0', '"position":5.0');

const withoutRpcAgent = (reason: string) => (lane: Lane) => (hasRpcAgent(lane) ? undefined : reason);

const YORUBA: Part = { localization_hints: { primary_language: "yo-NG" } };
const IN_YORUBA = ',"localization_hints":{"primary_language":"yo-NG"}}';

/** A reader of what is published as text, in a session that begins in Yoruba. */
const WRITTEN: readonly Step[] = [
  {
    do: "subscribe",
    who: "reader",
    request: { capabilities: { ...(RAW.capabilities as Part), supported_extensions: ["https://example.org/v1"] } },
    answer: ACCEPTED,
  },
  { do: "publish", events: [started(YORUBA), state("idle", "writing_output")] },
  { do: "hears", who: "reader", events: [started(YORUBA), state("idle", "writing_output")] },
  { do: "advance", ms: 0 },
];

tellOverLanes([
  {
    name: "R2: what an agent leaves out is filled in, and it is told under which ids",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      { do: "publish", events: [started()], save: { id: "events.0.event_id", token: "resume_token" } },
      {
        do: "hears",
        who: "reader",
        events: [
          {
            "@context": expect.anything(),
            event_id: "$id",
            timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
            producer: { agent_id: "test-agent" },
            urgency: "normal",
          },
        ],
      },
      { do: "publish", events: [chunk("Héé"), chunk("llo", true), progress(5), completed()] },
      {
        do: "hears",
        who: "reader",
        events: [{ position: 0 }, { position: 3, complete: true }, { urgency: "background" }, { urgency: "normal" }],
      },
    ],
  },
  {
    name: "R2, AAEP §8.2.1: an event that needs nothing goes out byte for byte as it came, however it is written",
    steps: [
      ...WRITTEN,
      { do: "publish text", text: UNUSUAL },
      { do: "publish text", text: `[ ${second(UNUSUAL)} ]` },
      { do: "hears text", who: "reader", text: UNUSUAL },
      { do: "hears text", who: "reader", text: second(UNUSUAL) },
    ],
  },
  {
    name: "R2, AAEP §11.1: an event without a language gets its session's at its end, and all that its agent wrote stays byte for byte",
    steps: [
      ...WRITTEN,
      { do: "publish text", text: ` ${UNTOLD} ` },
      { do: "publish text", text: `[ ${second(UNTOLD)} ]` },
      { do: "hears text", who: "reader", text: `${UNTOLD.slice(0, -1)}${IN_YORUBA}` },
      { do: "hears text", who: "reader", text: `${second(UNTOLD).slice(0, -1)}${IN_YORUBA}` },
    ],
  },
  {
    name: "R2, R33: a field that its event does not have, or a type that no event has, is refused by its place",
    steps: [
      { do: "publish", events: [started()] },
      {
        do: "is refused",
        events: [{ ...state("idle", "thinking"), mood: "good" }],
        error: { code: "invalid_event", pointer: "/mood", rpcCode: -32_000 },
      },
      {
        do: "is refused",
        events: [{ ...progress(5), progress: {} }],
        error: { code: "invalid_event", pointer: "/progress" },
      },
      {
        do: "is refused",
        events: [{ type: "aaep:agent.dance", session_id: "sess_1" }],
        error: { code: "unknown_type", pointer: "/type" },
      },
    ],
  },
  {
    name: "R3: an array is all or nothing, and what is refused is neither delivered nor remembered",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      { do: "publish", events: [started()] },
      {
        do: "is refused",
        events: [state("idle", "thinking", { event_id: "evt_x" }), returned("nobody")],
        error: {
          code: "tool_not_invoked",
          pointer: "/1/tool",
          rule: expect.stringMatching(/4\.5\.2/),
          rpcCode: -32_000,
        },
      },
      { do: "publish", events: [state("idle", "thinking", { event_id: "evt_x" })] },
      { do: "hears", who: "reader", events: [started(), state("idle", "thinking", { event_id: "evt_x" })] },
      { do: "hears nothing", who: "reader" },
    ],
  },
  {
    name: "AAEP §4.5.1, AAEP §4.5.2, AAEP §4.5.4, R3: what is out of order is refused, and the session goes on",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      { do: "is refused", events: [state("idle", "thinking")], error: { code: "session_not_started" } },
      { do: "publish", events: [started()] },
      { do: "is refused", events: [started()], error: { code: "session_already_started" } },
      {
        do: "is refused",
        events: [state("thinking", "deciding")],
        error: { code: "state_mismatch", pointer: "/from_state" },
      },
      { do: "is refused", events: [returned("fetch")], error: { code: "tool_not_invoked" } },
      { do: "publish", events: [chunk("One.", true)] },
      { do: "is refused", events: [chunk("Two.")], error: { code: "output_already_complete" } },
      {
        do: "is refused",
        events: [errored({ urgency: "normal" })],
        error: { code: "urgency_not_allowed", pointer: "/urgency" },
      },
      {
        do: "is refused",
        events: [invoked("delete", { irreversible: true })],
        error: { code: "confirmation_required", rule: expect.stringMatching(/R5|4\.3\.1/) },
      },
      { do: "publish", events: [completed()] },
      { do: "is refused", events: [progress(5)], error: { code: "session_ended" } },
      { do: "hears", who: "reader", events: [started(), chunk("One.", true), completed()] },
    ],
  },
  {
    name: "R3: a repeated publish gets its first answer again and is not delivered twice; other content under the id is refused",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      {
        do: "publish",
        events: [started({ event_id: "evt_1" })],
        save: { token: "resume_token", epoch: "events.0.epoch" },
      },
      {
        do: "call",
        method: "aaep.publish",
        params: started({ event_id: "evt_1" }),
        answer: { events: [{ event_id: "evt_1", epoch: "$epoch" }], resume_token: "$token" },
      },
      {
        do: "is refused",
        events: [progress(5, { event_id: "evt_1" })],
        error: { code: "event_id_reused", pointer: "/event_id" },
      },
      { do: "hears", who: "reader", events: [started()] },
      { do: "hears nothing", who: "reader" },
    ],
  },
  {
    name: "R3, R33: a refused notification is answered by aaep.error, an accepted one by nothing",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      { do: "notify", method: "aaep.publish", params: started() },
      {
        do: "notify",
        method: "aaep.publish",
        params: progress(500, { event_id: "evt_bad" }),
        error: {
          code: "invalid_event",
          pointer: "/progress/percent",
          event_id: "evt_bad",
          message: expect.any(String),
        },
      },
      { do: "notify", method: "aaep.publish", params: [progress(5), completed()] },
      { do: "hears", who: "reader", events: [started(), progress(5), completed()] },
    ],
    skip: withoutRpcAgent("every request of AgentService is answered: it has no notifications"),
  },
  {
    name: "AAEP §9.5.1, R1, R2: an agent declares itself, and its events and the manifest say so",
    steps: [
      {
        do: "call",
        method: "aaep.set_manifest",
        params: { ...MANIFEST, agent_id: "" },
        error: { pointer: "/agent_id" },
      },
      { do: "call", method: "aaep.set_manifest", params: MANIFEST },
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      { do: "publish", events: [started()] },
      {
        do: "hears",
        who: "reader",
        events: [
          started({
            producer: { agent_id: "planner", agent_version: "1.4.2", agent_name: "Planner" },
            localization_hints: { primary_language: "ha-NG" },
          }),
        ],
      },
      {
        do: "call",
        method: "aaep.manifest",
        answer: {
          type: "aaep:producer.manifest",
          aaep_versions_supported: ["1.0.0"],
          languages_supported: expect.arrayContaining(["en", "es", "fr", "de", "ja", "ar"]),
        },
      },
    ],
  },
  {
    name: "R8: an agent that comes back in time takes its session up where it was",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      {
        do: "publish",
        events: [started(), state("idle", "thinking"), invoked("fetch"), chunk("Half")],
        save: { token: "resume_token" },
      },
      { do: "is refused", agent: "intruder", events: [progress(5)], error: { code: "session_not_yours" } },
      { do: "agent leaves" },
      { do: "advance", ms: 4000 },
      {
        do: "call",
        method: "aaep.resume_session",
        params: { session_id: "sess_1", resume_token: "guess" },
        error: { code: "session_not_yours" },
      },
      {
        do: "call",
        method: "aaep.resume_session",
        params: { session_id: "sess_1", resume_token: "$token" },
        answer: {
          session_id: "sess_1",
          open_tools: [{ tool: "fetch" }],
          open_outputs: [{ position: 4 }],
          open_questions: [],
        },
      },
      { do: "advance", ms: 10_000 },
      { do: "publish", events: [chunk("-time.", true), returned("fetch"), completed()] },
      {
        do: "hears all",
        who: "reader",
        until: "aaep:agent.session.completed",
        check: (events) => expect(events.map(({ type }) => type)).not.toContain("aaep:agent.session.errored"),
      },
    ],
  },
  {
    name: "R8, R3a: an agent that does not come back has its session ended for it, everything open closed first",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      { do: "publish", events: [started(), invoked("fetch"), chunk("Half")] },
      { do: "agent leaves" },
      { do: "advance", ms: 5000 },
      {
        do: "hears all",
        who: "reader",
        until: "aaep:agent.session.errored",
        check: (events) => {
          expect(events).toContainEqual(
            expect.objectContaining({ type: "aaep:agent.tool.completed", status: "timeout" }),
          );
          expect(events).toContainEqual(expect.objectContaining({ chunk: "", complete: true, position: 4 }));
          expect(events.at(-1)).toMatchObject({
            error_category: "transient",
            error_code: "AGENT_DISCONNECTED",
            urgency: "critical",
          });
        },
      },
    ],
  },
]);
