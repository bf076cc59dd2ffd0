// What stands in the requests of an agent's service, where the schema leaves it open.
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { PublishBatchRequestSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { agentDocument, batchIn, questionIn } from "../../../../src/protocols/aaep/services/service-messages.js";
import { faultOf } from "../../../support/fault-of.js";

const typed = (kind: string) => ({ type: `aaep:agent.awaiting.${kind}`, session_id: "sess_1" });

describe("AAEP §6.1: the event of a question", () => {
  it("is one of its own kind, in either form of its type, or says no type", () => {
    const longForm = { type: "https://aaep-protocol.org/types/agent.awaiting.confirmation" };
    for (const event of [typed("confirmation"), longForm, { session_id: "sess_1" }])
      expect(questionIn(event, "confirmation")).toBe(event);
  });

  it("that is missing is asked for", () => {
    expect(faultOf(() => questionIn(undefined, "clarification"))).toMatchObject({
      code: "invalid_message",
      sentence: "Give `event`, with session_id and awaiting_clarification.",
      pointer: "/event",
      rule: "R20",
    });
  });
});

describe("a batch", () => {
  it("says of each chunk whether it is the last: in protobuf no truth value is false", () => {
    const type = "aaep:agent.output.streaming";
    const events = [{ type }, { type, complete: true }, { type: "aaep:agent.state.changed" }];
    expect(batchIn({ events, resume_token: "" })).toEqual({
      events: [{ type, complete: false }, { type, complete: true }, { type: "aaep:agent.state.changed" }],
      resumeToken: undefined,
    });
    expect(batchIn({ events: [], resume_token: "tok" })).toEqual({ events: [], resumeToken: "tok" });
  });

  it("of which an event is unreadable names the event by its place", () => {
    const events = [{ sessionId: "a" }, { sessionId: "a", additional: { session_id: "b" } }];
    const bytes = toBinary(PublishBatchRequestSchema, create(PublishBatchRequestSchema, { publish: { events } }));
    const fault = faultOf(() => agentDocument(PublishBatchRequestSchema, bytes));
    expect(fault).toMatchObject({ code: "invalid_event", pointer: "/1/session_id" });
  });

  it("that is missing is asked for", () => {
    expect(faultOf(() => batchIn(undefined))).toMatchObject({
      code: "invalid_message",
      sentence: "Give `publish`, with the events.",
      pointer: "/publish",
      rule: "R20",
    });
  });
});
