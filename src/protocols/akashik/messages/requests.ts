// The payloads of requests: the members that the Field reads are as the schemas say. Other members may be anything. A member that is null counts as
// absent.
import * as schemas from "#gen/akashik/schemas.js";
import type * as types from "#gen/akashik/types.js";
import * as validators from "#gen/akashik/validators.js";
import { firstSentence } from "../../../base/schema/fault-words.js";
import type { Schema } from "../../../base/schema/schema-faults.js";
import { STRATEGIES } from "./capabilities.js";
import type { Envelope } from "./envelope.js";
import { Refused } from "./error-codes.js";

type Payload = Envelope["payload"];

export type SubscribeRequest =
  | types.AkashikSubscribeRequest
  | types.AkashikUnsubscribeRequest
  | types.AkashikListRequest;

/** The request of an agent, by the operation. */
export type FieldRequest =
  | { readonly operation: "REGISTER"; readonly payload: types.AkashikRegisterRequest }
  | { readonly operation: "DEREGISTER"; readonly payload: types.AkashikDeregisterRequest }
  | { readonly operation: "RECORD"; readonly payload: types.AkashikRecordRequest }
  | { readonly operation: "ATTUNE"; readonly payload: types.AkashikAttuneRequest }
  | { readonly operation: "DETECT" }
  | { readonly operation: "MERGE"; readonly payload: types.AkashikMergeRequest }
  | { readonly operation: "SUBSCRIBE"; readonly payload: SubscribeRequest };

/** Reads the payload of an envelope. Throws Refused. */
export function readRequest({ operation, payload }: Pick<Envelope, "operation" | "payload">): FieldRequest {
  const { isAkashikRegisterRequest, isAkashikDeregisterRequest, isAkashikAttuneRequest } = validators;
  switch (operation) {
    case "REGISTER":
      return { operation, payload: as(payload, isAkashikRegisterRequest, schemas.AkashikRegisterRequest, operation) };
    case "DEREGISTER":
      return {
        operation,
        payload: as(payload, isAkashikDeregisterRequest, schemas.AkashikDeregisterRequest, operation),
      };
    case "RECORD":
      return { operation, payload: readRecord(payload) };
    case "ATTUNE":
      return { operation, payload: as(payload, isAkashikAttuneRequest, schemas.AkashikAttuneRequest, operation) };
    case "DETECT":
      assertOffered(payload.mode, ["list"], "This Field has DETECT with the mode `list` alone.");
      as(payload, validators.isAkashikDetectRequest, schemas.AkashikDetectRequest, operation);
      return { operation };
    case "MERGE":
      assertOffered(payload.strategy, STRATEGIES, `This Field has the strategies ${STRATEGIES.join(", ")}.`);
      return {
        operation,
        payload: as(payload, validators.isAkashikMergeRequest, schemas.AkashikMergeRequest, operation),
      };
    case "SUBSCRIBE":
      return { operation, payload: readSubscribe(payload) };
  }
}

function readSubscribe(payload: Payload): SubscribeRequest {
  const { isAkashikSubscribeRequest, isAkashikUnsubscribeRequest, isAkashikListRequest } = validators;
  switch (payload.action) {
    case "subscribe":
      return as(payload, isAkashikSubscribeRequest, schemas.AkashikSubscribeRequest, "the action `subscribe`");
    case "unsubscribe":
      return as(payload, isAkashikUnsubscribeRequest, schemas.AkashikUnsubscribeRequest, "the action `unsubscribe`");
    case "list":
      return as(payload, isAkashikListRequest, schemas.AkashikListRequest, "the action `list`");
    default:
      throw new Refused("INVALID_TYPE", '`payload.action` must be one of "subscribe", "unsubscribe", "list".');
  }
}

/** The faults of a RECORD have codes of their own, and are looked for in the order of the companion. */
function readRecord(payload: Payload): types.AkashikRecordRequest {
  const { purpose } = membersOf(payload.intent);
  if (isBlank(purpose)) throw new Refused("MISSING_INTENT");
  const { score, reasoning } = membersOf(payload.confidence);
  if (payload.mode !== "draft" && (isBlank(score) || isBlank(reasoning))) throw new Refused("MISSING_CONFIDENCE");
  if (!isBlank(score) && !(typeof score === "number" && score >= 0 && score <= 1))
    throw new Refused("INVALID_CONFIDENCE");
  return as(payload, validators.isAkashikRecordRequest, schemas.AkashikRecordRequest, "RECORD");
}

/** `name`: of the payload in sentences. */
function as<Value>(payload: unknown, isValid: (value: unknown) => value is Value, schema: Schema, name: string): Value {
  if (isValid(payload)) return payload;
  throw new Refused("INVALID_TYPE", firstSentence(schema, payload, name, ["payload"]));
}

/** Refuses a choice that is a text and names something which this Field does not have. */
function assertOffered(choice: unknown, offered: readonly string[], sentence: string): void {
  if (typeof choice === "string" && !offered.includes(choice)) throw new Refused("UNSUPPORTED_OPERATION", sentence);
}

/** The members of a value that should be an object; none if it is not. */
function membersOf(value: unknown): Payload {
  return typeof value === "object" && value !== null ? (value as Payload) : {};
}

/** Whether a member is not there, null, or a text without a visible character. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}
