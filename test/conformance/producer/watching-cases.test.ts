// What each watching case says of the events that one subscription heard: how many it judged, or what it saw, and in which of them.
import { expect, it } from "vitest";
import { verdictIn } from "../../../src/conformance/findings/finding.js";
import { PRODUCER_CASES } from "../../../src/conformance/producer/all-cases.js";
import { WHOLE } from "../../../src/conformance/producer/hearing.js";
import type { Heard } from "../../../src/conformance/producer/stage.js";

type Message = Readonly<Record<string, unknown>>;

interface Around {
  /** What the subscription asked for. */
  readonly asked?: Message;
  /** The scenario whose session it is; it was asked for before everything. */
  readonly scenario?: string;
  /** The subscription came when the session had begun. */
  readonly isLate?: boolean;
  readonly isLocal?: boolean;
  /** Replies of the suite, each before the event of that place. */
  readonly replies?: Readonly<Record<number, Message>>;
}

/** Events by short names, and the members that they have unless a row says otherwise. */
const EVENTS: Readonly<Record<string, readonly [kind: string, id: string, members: Message]>> = {
  start: ["session.started", "", {}],
  end: ["session.completed", "", {}],
  errored: ["session.errored", "", {}],
  progress: ["progress.updated", "", {}],
  at: ["progress.updated", "timestamp", {}],
  call: ["tool.invoked", "tool_call_id", { tool: "find" }],
  done: ["tool.completed", "tool_call_id", { tool: "find" }],
  chunk: ["output.streaming", "output_id", { chunk: "One." }],
  ask: ["awaiting.confirmation", "reply_token", { action: "Delete.", default_decision: "reject" }],
};

/** `name id {members}`, of which the last two may be absent; `from>to` for a change of the state; or members alone. */
function eventOf(text: string, place: number): Message {
  const [, head = "", members = "{}"] = /^([^{]*)(\{.*)?$/.exec(text) ?? [];
  const base = { event_id: `evt_${place}`, session_id: "sess_1" };
  const own = JSON.parse(members) as Message;
  const [from_state, to_state] = head.split(">");
  if (to_state !== undefined) return { ...base, type: "aaep:agent.state.changed", from_state, to_state };
  const [name = "", id = ""] = head.trim().split(" ");
  const [kind, idName, usual] = EVENTS[name] ?? [];
  if (kind === undefined || idName === undefined) return { ...base, ...own };
  return { ...base, type: `aaep:agent.${kind}`, ...usual, ...(id === "" ? {} : { [idName]: id }), ...own };
}

/** The instant at which an event arrives, ms since the run began, which was in 1970. */
const arrival = (place: number): number => (place + 1) * 1000;

/** The number of what was judged; or what was seen, and the places of the events that show it. */
function judgementOf(id: string, events: string, around: Around): number | string {
  const found = PRODUCER_CASES.find((one) => one.id === id);
  if (found?.kind !== "watching") throw new Error(`no watching case ${id}`);
  const { asked = {}, scenario, isLate = false, isLocal = true, replies = {} } = around;
  const told = events.split(" | ").map(eventOf);
  const line = (way: "sent" | "received", at: number, message: Message) => {
    return { way, at, text: JSON.stringify(message), message };
  };
  const accepted = { type: "subscription.accepted", subscription_id: "sub_1", honored_capabilities: asked };
  const record = [
    line("sent", 0, { type: "subscription.request", capabilities: asked }),
    line("received", isLate ? arrival(0) + 1 : 1, accepted),
    ...told.flatMap((event, place) => {
      const reply = replies[place];
      const came = line("received", arrival(place), event);
      return reply === undefined ? [came] : [line("sent", arrival(place) - 1, reply), came];
    }),
  ];
  const shown = { scenario, isNamed: true, askedAt: 2, overAt: undefined };
  const heard = {
    conversations: [{ startedAt: { at: 0, wallTime: 0 }, record: record.map((one, place) => ({ ...one, place })) }],
    shown: new Map(scenario === undefined ? [] : [["sess_1", shown]]),
    isLocal,
  } as unknown as Heard;
  try {
    return found.judge(heard);
  } catch (caught) {
    const { seen, evidence } = verdictIn(caught) as { seen: string; evidence: readonly { text?: string }[] };
    return `${seen} ${evidence.map(({ text }) => told.findIndex((event) => JSON.stringify(event) === text))}`;
  }
}

const ANSWERS = { asked: { supports_confirmation_reply: true }, scenario: "confirmation" };

/** What is around the events, by the word before them. */
const AROUND: Readonly<Record<string, Around>> = {
  filtered: { asked: { event_filters: {} } },
  answers: ANSWERS,
  session: { scenario: "session" },
  error: { scenario: "error" },
  late: { isLate: true },
  remote: { isLocal: false },
};

/** Rows as `(around) events => judgement`. Where no word says what is around the events, it stands beside the row. */
const CASES: Readonly<Record<string, readonly (string | readonly [row: string, around: Around])[]>> = {
  "P1-session-started": [
    "start | end => 1",
    "end | start => Another event came before session.started. 0,1",
    "(filtered) start | end => 0",
    "start | start => A session began twice. 0,1",
    "a>b | start => Another event came before session.started. 0,1",
  ],
  "P1-one-terminal": [
    "start | end => 1",
    "start => 0",
    "start | end | end => A session ended 2 times. 1,2",
    "(error) start | end => The session of the scenario error does not end with session.errored. 1",
  ],
  "P1-nothing-after-end": [
    "start | end | end => 1",
    "start | end | a>b => An event came after the end of its session. 1,2",
    "(filtered) start | end | a>b => 0",
  ],
  "P1-tool-invoked-first": [
    "start | call c1 | call c2 | done c1 | done c2 => 1",
    "start | call | call | done | done => 1",
    "start | call | done | done => tool.completed has the call of find, which was not invoked or had completed. 3",
    "start | done c1 => tool.completed has the call c1, which was not invoked or had completed. 1",
    "(late) start | done c1 => 0",
  ],
  "P1-tool-completed": [
    "start | call c1 | done c1 | end => 1",
    "start | call c1 => 0",
    "start | call c1 | call c2 | done c1 | end => The call c2 never completed. 2",
    "(session) start | call | calling_tool>thinking | done | end => The state calling_tool is left before the call completes. 2",
    '(session) start | call | calling_tool>waiting | done {"status":"success"} | end => 1',
    '(session) start | call | done {"status":"error"} | end => No tool of the scenario session completes with the status success. 2',
  ],
  "P1-tool-call-unique": [
    "start | call c1 | call c2 | call => 1",
    "start | call => 0",
    "start | call c1 | done c1 | call c1 => c1 is invoked twice. 1,3",
  ],
  "P1-tool-name": [
    "start | call c1 | done c1 => 1",
    'start | call c1 | done c2 {"tool":"other"} => 0',
    'start | call c1 | done c1 {"tool":"other"} => The tool of c1 is now other. 2',
  ],
  "P1-state-first": [
    "start | idle>thinking => 1",
    "start | call | calling_tool>idle => 1",
    "start | thinking>idle => The first state.changed comes from thinking. 1",
    "(late) start | thinking>idle => 0",
  ],
  "P1-state-chain": [
    "start | idle>thinking | call | calling_tool>idle | idle>thinking => 1",
    "start | idle>thinking | awaiting_input>thinking => 1",
    "(answers) start | idle>thinking | awaiting_input>thinking => A state.changed comes from awaiting_input, and the agent was in thinking. 1,2",
    "start | idle>a | call | b>idle => A state.changed comes from b, and the agent was in a or calling_tool. 2,3",
    "start | idle>a => 0",
  ],
  "P1-states-told": [
    "start | call | idle>calling_tool | done | end => 1",
    "start | call | done | end => No state.changed of the session goes to calling_tool. 1",
    "start | idle>calling_tool | call | chunk | end => No state.changed of the session goes to writing_output. 3",
    "(session) start | idle>deciding | end => No state.changed of the session goes to thinking. 0",
    "(session) start | idle>thinking | end => 1",
    "start | call => 0",
  ],
  "P1-timestamp-form": [
    "at 2026-02-28T10:00:00Z | at 2026-02-28T10:00:00.123+05:30 | at 2026-02-28T10:00:00.123456Z | start => 3",
    "at 2026-02-28T10:00:00.1Z => A timestamp has another form. 0",
    "at 2026-02-28 10:00:00Z => A timestamp has another form. 0",
    "at 2026-13-28T10:00:00Z => A timestamp has another form. 0",
  ],
  "P1-timestamp-order": [
    "at 2026-02-28T10:00:01.500Z | at 2026-02-28T10:00:01Z | at 2026-02-28T10:00:01.000999Z => 1",
    "at 2026-02-28T10:00:01.500Z | at 2026-02-28T10:00:00Z => 2026-02-28T10:00:00Z follows 2026-02-28T10:00:01.500Z. 0,1",
    "at 2026-02-28T10:00:01.500Z | at 2026-02-28T10:00:01.499999Z => 2026-02-28T10:00:01.499999Z follows 2026-02-28T10:00:01.500Z. 0,1",
    "at 2026-02-28T10:00:01.000900Z | at 2026-02-28T10:00:01.000899Z => 2026-02-28T10:00:01.000899Z follows 2026-02-28T10:00:01.000900Z. 0,1",
    "at 2026-02-28T10:00:01.500900Z | at 2026-02-28T10:00:01.500Z => 1",
    "(filtered) at 2026-02-28T10:00:01.500Z | at 2026-02-28T10:00:00Z => 0",
  ],
  "P1-timestamp-now": [
    "at 1970-01-01T00:00:01Z | at 1970-01-01T00:00:04Z => 2",
    "start => 0",
    "at 1970-01-01T00:01:01Z => Timestamps are up to 60 s ahead of the arrival, or 0 s before the session was asked for. 0,0",
    "(remote) at 1970-01-01T00:01:01Z => 1",
    "(session) at 1969-12-31T23:59:00Z => Timestamps are up to 0 s ahead of the arrival, or 60 s before the session was asked for. 0,0",
  ],
  "P1-envelope-fields": [
    'start {"@context":"x","timestamp":"x","producer":{}} => 1',
    "start => An event is without @context, timestamp, producer. 0",
  ],
  "P1-envelope-context": [
    'start {"@context":"https://aaep-protocol.org/context/v1"} | start {"@context":["https://aaep-protocol.org/context/v1","x"]} | start => 2',
    'start {"@context":["x","https://aaep-protocol.org/context/v1"]} => The context of an event does not begin with that of AAEP. 0',
  ],
  "P1-event-types": [
    'start | {"type":"https://aaep-protocol.org/types/agent.state.changed"} | {"type":"acme:x"} => 2',
    '{"type":"aaep:agent.dreaming"} => aaep:agent.dreaming is no type of AAEP. 0',
    '{"type":"https://aaep-protocol.org/types/agent.dreaming"} => https://aaep-protocol.org/types/agent.dreaming is no type of AAEP. 0',
    '{"event_id":"evt_0","type":5} => An event has no type that is a text. 0',
  ],
  "P1-id-forms": [
    'start | start {"event_id":"evt_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} => 2',
    'start {"event_id":"evt_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} => An event_id has another form. 0',
    'start {"session_id":"sess_-"} => A session_id has another form. 0',
  ],
  "P1-producer": [
    'start {"producer":{"agent_id":"a"}} | start => 1',
    'start {"producer":{"agent_id":""}} => A producer has no agent_id. 0',
    'start {"producer":null} => A producer has no agent_id. 0',
  ],
  "P1-agent-id-stable": [
    'progress {"producer":{"agent_id":"a"}} | progress {"producer":{"agent_id":"b"}} | progress {"producer":{"agent_id":"a"}} | progress {"producer":{"agent_id":"b"}} => 1',
    'progress {"producer":{"agent_id":"a"}} | progress {"producer":{"agent_id":"b"}} | progress {"producer":{"agent_id":"c"}} => The events of a session have others. 0,1',
    'progress {"producer":{"agent_id":"a"}} | progress {"producer":{"agent_id":"b"}} => 0',
    'start {"producer":{"agent_id":"a 1.2","agent_version":"1.2"},"event_id":"evt_0"} | start {"producer":{"agent_id":"a 1.2","agent_version":"1.2"},"event_id":"evt_1"} | start {"producer":{"agent_id":"a 1.2","agent_version":"1.2"},"event_id":"evt_2"} => It has the agent_version in it. 0',
  ],
  "P1-envelope-reserved": [
    'start {"aaep_version":"1.0.0","@context":"x"} => 1',
    'start {"@graph":[]} => An event has the field @graph. 0',
    'start {"aaep_more":1} => An event has the field aaep_more. 0',
  ],
  "P1-extension-prefix": [
    '{"@context":["a","b"],"type":"acme:x"} | start {"extensions":{"acme":1},"@context":["a","b"]} | start => 2',
    'start {"extensions":{"acme":1},"@context":["a"]} => An extension stands there, and no context of its own. 0',
    '{"@context":"a","type":"acme:x"} => An extension stands there, and no context of its own. 0',
    'start {"extensions":[],"@context":["a","b"]} => The extensions of an event are no object. 0',
    'start {"extensions":{"xsd":1},"@context":["a","b"]} => The prefix xsd is reserved. 0',
    'start {"extensions":{"@x":1},"@context":["a","b"]} => The prefix @x is reserved. 0',
  ],
  "P1-language-declared": [
    'start {"summary_normal":"Hi.","localization_hints":{"primary_language":"en-GB"}} | start => 1',
    'start {"summary_normal":"Hi."} => An event with text has no language tag in localization_hints.primary_language. 0',
    'start {"choices":[{"label":"Yes"}],"localization_hints":{"primary_language":"en_GB"}} => An event with text has no language tag in localization_hints.primary_language. 0',
    'start {"progress":{"description":"Half."}} => An event with text has no language tag in localization_hints.primary_language. 0',
    'start {"localization_hints":{"available_languages":["en",5]}} => 5 is no language tag. 0',
  ],
  "P1-urgency": [
    'ask rpl_1 {"urgency":"critical"} | start => 1',
    'errored {"urgency":"normal"} => The urgency of aaep:agent.session.errored is not critical. 0',
    'ask rpl_1 {"urgency":"normal"} => The urgency of aaep:agent.awaiting.confirmation is not critical. 0',
  ],
  "P1-summary-normal": [
    'start {"summary_normal":"Hi."} | a>b => 1',
    ['start {"summary_terse":"Hi."} => 1', { asked: { preferred_verbosity: "terse" } }],
    'start {"summary_normal":""} => It has none. 0',
  ],
  "P1-aaep-version": [
    'start {"aaep_version":"0.1.0-draft"} | start => 1',
    'start {"aaep_version":"1.0"} => The aaep_version "1.0" was not published. 0',
  ],
  "P1-event-id-unique": [
    "start | end => 2",
    'start | end {"event_id":"evt_0"} => Two different events have the id evt_0. 0,1',
  ],
  "P1-sequence-number": [
    'start {"sequence_number":0} | end {"sequence_number":3} => 1',
    ['start {"sequence_number":0} | end {"sequence_number":3} => 3 follows 0. 0,1', { asked: WHOLE }],
    "start | end => 0",
    'start {"sequence_number":0} | end => Some events of a session have no sequence_number. 1',
    'start {"sequence_number":1} | end {"sequence_number":2} => A session begins with another number. 0',
    '(late) start {"sequence_number":1} | end {"sequence_number":2} => 1',
    'start {"sequence_number":0} | end {"sequence_number":0} => 0 follows 0. 0,1',
  ],
  "P1-output-complete": [
    'start | chunk | chunk {"chunk":"","complete":true} | end => 1',
    "start | chunk => 0",
    'start | chunk | chunk {"chunk":"Two."} | end => A session was completed, and an output of it was not. 2',
    'start | chunk {"complete":true} | chunk {"chunk":"","complete":true} => An output was completed twice. 1,2',
    'start | chunk {"complete":true} | chunk {"chunk":"Two."} | end => Text came after complete: true. 1,2',
    'start | chunk {"output_id":"a","complete":true} | chunk {"chunk":"Two.","output_id":"b"} | end => A session was completed, and an output of it was not. 2',
  ],
  "P1-output-position": [
    'start | chunk {"chunk":"O😀","position":0} | chunk {"chunk":"","position":2} | chunk {"chunk":"","position":3} => 1',
    'start | chunk {"position":0} | chunk {"chunk":"Two.","position":3} => A chunk has the position 3, after 4 characters. 2',
    "start | chunk => 0",
  ],
  "P1-coalesce-hint": [
    'start | chunk {"coalesce_hint":"sentence"} | chunk {"chunk":"","complete":true,"coalesce_hint":"completion"} => 1',
    'start | chunk {"coalesce_hint":"completion"} => A chunk has the hint completion, and is not the last. 1',
    'start | chunk {"coalesce_hint":"line","complete":true} => A chunk has the hint line. 1',
    "start | chunk => 0",
  ],
  "P2-token-form": ["ask rpl_1 | start => 1", "ask token => A reply_token has another form. 0"],
  "P2-token-unique": [
    "ask rpl_1 | ask rpl_2 => 1",
    "ask rpl_1 | ask rpl_1 => Two questions have the same reply_token. 0,1",
    'ask rpl_1 | ask rpl_1 {"event_id":"evt_0"} => 0',
  ],
  "P2-asked-once": [
    'start | ask rpl_1 | ask rpl_2 {"action":"Other."} => 2',
    "start | ask rpl_1 | ask rpl_2 => It was asked for twice at a time. 1,2",
    ["start | ask rpl_1 | ask rpl_2 => 2", { replies: { 2: { reply_token: "rpl_1" } } }],
    'start | ask rpl_1 {"timestamp":"2026-02-28T10:00:00Z","timeout_seconds":5} | ask rpl_2 {"timestamp":"2026-02-28T10:00:05Z"} => 2',
    'start | ask rpl_1 {"timestamp":"2026-02-28T10:00:00Z","timeout_seconds":5} | ask rpl_2 {"timestamp":"2026-02-28T10:00:04Z"} => It was asked for twice at a time. 1,2',
  ],
  "P2-default-reject": [
    'start | ask rpl_1 {"irreversible":true,"risk_level":"high"} | ask rpl_2 {"default_decision":"accept","risk_level":"high"} => 1',
    'start | ask rpl_1 {"default_decision":"accept","reversibility":"irreversible","risk_level":"medium"} => The default is accept. 1',
    'start | ask rpl_1 {"default_decision":"accept","irreversible":true,"risk_level":"low"} => 0',
    'start | ask rpl_1 {"default_decision":"accept"} | a>b | call {"irreversible":true,"risk_level":"high"} => The default is accept. 1,3',
    'start | ask rpl_1 {"default_decision":"accept"} | ask rpl_2 | call {"irreversible":true,"risk_level":"high"} => 1',
  ],
  "P2-irreversible-asked": [
    [
      'start | ask rpl_1 | call {"irreversible":true} => 1',
      { ...ANSWERS, replies: { 2: { reply_token: "rpl_1", decision: "accept" } } },
    ],
    '(answers) start | ask rpl_1 {"default_decision":"accept"} | call {"irreversible":true} => 1',
    [
      'start | ask rpl_1 | call {"irreversible":true} => Nobody had accepted this one. 2',
      { ...ANSWERS, replies: { 2: { reply_token: "rpl_1", decision: "reject" } } },
    ],
    [
      'start | ask rpl_1 | call {"irreversible":true} | call {"irreversible":true} => Nobody had accepted this one. 3',
      { ...ANSWERS, replies: { 2: { reply_token: "rpl_1", decision: "accept" } } },
    ],
    'start | call {"irreversible":true} => 0',
  ],
};

const ROWS = Object.entries(CASES).flatMap(([id, rows]) =>
  rows.map((given): readonly [id: string, row: string, around: Around] =>
    typeof given === "string" ? [id, given, {}] : [id, ...given],
  ),
);

it.each(ROWS)("%s: %s", (id, row, around) => {
  const [, word = "", events = "", judgement] = /^(?:\((\w+)\) )?(.*) => (.*)$/.exec(row) ?? [];
  expect(String(judgementOf(id, events, { ...AROUND[word], ...around }))).toBe(judgement);
});

it("every watching case passes and fails here, but those that other tests judge", () => {
  const ids = (form: RegExp) => new Set(ROWS.flatMap(([id, row]) => (form.test(row) ? [id] : [])));
  const watching = PRODUCER_CASES.flatMap(({ kind, id }) => (kind === "watching" ? [id] : []));
  for (const form of [/ => \d+$/, / => (?!\d+$)/])
    expect(watching.filter((id) => !ids(form).has(id))).toEqual([
      "P1-schema",
      "P1-json",
      "P1-numbers",
      "P3-accepted-form",
    ]);
});
