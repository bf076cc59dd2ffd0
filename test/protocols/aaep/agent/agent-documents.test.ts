// What agents are told of their sessions and what they published, in JSON and in protobuf (R8, R33).
import { expect, expectTypeOf, it } from "vitest";
import type { ResumeSessionResult } from "#gen/aaep/types.js";
import { PublishResultSchema, ResumeSessionResultSchema } from "#gen/aaep/v1/agent_service_pb.js";
import type { QuestionFate, SessionSummary } from "../../../../src/engine/sessions/session-record.js";
import { receiptDocument, summaryDocument } from "../../../../src/protocols/aaep/agent/agent-documents.js";
import { decodeDocument } from "../../../../src/protocols/aaep/protobuf/decode.js";
import { encodeDocument } from "../../../../src/protocols/aaep/protobuf/encode.js";
import { isAsPublished } from "../../../support/published-schemas.js";

/** One that is new does not compile until it stands here, and does not pass until it stands in the schema and in the proto. */
const FATES: Readonly<Record<QuestionFate, true>> = {
  accepted: true,
  rejected: true,
  answered: true,
  unanswered: true,
  cancelled: true,
  withdrawn: true,
};

it("what became of a question is one of a closed set, the same for the engine, the schema and the proto", () => {
  expectTypeOf<QuestionFate>().toEqualTypeOf<ResumeSessionResult["outcomes"][number]["outcome"]>();
  const outcomes = Object.keys(FATES).map((outcome, index) => ({
    token: `rpl_000${index}`,
    outcome: outcome as QuestionFate,
    number: index + 1,
  }));
  const summary: SessionSummary = {
    sessionId: "sess_1",
    producer: { agent_id: "planner" },
    state: "idle",
    stateBeforeQuestion: "idle",
    percent: undefined,
    agents: [],
    openTools: [],
    openOutputs: [],
    openQuestions: [],
    outcomes,
    eventCount: 1,
    timestamp: "2026-05-24T14:00:00Z",
    isAgentConnected: true,
  };
  const document = summaryDocument(summary);
  expect(isAsPublished("aaep", "ResumeSessionResult", document)).toBe(true);
  expect(
    isAsPublished("aaep", "ResumeSessionResult", {
      ...document,
      outcomes: [{ reply_token: "rpl_0001", outcome: "forgotten" }],
    }),
  ).toBe(false);
  expect(decodeDocument(ResumeSessionResultSchema, encodeDocument(ResumeSessionResultSchema, document))).toEqual(
    document,
  );
});

it("a receipt has the token of each session where it started, and the first one's beside them (R8)", () => {
  const document = receiptDocument({
    events: [
      { eventId: "evt_1", epoch: 1, resumeToken: undefined },
      { eventId: "evt_2", epoch: 2, resumeToken: "rst_2" },
      { eventId: "evt_3", epoch: 3, resumeToken: "rst_3" },
    ],
    resumeToken: "rst_2",
    durable: undefined,
  });
  expect(document).toEqual({
    events: [
      { event_id: "evt_1", epoch: 1 },
      { event_id: "evt_2", epoch: 2, resume_token: "rst_2" },
      { event_id: "evt_3", epoch: 3, resume_token: "rst_3" },
    ],
    resume_token: "rst_2",
  });
  expect(isAsPublished("aaep", "PublishResult", document)).toBe(true);
  expect(decodeDocument(PublishResultSchema, encodeDocument(PublishResultSchema, document))).toEqual(document);
});
