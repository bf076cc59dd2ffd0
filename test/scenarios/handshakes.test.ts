// How subscriptions begin, change and end.
import { expect } from "vitest";
import { answersApart, hasHeartbeats } from "../support/lanes.js";
import {
  ACCEPTED,
  chunk,
  completed,
  confirmation,
  errored,
  invoked,
  progress,
  RAW,
  recording,
  returned,
  started,
  state,
} from "./events.js";
import { tellOverLanes } from "./over-lanes.js";
import type { Part } from "./scenario.js";

const rejected = (reason: string, message: unknown = expect.any(String)): Part => ({
  type: "subscription.rejected",
  reason_code: reason,
  reason_message: message,
});

const TOO_EARLY: Part = { type: "aaepd.error", code: "handshake_required" };
const TEXT_ALONE = { event_filters: { include: ["aaep:agent.output.*"] }, supports_confirmation_reply: true };
const OTHER = { output_id: "out_2" };

tellOverLanes([
  {
    name: "AAEP §5.11, AAEP §5.2.1, AAEP §4.1, AAEP §4.5.1: a session from its handshake to its close",
    steps: [
      {
        do: "subscribe",
        who: "narrator",
        request: {
          subscriber_name: "Narrator",
          capabilities: {
            max_events_per_second: 100,
            languages: ["en-US"],
            coalesce_boundaries: ["sentence", "completion"],
            supported_conformance_levels: [1, 2],
            supports_confirmation_reply: true,
            supports_clarification_reply: true,
          },
        },
        answer: {
          ...ACCEPTED,
          subscription_id: expect.stringMatching(/^sub_[A-Za-z0-9]+$/),
          aaep_version: "1.0.0",
          producer: { agent_id: expect.any(String) },
          honored_capabilities: {
            max_events_per_second: 100,
            supported_conformance_levels: [1, 2],
            aaepd: {
              key: expect.stringMatching(/^[0-9a-f]{32}$/),
              limits: { queue_events: 256, policy: "journal", max_lag_seconds: 60, max_lag_events: 16_384 },
            },
          },
          manifest_uri: expect.stringMatching(
            /^(file:.*\.manifest\.json|http:\/\/127\.0\.0\.1:\d+\/\.well-known\/aaep-manifest\.json)$/,
          ),
          negotiation_notes: undefined,
        },
      },
      { do: "publish", events: [started()], save: { token: "resume_token" } },
      { do: "hears", who: "narrator", events: [started({ producer: { agent_id: "test-agent" }, urgency: "normal" })] },
      { do: "publish", events: [state("idle", "thinking"), invoked("fetch"), returned("fetch")] },
      { do: "advance", ms: 30 },
      {
        do: "hears",
        who: "narrator",
        events: [state("idle", "thinking"), invoked("fetch"), returned("fetch")],
      },
      { do: "publish", events: [chunk("Transferred. "), chunk("New balance: "), chunk("$12,000.", true)] },
      { do: "advance", ms: 100 },
      {
        do: "hears all",
        who: "narrator",
        until: "aaep:agent.output.streaming",
        check: (events) =>
          expect(events).toMatchObject([{ position: 0, chunk: expect.stringMatching(/^Transferred/) }]),
      },
      { do: "publish", events: [completed()] },
      { do: "advance", ms: 100 },
      {
        do: "hears all",
        who: "narrator",
        until: "aaep:agent.session.completed",
        check: (events) =>
          expect(events.at(-1)).toMatchObject({ summary_normal: "Done.", producer: { agent_id: "test-agent" } }),
      },
      { do: "close", who: "narrator" },
    ],
  },
  {
    name: "R22, R33: what comes before a request is told what it lacks, and the request still works",
    steps: [
      { do: "renegotiate", who: "early", capabilities: {}, answer: TOO_EARLY },
      { do: "skip", who: "early", params: {}, answer: TOO_EARLY },
      { do: "repeat", who: "early", eventId: "evt_1", answer: TOO_EARLY },
      { do: "leave to the host", who: "early", token: "rpl_1", answer: TOO_EARLY },
      { do: "stop", who: "early", sessionId: "sess_1", answer: TOO_EARLY },
      { do: "subscribe", who: "early", request: RAW, answer: ACCEPTED },
      { do: "publish", events: [started()] },
      { do: "hears", who: "early", events: [started()] },
    ],
    skip: (lane) =>
      answersApart(lane) || lane.transport === "sse" ? "there is no stream before the request" : undefined,
  },
  {
    name: "AAEP §5.9, AAEP §9.5.1, R9, R10: two subscribers, each on its own terms",
    steps: [
      {
        do: "subscribe",
        who: "reader",
        request: { capabilities: { max_events_per_second: 1, preferred_verbosity: "terse" } },
        answer: { ...ACCEPTED, honored_capabilities: { max_events_per_second: 1, preferred_verbosity: "terse" } },
      },
      { do: "subscribe", who: "debugger", request: RAW, answer: ACCEPTED },
      {
        do: "publish",
        events: [started({ summary_terse: "Go." }), state("idle", "thinking"), progress(10), progress(20)],
      },
      {
        do: "hears",
        who: "debugger",
        events: [
          started({ summary_normal: "Begins." }),
          state("idle", "thinking"),
          { progress: { percent: 10 } },
          { progress: { percent: 20 } },
        ],
      },
      { do: "hears", who: "reader", events: [started({ summary_terse: "Go.", verbosity: "terse" })] },
      { do: "hears nothing", who: "reader" },
      { do: "advance", ms: 1000 },
      { do: "hears", who: "reader", events: [state("idle", "thinking")] },
      { do: "advance", ms: 999 },
      { do: "hears nothing", who: "reader" },
      { do: "advance", ms: 1 },
      { do: "hears", who: "reader", events: [{ progress: { percent: 20 } }] },
      { do: "advance", ms: 5000 },
      { do: "hears nothing", who: "reader" },
      { do: "publish", events: [chunk("One. "), chunk("Two. "), chunk("Three.", true)] },
      { do: "hears", who: "debugger", events: [chunk("One. "), chunk("Two. "), chunk("Three.", true)] },
      { do: "advance", ms: 10_000 },
      {
        do: "hears all",
        who: "reader",
        until: "aaep:agent.output.streaming",
        check: (events) => expect(events[0]).toMatchObject({ position: 0, chunk: expect.stringMatching(/^One\. /) }),
      },
      { do: "publish", events: [errored()] },
      { do: "hears", who: "debugger", events: [errored({ urgency: "critical" })] },
    ],
  },
  {
    name: "AAEP §5.7, AAEP §5.7.2, R32: new terms hold from their acceptance on, a malformed change changes nothing",
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      { do: "publish", events: [started()] },
      { do: "hears", who: "reader", events: [started()] },
      {
        do: "renegotiate",
        who: "reader",
        capabilities: { max_events_per_second: 0 },
        answer: { type: "aaepd.error", pointer: "/capabilities/max_events_per_second" },
      },
      {
        do: "renegotiate",
        who: "reader",
        capabilities: "none",
        answer: { type: "aaepd.error", pointer: "/capabilities" },
      },
      { do: "publish", events: [state("idle", "thinking"), state("thinking", "deciding")] },
      { do: "hears", who: "reader", events: [state("idle", "thinking"), state("thinking", "deciding")] },
      {
        do: "renegotiate",
        who: "reader",
        capabilities: { event_filters: { exclude: ["aaep:agent.state.*"] } },
        answer: {
          ...ACCEPTED,
          honored_capabilities: {
            coalesce_boundaries: ["none"],
            event_filters: { include: ["aaep:agent.*"], exclude: ["aaep:agent.state.*"] },
          },
        },
      },
      { do: "publish", events: [state("deciding", "thinking"), progress(5)] },
      { do: "hears", who: "reader", events: [progress(5)] },
      { do: "hears nothing", who: "reader" },
    ],
  },
  {
    name: "AAEP §9.5.1, R33: a further request on a stream takes it over where it is accepted, and changes nothing where it is not",
    steps: [
      {
        do: "subscribe",
        who: "reader",
        request: { capabilities: { ...TEXT_ALONE, max_events_per_second: 1 } },
        answer: ACCEPTED,
      },
      { do: "publish", events: [started(), confirmation("rpl_1", { event_id: "evt_q" }), chunk("Never said. ")] },
      { do: "hears", who: "reader", events: [{ event_id: "evt_q", reply_token: "rpl_1" }] },
      { do: "subscribe", who: "reader", request: { aaep_version: "7.0.0" }, answer: rejected("version_unsupported") },
      { do: "subscribe", who: "reader", request: { subscriber_id: "" }, answer: rejected("unknown") },
      { do: "list pending", who: "reader", questions: [{ reply_token: "rpl_1" }] },
      {
        do: "subscribe",
        who: "reader",
        request: { capabilities: { ...TEXT_ALONE, coalesce_boundaries: ["none"] } },
        answer: {
          ...ACCEPTED,
          honored_capabilities: { coalesce_boundaries: ["none"] },
        },
      },
      {
        do: "hears",
        who: "reader",
        events: [
          { from_state: "idle", to_state: "writing_output" },
          { event_id: "evt_q", reply_token: "rpl_1" },
        ],
        save: { asked: "1.timestamp" },
      },
      { do: "publish", events: [chunk("One, ", false, OTHER), chunk("two.", true, OTHER)] },
      { do: "hears", who: "reader", events: [chunk("One, ", false, OTHER), chunk("two.", true, OTHER)] },
      {
        do: "reply",
        who: "reader",
        message: { type: "confirmation.reply", reply_token: "rpl_1", decision: "accept", timestamp: "$asked" },
      },
      { do: "hears", who: "reader", events: [{ extensions: { aaepd: { question: "evt_q", decision: "accepted" } } }] },
      { do: "advance", ms: 10_000 },
      { do: "hears nothing", who: "reader" },
    ],
    // There a connection holds several, and a stream takes one message.
    skip: (lane) =>
      lane.envelope === "rpc" || answersApart(lane) ? "its requests never meet on one stream" : undefined,
  },
  {
    name: "AAEP §5.3.1.7, AAEP §5.5.4, R32: filters let through what they name, and critical events always",
    steps: [
      {
        do: "subscribe",
        who: "tools",
        request: {
          capabilities: { event_filters: { include: ["aaep:agent.tool.*"], exclude: ["aaep:agent.tool.completed"] } },
        },
        answer: ACCEPTED,
      },
      {
        do: "subscribe",
        who: "alarms",
        request: { capabilities: { event_filters: { include: [] } } },
        answer: ACCEPTED,
      },
      { do: "publish", events: [started(), invoked("fetch"), returned("fetch"), state("idle", "thinking"), errored()] },
      { do: "hears", who: "tools", events: [invoked("fetch"), errored()] },
      { do: "hears", who: "alarms", events: [errored()] },
    ],
  },
  {
    name: "R14, AAEP ch. 11: each hears Yoruba or English, the text whole",
    skip: ({ transport }) => (transport === "websocket" ? "its messages are larger than 64 KiB" : undefined),
    steps: [
      { do: "subscribe", who: "yoruba", request: { capabilities: { languages: ["yo"] } }, answer: ACCEPTED },
      {
        do: "subscribe",
        who: "english",
        request: { capabilities: { languages: ["en-GB"], preferred_verbosity: "terse" } },
        answer: ACCEPTED,
      },
      { do: "publish", events: recording("yoruba-market").slice(0, 256) },
      { do: "publish", events: recording("yoruba-market").slice(256) },
      {
        do: "hears all",
        who: "yoruba",
        until: "aaep:agent.session.completed",
        check: (events) => {
          expect(events[0]).toMatchObject({ localization_hints: { primary_language: "yo" } });
          expect(String(events[0]?.summary_normal)).toMatch(/Olùrànlọ́wọ́/);
          expect(JSON.stringify(events)).not.toMatch(/"summary_[a-z]+_en"/);
          expect(textOf(events)).toBe(textOf(recording("yoruba-market")));
        },
      },
      {
        do: "hears all",
        who: "english",
        until: "aaep:agent.session.completed",
        check: (events) => {
          expect(events[0]).toMatchObject({
            summary_terse: "Started.",
            verbosity: "terse",
            localization_hints: { primary_language: "en" },
          });
          expect(textOf(events)).toBe(textOf(recording("yoruba-market")));
        },
      },
    ],
  },
  {
    name: "AAEP §5.5.3, R21: another major version, none, or a garbled one is rejected, and another request may follow",
    steps: [
      { do: "subscribe", who: "old", request: { aaep_version: "2.0.0" }, answer: rejected("version_unsupported") },
      { do: "subscribe", who: "old", request: { aaep_version: "x" }, answer: rejected("version_unsupported") },
      {
        do: "subscribe",
        who: "old",
        request: { capabilities: { accept_signed_manifests_only: true } },
        answer: rejected("manifest_signature_required"),
      },
      {
        do: "subscribe",
        who: "old",
        request: { capabilities: { languages: [] } },
        answer: rejected("capabilities_incompatible"),
      },
      { do: "subscribe", who: "old", request: { subscriber_id: "" }, answer: rejected("unknown") },
      { do: "subscribe", who: "old", request: {}, answer: ACCEPTED },
    ],
  },
  {
    name: "AAEP §5.5.3: beyond the limit of subscriptions comes rate_limit, with the time to wait",
    configuration: { maxConcurrentSubscriptions: 1, retryAfterSeconds: 9 },
    steps: [
      { do: "subscribe", who: "first", answer: ACCEPTED },
      { do: "subscribe", who: "second", answer: { ...rejected("rate_limit"), retry_after_seconds: 9 } },
      { do: "close", who: "first" },
      { do: "subscribe", who: "second", answer: ACCEPTED },
    ],
  },
  {
    name: "AAEP §5.8.2, AAEP §5.8: after one subscription has been closed, in order or not, others go on",
    steps: [
      { do: "subscribe", who: "orderly", request: RAW, answer: ACCEPTED },
      { do: "subscribe", who: "abrupt", request: RAW, answer: ACCEPTED },
      { do: "subscribe", who: "stays", request: RAW, answer: ACCEPTED },
      { do: "close", who: "orderly" },
      { do: "vanish", who: "abrupt" },
      { do: "publish", agent: "other", events: [started(), completed()] },
      { do: "hears", who: "stays", events: [started(), completed()] },
    ],
  },
  {
    name: "R8a: an orderly end ends sessions, hands out what is held, says why, and closes",
    steps: [
      { do: "subscribe", who: "reader", request: {}, answer: ACCEPTED },
      { do: "publish", events: [started(), chunk("Half a sent")] },
      { do: "hears", who: "reader", events: [started()] },
      { do: "end" },
      {
        do: "hears all",
        who: "reader",
        until: "aaep:agent.session.errored",
        check: (events) => {
          expect(textOf(events)).toBe("Half a sent");
          expect(events.filter(({ complete }) => complete === true)).toHaveLength(1);
          expect(events.at(-1)).toMatchObject({
            error_code: "AGENT_DISCONNECTED",
            extensions: { aaepd: { by: "daemon" } },
          });
        },
      },
      {
        do: "is told",
        who: "reader",
        closing: { type: "subscription.close", reason_code: "producer_shutdown" },
        status: "UNAVAILABLE",
      },
    ],
  },
  {
    name: "R22: a stream that has been quiet for a while says that it is alive, where nothing below it does, and a busy one does not",
    configuration: { heartbeatSeconds: 5 },
    short: hasHeartbeats,
    steps: [
      { do: "subscribe", who: "reader", request: RAW, answer: ACCEPTED },
      { do: "advance", ms: 4000 },
      { do: "publish", events: [started()] },
      { do: "hears", who: "reader", events: [started()] },
      { do: "advance", ms: 4000 },
      { do: "is kept alive", who: "reader", times: 0 },
      { do: "advance", ms: 15_500 },
      { do: "is kept alive", who: "reader", times: 3 },
    ],
  },
]);

/** The text of all chunks, output by output. */
function textOf(events: readonly Part[]): string {
  const outputs = new Map<unknown, string>();
  for (const { chunk: text, output_id: id } of events) {
    if (typeof text === "string") outputs.set(id, `${outputs.get(id) ?? ""}${text}`);
  }
  return [...outputs.values()].join("\n");
}
