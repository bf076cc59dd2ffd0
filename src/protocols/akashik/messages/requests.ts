// The payloads of requests: the members that the Field reads are as the schemas say. Other members may be anything. A member that is null counts as
// absent.
import * as schemas from "#gen/akashik/schemas.js";
import type * as types from "#gen/akashik/types.js";
import * as validators from "#gen/akashik/validators.js";
import { membersOf } from "../../../base/members.js";
import { firstSentence } from "../../../base/schema/fault-words.js";
import { type Envelope, STRATEGIES } from "./envelope.js";
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

/** The form of each payload, by its name in sentences. */
const FORMS = {
  REGISTER: "AkashikRegisterRequest",
  DEREGISTER: "AkashikDeregisterRequest",
  RECORD: "AkashikRecordRequest",
  ATTUNE: "AkashikAttuneRequest",
  DETECT: "AkashikDetectRequest",
  MERGE: "AkashikMergeRequest",
  "the action `subscribe`": "AkashikSubscribeRequest",
  "the action `unsubscribe`": "AkashikUnsubscribeRequest",
  "the action `list`": "AkashikListRequest",
} as const satisfies Readonly<Record<string, keyof typeof schemas>>;

/** Reads the payload of an envelope. Throws Refused. */
export function readRequest({ operation, payload }: Pick<Envelope, "operation" | "payload">): FieldRequest {
  if (operation === "RECORD") assertConfident(payload);
  if (operation === "DETECT")
    assertOffered(payload.mode, ["list"], "This Field has DETECT with the mode `list` alone.");
  if (operation === "MERGE")
    assertOffered(payload.strategy, STRATEGIES, `This Field has the strategies ${STRATEGIES.join(", ")}.`);
  const name = operation === "SUBSCRIBE" ? actionIn(payload) : operation;
  // biome-ignore-start lint/performance/noDynamicNamespaceImportAccess: the bundle has all of them in any case.
  if (validators[`is${FORMS[name]}`](payload)) return { operation, payload } as FieldRequest;
  throw new Refused("INVALID_TYPE", firstSentence(schemas[FORMS[name]], payload, name, ["payload"]));
  // biome-ignore-end lint/performance/noDynamicNamespaceImportAccess: the bundle has all of them in any case.
}

function actionIn({ action }: Payload) {
  if (action === "subscribe" || action === "unsubscribe" || action === "list")
    return `the action \`${action}\`` as const;
  throw new Refused("INVALID_TYPE", '`payload.action` must be one of "subscribe", "unsubscribe", "list".');
}

/** The faults of a RECORD have codes of their own, and are looked for in the order of the companion. */
function assertConfident(payload: Payload): void {
  const { purpose } = membersOf(payload.intent);
  if (isBlank(purpose)) throw new Refused("MISSING_INTENT");
  const { score, reasoning } = membersOf(payload.confidence);
  if (payload.mode !== "draft" && (isBlank(score) || isBlank(reasoning))) throw new Refused("MISSING_CONFIDENCE");
  if (!isBlank(score) && !(typeof score === "number" && score >= 0 && score <= 1))
    throw new Refused("INVALID_CONFIDENCE");
}

/** Refuses a choice that is a text and names something which this Field does not have. */
function assertOffered(choice: unknown, offered: readonly string[], sentence: string): void {
  if (typeof choice === "string" && !offered.includes(choice)) throw new Refused("UNSUPPORTED_OPERATION", sentence);
}

/** Whether a member is not there, null, or a text without a visible character. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}
