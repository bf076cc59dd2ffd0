// The payloads of requests, read into values in which every optional member is there. A member that is null counts as absent.
import type { AkashikAttuneRequest, AkashikMergeRequest, AkashikSubscribeRequest } from "#gen/akashik/types.js";
import { STRATEGIES } from "./capabilities.js";
import { type Envelope, type Reading, read, refused } from "./envelope.js";
import { type RecordRequest, readRecord } from "./record-request.js";
import type { UnitFormat } from "./unit-formats.js";
import {
  ATTUNE,
  DEREGISTER,
  DETECT,
  type Form,
  formFault,
  LIST,
  MERGE,
  REGISTER,
  SUBSCRIBE,
  UNSUBSCRIBE,
} from "./validate.js";

export interface RegisterRequest {
  readonly operation: "REGISTER";
  readonly id: string;
  readonly role: string;
  readonly interests: readonly string[];
  readonly requiredOperations: readonly string[];
}

interface DeregisterRequest {
  readonly operation: "DEREGISTER";
  /** Null: the agent of the envelope. */
  readonly agentId: string | null;
}

export interface AttuneRequest {
  readonly operation: "ATTUNE";
  /** Null: as registered. */
  readonly role: string | null;
  /** At least one; null: as registered. */
  readonly interests: readonly string[] | null;
  /** Null: no limit of the request's own. */
  readonly maxUnits: number | null;
  readonly relevanceThreshold: number | null;
  readonly maxTokens: number | null;
  readonly contextHint: string | null;
  readonly format: UnitFormat;
  /** Null: since the beginning. */
  readonly sinceEpoch: number | null;
}

interface DetectRequest {
  readonly operation: "DETECT";
}

export interface MergeRequest {
  readonly operation: "MERGE";
  readonly conflictId: string;
  readonly strategy: AkashikMergeRequest["strategy"];
  readonly winnerId: string | null;
  readonly synthesis: string | null;
  readonly rationale: string | null;
}

type SubscriptionEvent = AkashikSubscribeRequest["subscription"]["events"][number];

type SubscribeRequest =
  | {
      readonly operation: "SUBSCRIBE";
      readonly action: "subscribe";
      /** Each once. */
      readonly events: readonly SubscriptionEvent[];
      readonly minRelevance: number | null;
      readonly debounceMs: number | null;
    }
  | { readonly operation: "SUBSCRIBE"; readonly action: "unsubscribe"; readonly subscriptionId: string }
  | { readonly operation: "SUBSCRIBE"; readonly action: "list" };

export type FieldRequest =
  | RegisterRequest
  | DeregisterRequest
  | RecordRequest
  | AttuneRequest
  | DetectRequest
  | MergeRequest
  | SubscribeRequest;

/** Reads the payload of an envelope. */
export function readRequest({ operation, payload }: Pick<Envelope, "operation" | "payload">): Reading<FieldRequest> {
  switch (operation) {
    case "REGISTER":
      return readAs(REGISTER, payload, ({ id, role, interests, required_operations }) => ({
        operation,
        id,
        role,
        interests: interests ?? [],
        requiredOperations: required_operations ?? [],
      }));
    case "DEREGISTER":
      return readAs(DEREGISTER, payload, ({ agent_id }) => ({ operation, agentId: agent_id ?? null }));
    case "RECORD":
      return readRecord(payload);
    case "ATTUNE":
      return readAs(ATTUNE, payload, attuneOf);
    case "DETECT":
      return isOther(payload.mode, ["list"])
        ? refused("UNSUPPORTED_OPERATION", "This Field has DETECT with the mode `list` alone.")
        : readAs(DETECT, payload, () => ({ operation }));
    case "MERGE":
      return isOther(payload.strategy, STRATEGIES)
        ? refused("UNSUPPORTED_OPERATION", `This Field has the strategies ${STRATEGIES.join(", ")}.`)
        : readAs(MERGE, payload, mergeOf);
    case "SUBSCRIBE":
      return readSubscribe(payload);
  }
}

function readSubscribe(payload: Envelope["payload"]): Reading<SubscribeRequest> {
  const operation = "SUBSCRIBE";
  switch (payload.action) {
    case "subscribe":
      return readAs(SUBSCRIBE, payload, ({ action, subscription }) => ({
        operation,
        action,
        events: [...new Set(subscription.events)],
        minRelevance: subscription.min_relevance ?? null,
        debounceMs: subscription.debounce_ms ?? null,
      }));
    case "unsubscribe":
      return readAs(UNSUBSCRIBE, payload, ({ action, subscription }) => ({
        operation,
        action,
        subscriptionId: subscription.id,
      }));
    case "list":
      return readAs(LIST, payload, ({ action }) => ({ operation, action }));
    default:
      return refused("INVALID_TYPE", '`payload.action` must be one of "subscribe", "unsubscribe", "list".');
  }
}

function attuneOf({ scope, context_hint, format, since_epoch }: AkashikAttuneRequest): AttuneRequest {
  return {
    operation: "ATTUNE",
    role: scope?.role ?? null,
    // Protobuf has no absent list, so an empty one says nothing.
    interests: scope?.interests?.length ? scope.interests : null,
    maxUnits: scope?.max_units ?? null,
    relevanceThreshold: scope?.relevance_threshold ?? null,
    maxTokens: scope?.max_tokens ?? null,
    contextHint: context_hint ?? null,
    format: format ?? "full",
    sinceEpoch: since_epoch ?? null,
  };
}

function mergeOf({ conflict_id, strategy, resolution }: AkashikMergeRequest): MergeRequest {
  return {
    operation: "MERGE",
    conflictId: conflict_id,
    strategy,
    winnerId: resolution?.winner_id ?? null,
    synthesis: resolution?.synthesis ?? null,
    rationale: resolution?.rationale ?? null,
  };
}

/** Reads a payload of the given form. */
function readAs<Payload, Request>(
  form: Form<Payload>,
  payload: Envelope["payload"],
  requestOf: (payload: Payload) => Request,
): Reading<Request> {
  const value: unknown = payload;
  return form.isValid(value) ? read(requestOf(value)) : refused("INVALID_TYPE", formFault(form, value));
}

/** Whether a choice is a text that names something which this Field does not have. */
function isOther(choice: unknown, offered: readonly string[]): boolean {
  return typeof choice === "string" && !offered.includes(choice);
}
