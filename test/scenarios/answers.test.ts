// A person answers, in a listener or in the agent's own dialog, and may ask to stop; a question is announced once (R5, R6, R19, R28, R39).
import { expect } from "vitest";
import {
  ACCEPTED,
  clarification,
  confirmation,
  inExtension,
  invoked,
  progress,
  RAW,
  returned,
  started,
} from "./events.js";
import { tellOverLanes } from "./over-lanes.js";
import type { Part, Step } from "./scenario.js";

/** Never the connection of a subscriber, as a spawned daemon's parent is: whoever asks does not answer (R5). */
const BANKER = "banker";

const QUESTIONS = { supports_clarification_reply: true, event_filters: { include: ["aaep:agent.awaiting.*"] } };
const TELLS_STATUS = { paused: false, max_chars: 16_384, reply_status: true };
const FREE = { type: "clarification.reply", reply_token: "rpl_1", timestamp: "$asked" };

const approvedBy = (who: string): Part => inExtension({ approved_by: who });

const ASKED_AND_CALLED = { include: ["aaep:agent.awaiting.*", "aaep:agent.tool.*", "aaep:agent.progress.*"] };
const TOOLU_1 = "call_f5c4e6778e884ba2005e28ec00430120";
const consented = (consent: string, callId = "toolu_1"): Part =>
  invoked("send_money", { irreversible: true, ...inExtension({ consent, call_id: callId }) });

const hosted = (token: string, eventId: string): Part =>
  confirmation(token, {
    event_id: eventId,
    action: `Do ${token}.`,
    ...inExtension({ host_dialog: true }),
  });

const leftToHost = (question: string): Part => ({
  type: "aaep:agent.state.changed",
  summary_normal: expect.stringContaining("Answer it in the agent’s own window."),
  extensions: { aaepd: { by: "daemon", question, decision: "cancelled", decided_by: "host_window" } },
});

/** A question that a listener can answer is put. */
const PUT_TO_READER: readonly Step[] = [
  {
    do: "subscribe",
    who: "reader",
    request: {
      capabilities: { supports_confirmation_reply: true, event_filters: { include: ["aaep:agent.awaiting.*"] } },
    },
    answer: ACCEPTED,
  },
  { do: "publish", agent: BANKER, events: [started()], save: { token: "resume_token" } },
  { do: "publish", agent: BANKER, events: [confirmation("rpl_1", { event_id: "evt_q" })] },
];

tellOverLanes([
  {
    name: "R28: a question is announced once, is listed, and is sent again when asked for",
    steps: [
      {
        do: "subscribe",
        who: "reader",
        request: { capabilities: { supports_confirmation_reply: true } },
        answer: ACCEPTED,
      },
      { do: "publish", agent: BANKER, events: [started(), confirmation("rpl_1", { event_id: "evt_q" })] },
      {
        do: "hears all",
        who: "reader",
        until: "aaep:agent.awaiting.confirmation",
        check: (events) => expect(events.at(-1)).toMatchObject({ urgency: "critical", reply_token: "rpl_1" }),
      },
      { do: "hears nothing", who: "reader" },
      { do: "list pending", who: "reader", questions: [{ event_id: "evt_q", reply_token: "rpl_1" }] },
      { do: "repeat", who: "reader", eventId: "evt_q" },
      { do: "hears", who: "reader", events: [{ event_id: "evt_q", reply_token: "rpl_1" }] },
      { do: "repeat", who: "reader", eventId: "evt_none", answer: { type: "aaepd.error", code: "not_found" } },
      { do: "repeat", who: "reader", eventId: "x", answer: { type: "aaepd.error", pointer: "/event_id" } },
    ],
  },
  {
    name: "AAEP §6.3, R19: who was asked answers, and the agent finds the outcome",
    steps: [
      ...PUT_TO_READER,
      {
        do: "hears",
        who: "reader",
        events: [{ event_id: "evt_q", reply_token: "rpl_1" }],
        save: { asked: "0.timestamp" },
      },
      {
        do: "call",
        agent: BANKER,
        method: "aaep.outcome_of",
        params: { reply_token: "rpl_1", resume_token: "$token" },
        answer: { state: "open" },
      },
      {
        do: "reply",
        who: "reader",
        message: {
          type: "confirmation.reply",
          reply_token: "rpl_1",
          decision: "accept",
          timestamp: "$asked",
          decided_by: "maria",
          decision_rationale: "It was agreed.",
        },
      },
      { do: "list pending", who: "reader", questions: [] },
      {
        do: "call",
        agent: BANKER,
        method: "aaep.outcome_of",
        params: { reply_token: "rpl_1", resume_token: "$token" },
        answer: {
          state: "resolved",
          event_id: "evt_q",
          decision: "accept",
          resolved_by: "reply",
          decided_by: "maria",
          decision_rationale: "It was agreed.",
        },
      },
      {
        do: "call",
        agent: BANKER,
        method: "aaep.outcome_of",
        params: { reply_token: "rpl_none" },
        error: { code: "not_found", pointer: "/reply_token" },
      },
    ],
  },
  {
    name: "R19: a reply that does not count is told to whoever sent it and asked for that, whatever was wrong with it",
    steps: [
      ...["reader", "late"].map((who) => ({
        do: "subscribe" as const,
        who,
        request: { capabilities: { ...QUESTIONS, aaepd: { reply_status: true } } },
        answer: { ...ACCEPTED, honored_capabilities: { aaepd: TELLS_STATUS } },
      })),
      { do: "subscribe", who: "silent", request: { capabilities: QUESTIONS }, answer: ACCEPTED },
      { do: "publish", agent: BANKER, events: [started(), clarification("rpl_1")] },
      ...["reader", "late", "silent"].map((who) => ({
        do: "hears" as const,
        who,
        events: [{ reply_token: "rpl_1", accepted_response_kinds: ["freetext"] }],
        save: { asked: "0.timestamp" },
      })),
      { do: "reply", who: "reader", message: { ...FREE, response: "" }, counts: false },
      { do: "is told not taken", who: "reader", tokens: ["rpl_1"] },
      { do: "list pending", who: "reader", questions: [{ reply_token: "rpl_1" }] },
      { do: "reply", who: "reader", message: { ...FREE, response: "in May" } },
      { do: "list pending", who: "reader", questions: [] },
      { do: "reply", who: "late", message: { ...FREE, response: "x".repeat(16_385) }, counts: false },
      { do: "is told not taken", who: "late", tokens: ["rpl_1"] },
      { do: "reply", who: "silent", message: { ...FREE, response: "in June" }, counts: false },
      ...["silent", "reader"].flatMap((who) => [
        { do: "list pending" as const, who, questions: [] },
        { do: "is told not taken" as const, who, tokens: [] },
      ]),
    ],
  },
  {
    name: "R5a: a question that was answered in the agent's own dialog is withdrawn, and permits nothing that cannot be undone",
    steps: [
      ...PUT_TO_READER,
      { do: "hears", who: "reader", events: [{ event_id: "evt_q", reply_token: "rpl_1" }] },
      ...(
        [
          [{ decision: "accept" }, "/decided_by"],
          [{ decided_by: "host" }, "/decision"],
          [{ decided_by: "maria", decision: "accept" }, "/decided_by"],
        ] as const
      ).map(([said, pointer]) => ({
        do: "call" as const,
        agent: BANKER,
        method: "aaep.cancel",
        params: { reply_token: "rpl_1", resume_token: "$token", ...said },
        error: { code: "invalid_params", pointer, rule: "R5a" },
      })),
      {
        do: "call",
        agent: BANKER,
        method: "aaep.cancel",
        params: { reply_token: "rpl_1", resume_token: "$token", decided_by: "host", decision: "accept" },
        answer: { cancelled: true },
      },
      {
        do: "hears",
        who: "reader",
        events: [
          {
            type: "aaep:agent.state.changed",
            extensions: { aaepd: { by: "daemon", question: "evt_q", decision: "accepted", decided_by: "host" } },
          },
        ],
      },
      { do: "list pending", who: "reader", questions: [] },
      {
        do: "call",
        agent: BANKER,
        method: "aaep.cancel",
        params: { reply_token: "rpl_1", resume_token: "$token" },
        answer: { cancelled: false },
      },
      {
        do: "call",
        agent: BANKER,
        method: "aaep.outcome_of",
        params: { reply_token: "rpl_1", resume_token: "$token" },
        answer: { state: "resolved", resolved_by: "host", decided_by: "host", decision: "accept" },
      },
      {
        do: "is refused",
        agent: BANKER,
        events: [{ ...invoked("transfer"), ...approvedBy("host"), irreversible: true }],
        error: { code: "confirmation_required", pointer: "/irreversible" },
      },
      {
        do: "is refused",
        agent: BANKER,
        events: [{ ...invoked("transfer"), ...approvedBy("maria") }],
        error: { code: "invalid_event", pointer: "/extensions/aaepd/approved_by", rule: "R5a" },
      },
      { do: "publish", agent: BANKER, events: [{ ...invoked("transfer"), ...approvedBy("host") }] },
    ],
  },
  {
    name: "R5b: a question of a host's own dialog is left to its window by a listener and where nobody is left, and has no default",
    steps: [
      {
        do: "subscribe",
        who: "reader",
        request: {
          capabilities: { supports_confirmation_reply: true, event_filters: { include: ["aaep:agent.awaiting.*"] } },
        },
        answer: ACCEPTED,
      },
      { do: "publish", agent: BANKER, events: [started()], save: { token: "resume_token" } },
      { do: "publish", agent: BANKER, events: [confirmation("rpl_0", { event_id: "evt_0" })] },
      { do: "hears", who: "reader", events: [{ reply_token: "rpl_0" }] },
      {
        do: "leave to the host",
        who: "reader",
        token: "rpl_0",
        answer: { type: "aaepd.error", code: "invalid_params", pointer: "/reply_token", rule: "R5b" },
      },
      {
        do: "leave to the host",
        who: "reader",
        token: "rpl_9",
        answer: { type: "aaepd.error", code: "not_found", pointer: "/reply_token", rule: "R5b" },
      },
      { do: "leave to the host", who: "reader", token: "x", answer: { type: "aaepd.error", code: "invalid_message" } },
      { do: "list pending", who: "reader", questions: [{ reply_token: "rpl_0" }] },
      { do: "publish", agent: BANKER, events: [hosted("rpl_1", "evt_1"), hosted("rpl_2", "evt_2")] },
      { do: "hears", who: "reader", events: [{ reply_token: "rpl_1" }, { reply_token: "rpl_2" }] },
      { do: "leave to the host", who: "reader", token: "rpl_1" },
      { do: "hears", who: "reader", events: [leftToHost("evt_1")] },
      {
        do: "call",
        agent: BANKER,
        method: "aaep.outcome_of",
        params: { reply_token: "rpl_1", resume_token: "$token" },
        answer: { state: "resolved", resolved_by: "cancelled", decision: undefined },
      },
      { do: "close", who: "reader" },
      {
        do: "call",
        agent: BANKER,
        method: "aaep.outcome_of",
        params: { reply_token: "rpl_2", resume_token: "$token" },
        answer: { state: "resolved", resolved_by: "cancelled", decision: undefined },
      },
    ],
  },
  {
    name: "R5c: a call names the consent that a reply gave, and the id that its host has for it",
    steps: [
      {
        do: "subscribe",
        who: "reader",
        request: { capabilities: { supports_confirmation_reply: true, event_filters: ASKED_AND_CALLED } },
        answer: ACCEPTED,
      },
      { do: "publish", agent: BANKER, events: [started()] },
      { do: "publish", agent: BANKER, events: [confirmation("rpl_1", { extra_context: { tool: "Send Money" } })] },
      { do: "hears", who: "reader", events: [{ reply_token: "rpl_1" }], save: { asked: "0.timestamp" } },
      {
        do: "is refused",
        agent: BANKER,
        events: [consented("rpl_1")],
        error: { code: "confirmation_required", pointer: "/extensions/aaepd/consent", rule: "R5c" },
      },
      {
        do: "reply",
        who: "reader",
        message: { type: "confirmation.reply", reply_token: "rpl_1", timestamp: "$asked", decision: "accept" },
      },
      { do: "hears", who: "reader", events: [{ type: "aaep:agent.state.changed" }] },
      { do: "publish", agent: BANKER, events: [consented("rpl_1")] },
      // The SHA-256 of "sess_1", NUL and "toolu_1", by another program.
      { do: "hears", who: "reader", events: [{ tool: "send_money", tool_call_id: TOOLU_1 }] },
      { do: "publish", agent: BANKER, events: [progress(50, inExtension({ call_id: "toolu_1" }))] },
      { do: "hears", who: "reader", events: [{ extensions: { aaepd: { tool_call_id: TOOLU_1 } } }] },
      {
        do: "is refused",
        agent: BANKER,
        events: [progress(50, inExtension({ call_id: "toolu_2" }))],
        error: { code: "tool_not_invoked", pointer: "/extensions/aaepd/call_id" },
      },
      {
        do: "is refused",
        agent: BANKER,
        events: [consented("rpl_1", "toolu_2")],
        error: { code: "confirmation_required", pointer: "/extensions/aaepd/consent" },
      },
      {
        do: "is refused",
        agent: BANKER,
        events: [{ ...returned("send_money"), ...inExtension({ call_id: "" }) }],
        error: { code: "invalid_event", pointer: "/extensions/aaepd/call_id", rule: "R5c" },
      },
      {
        do: "publish",
        agent: BANKER,
        events: [{ ...returned("send_money"), ...inExtension({ call_id: "toolu_1" }) }],
      },
      { do: "hears", who: "reader", events: [{ type: "aaep:agent.tool.completed", tool_call_id: TOOLU_1 }] },
    ],
  },
  {
    name: "R39: an agent that cannot be asked to stop, and a session that is not open",
    steps: [
      {
        do: "subscribe",
        who: "reader",
        request: { capabilities: { supports_confirmation_reply: true } },
        answer: ACCEPTED,
      },
      { do: "subscribe", who: "mute", request: RAW, answer: ACCEPTED },
      { do: "publish", agent: BANKER, events: [started()] },
      ...(
        [
          ["reader", "sess_1", "unsupported"],
          ["reader", "sess_9", "not_found"],
          ["reader", "x", "invalid_message"],
          ["mute", "sess_1", "permission_denied"],
        ] as const
      ).map(([who, sessionId, code]) => ({
        do: "stop" as const,
        who,
        sessionId,
        answer: { type: "aaepd.error", code, rule: "R39" },
      })),
    ],
  },
  {
    name: "AAEP §5.3.1.4, R6: a subscription that cannot answer is told of a question, and is not asked",
    steps: [
      {
        do: "subscribe",
        who: "asked",
        request: { capabilities: { supports_confirmation_reply: true } },
        answer: ACCEPTED,
      },
      { do: "subscribe", who: "told", request: RAW, answer: ACCEPTED },
      { do: "publish", agent: BANKER, events: [started(), confirmation("rpl_1")] },
      {
        do: "hears",
        who: "told",
        events: [started(), { type: "aaep:agent.state.changed", to_state: "awaiting_input" }],
      },
      { do: "list pending", who: "told", questions: [] },
      { do: "list pending", who: "asked", questions: [{ reply_token: "rpl_1" }] },
      { do: "close", who: "asked" },
      {
        do: "hears all",
        who: "told",
        until: "aaep:agent.state.changed",
        check: (events) => expect(JSON.stringify(events)).not.toContain("rpl_1"),
      },
    ],
  },
]);
