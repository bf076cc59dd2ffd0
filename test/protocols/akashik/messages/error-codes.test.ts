// The table of error codes: each code of the schema has a sentence, an advice, and whether the agent can help itself.
import { describe, expect, it } from "vitest";
import { Fault } from "../../../../src/base/errors.js";
import {
  type ErrorCode,
  errorPayload,
  Refused,
  refusalOfFrame,
} from "../../../../src/protocols/akashik/messages/error-codes.js";
import { isAsPublished } from "../../../support/published-schemas.js";
import { flatSchemas } from "../../../support/schema-values.js";

const CODES = flatSchemas("akashik").get("AkashikError")?.properties?.error?.properties?.code
  ?.enum as readonly ErrorCode[];

describe.each(CODES)("%s", (code) => {
  it("has an error of the schema's form, whose texts are sentences", () => {
    const payload = errorPayload(new Refused(code), "RECORD");
    expect(isAsPublished("akashik", "AkashikError", payload)).toBe(true);
    expect(payload).toMatchObject({ status: "error", error: { code, operation: "RECORD" } });
    for (const text of [payload.error.message, payload.error.suggested_action]) expect(text).toMatch(/^[A-Z`].+\.$/);
  });

  it("has the fault's own sentence where there is one", () => {
    const { error } = errorPayload(new Refused(code, "Mine."), null);
    expect(error).toMatchObject({ message: "Mine.", operation: null });
  });
});

it("an agent cannot help itself where the Field lacks something", () => {
  const helpless = CODES.filter((code) => !errorPayload(new Refused(code), null).error.recoverable);
  expect([...helpless].sort()).toEqual(["STORAGE_FULL", "UNSUPPORTED_OPERATION"]);
});

it("a frame that is no message has INVALID_TYPE, and an error in the daemon INTERNAL_ERROR", () => {
  expect(refusalOfFrame(new Fault("framing_lost", "Lost."))).toMatchObject({ code: "INVALID_TYPE", message: "Lost." });
  expect(refusalOfFrame(new Fault("internal", "Sorry."))).toMatchObject({ code: "INTERNAL_ERROR", message: "Sorry." });
});
