// The terms of subscriptions that other scenarios do not touch, as AAEP chapter 5 has them.
import { expect } from "vitest";
import {
  ACCEPTED,
  completed,
  confirmation,
  errored,
  invoked,
  progress,
  RAW,
  returned,
  started,
  state,
} from "./events.js";
import type { Part, Scenario } from "./scenario.js";

const honoring = (honored: Part): Part => ({ ...ACCEPTED, honored_capabilities: honored });
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

export const terms: readonly Scenario[] = [
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
    name: "AAEP §12.6.1: members of a later version are no reason to refuse a request, a change or a reply",
    steps: [
      {
        do: "subscribe",
        who: "reader",
        request: {
          subscriber_name: "Reading Lamp 11.2",
          subscriber_version: "11.2",
          correlation_id: "trace-1",
          member_of_a_later_version: { of: ["any", "form"] },
          capabilities: {
            supports_confirmation_reply: true,
            haptic: { patterns: ["pulse"], legend: "ink ".repeat(9000) },
          },
        },
        answer: honoring({ supports_confirmation_reply: true }),
      },
      {
        do: "renegotiate",
        who: "reader",
        capabilities: { event_filters: { include: [] }, later: { of: ["any", "form"] } },
        answer: honoring({ event_filters: { include: [] } }),
      },
      { do: "publish", agent: "banker", events: [started()], save: { token: "resume_token" } },
      {
        do: "publish",
        agent: "banker",
        events: [confirmation("rpl_1")],
      },
      {
        do: "hears",
        who: "reader",
        events: [{ reply_token: "rpl_1", event_id: expect.stringMatching(/^evt_/) }],
        save: { asked: "0.timestamp" },
      },
      {
        do: "reply",
        who: "reader",
        message: {
          type: "confirmation.reply",
          reply_token: "rpl_1",
          decision: "accept",
          timestamp: "$asked",
          later: { of: ["any", "form"] },
        },
      },
      { do: "list pending", who: "reader", questions: [] },
      {
        do: "call",
        agent: "banker",
        method: "aaep.outcome_of",
        params: { reply_token: "rpl_1", resume_token: "$token" },
        answer: { state: "resolved", decision: "accept", resolved_by: "reply" },
      },
    ],
  },
];
