// The effect of each operation in the Field, over whichever transport it is asked for. Everything is answered after it is safe (R29).
import type {
  AkashikAttuneAnswer,
  AkashikFieldCapabilities,
  AkashikMergeAnswer,
  AkashikRecordAnswer,
  AkashikRegisterAnswer,
  AkashikRegisterRequest,
  AkashikSubscription,
} from "#gen/akashik/types.js";
import { Fault } from "../../../base/errors.js";
import type { Access, AccessPolicy } from "../../../contracts/access.js";
import type { Clock } from "../../../contracts/clock.js";
import type { Log } from "../../../contracts/log.js";
import type { Engine } from "../../../engine/engine.js";
import type { Attuned } from "../field/attune.js";
import type { Field } from "../field/field.js";
import type { Conflict, Push } from "../field/field-types.js";
import { addressOf, fieldCapabilities, OPERATIONS, type Operation, readEnvelope } from "../messages/envelope.js";
import { errorPayload, Refused } from "../messages/error-codes.js";
import { type FieldRequest, readRequest, type SubscribeRequest } from "../messages/requests.js";

export interface AkashikServices {
  readonly engine: Pick<Engine, "refused">;
  readonly field: Field;
  readonly access: AccessPolicy;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  readonly log: Pick<Log, "error">;
  /** Draws the id of a notification's envelope. */
  readonly newId: () => string;
  /** Resolves when everything kept so far is as safe as the journal's policy makes it (R29); undefined: it is. Rejects if it could not be written. */
  readonly whenDurable: () => Promise<void> | undefined;
  /** Throws a Fault "storage_unavailable" while nothing can be kept. */
  readonly assertKeeps: () => void;
  readonly persistence: AkashikFieldCapabilities["persistence"];
}

/** The agent of a connection, or of a single request. */
export interface Caller {
  readonly access: Access;
  /** The agent that the caller has registered; undefined before. */
  readonly agentId: () => string | undefined;
  /** For the agent from its registration on; undefined: it only polls. */
  readonly push: Push | undefined;
  readonly becomes: (agentId: string | undefined) => void;
  /** Whether nobody reads an answer any more. */
  readonly isGone: () => boolean;
}

/** The rights that an operation needs (R36): one of these. */
const RIGHTS: Readonly<Record<Operation, readonly ("publish" | "subscribe")[]>> = {
  REGISTER: ["publish", "subscribe"],
  DEREGISTER: ["publish", "subscribe"],
  RECORD: ["publish"],
  MERGE: ["publish"],
  ATTUNE: ["subscribe"],
  DETECT: ["subscribe"],
  SUBSCRIBE: ["subscribe"],
};

function mayUse(access: Access, operation: Operation): boolean {
  return RIGHTS[operation].some((right) => access.may(right));
}

/** Carries out a message at once. Resolves with the payload of its answer when that may be sent. Never rejects. */
export async function carryOut(message: unknown, caller: Caller, services: AkashikServices): Promise<object> {
  const { field, log, whenDurable, assertKeeps } = services;
  const { operation } = addressOf(message);
  try {
    assertKeeps();
    const payload = await begin(message, caller, services);
    // Nothing is acknowledged that a kill could take back, or of which an agent that it concerns would not hear.
    await field.settled();
    await whenDurable();
    return payload;
  } catch (caught) {
    if (caught instanceof Refused) return errorPayload(caught, operation);
    if (caught instanceof Fault && caught.code === "storage_unavailable")
      return errorPayload(new Refused("INTERNAL_ERROR", caught.sentence), operation);
    log.error({ err: caught }, "a message of Akashik could not be carried out");
    return errorPayload(new Refused("INTERNAL_ERROR"), operation);
  }
}

function begin(message: unknown, caller: Caller, services: AkashikServices): object | Promise<object> {
  const envelope = readEnvelope(message);
  const { operation, agentId: named, epoch } = envelope;
  if (!mayUse(caller.access, operation))
    throw new Refused("UNSUPPORTED_OPERATION", `This connection may not use ${operation}.`);
  services.field.receive(epoch);
  const request = readRequest(envelope);
  if (request.operation === "REGISTER") return register(request.payload, caller, services);
  const agentId = caller.agentId();
  if (agentId === undefined) throw new Refused("AGENT_NOT_REGISTERED", "Send REGISTER first.");
  if (named !== null && named !== agentId)
    throw new Refused("AGENT_NOT_REGISTERED", `This connection has registered "${agentId}", and not "${named}".`);
  return carryOutAs(agentId, request, addressOf(message).sessionId, caller, services.field);
}

function register(
  request: AkashikRegisterRequest,
  caller: Caller,
  { field, persistence }: AkashikServices,
): AkashikRegisterAnswer {
  const known = caller.agentId();
  if (known !== undefined) throw new Refused("AGENT_ID_TAKEN", `This connection has registered "${known}" already.`);
  const offered = OPERATIONS.filter((operation) => mayUse(caller.access, operation));
  const field_capabilities = fieldCapabilities(offered, persistence);
  const missing = (request.required_operations ?? []).filter((name) => !offered.some((one) => one === name));
  if (missing.length > 0) {
    const rejection_reason = `This Field does not offer ${missing.join(", ")}.`;
    return { status: "rejected", agent: null, field_capabilities, rejection_reason };
  }
  const agent = { ...field.register(request, caller.push), status: "active" } as const;
  caller.becomes(request.id);
  return { status: "registered", agent, field_capabilities, rejection_reason: null };
}

async function carryOutAs(
  agentId: string,
  request: Exclude<FieldRequest, { operation: "REGISTER" }>,
  sessionId: string | null,
  caller: Caller,
  field: Field,
): Promise<object> {
  switch (request.operation) {
    case "DEREGISTER": {
      if ((request.payload.agent_id ?? agentId) !== agentId)
        return { status: "not_found", cleanup: { subscriptions: 0, notifications: 0 } };
      const cleanup = field.deregister(agentId);
      caller.becomes(undefined);
      return { status: "ok", cleanup };
    }
    case "RECORD": {
      const { unit, conflicts } = field.record(agentId, sessionId, request.payload);
      return {
        status: "recorded",
        memory_unit_id: unit.id,
        epoch: unit.epoch,
        conflicts_detected: conflicts,
        rejection_reason: null,
      } satisfies AkashikRecordAnswer;
    }
    case "ATTUNE": {
      const epoch = field.epoch();
      return attuned(await field.attune(agentId, request.payload, caller.isGone), field.conflicts(), epoch);
    }
    case "DETECT":
      return { status: "ok", conflicts: fitting(field.conflicts()) };
    case "MERGE": {
      const { conflict, sideEffects } = field.merge(agentId, request.payload);
      const status = conflict.status === "escalated" ? "escalated" : "resolved";
      return { status, conflict, side_effects: sideEffects } satisfies AkashikMergeAnswer;
    }
    case "SUBSCRIBE":
      return changeSubscriptions(agentId, request.payload, field);
  }
}

function changeSubscriptions(agentId: string, request: SubscribeRequest, field: Field): object {
  switch (request.action) {
    case "subscribe": {
      const { events, min_relevance: minRelevance = null, debounce_ms: debounceMs = null } = request.subscription;
      const { id } = field.subscribe(agentId, { events: [...new Set(events)], minRelevance, debounceMs });
      return { status: "ok", subscription_id: id };
    }
    case "unsubscribe": {
      const { id } = request.subscription;
      return { status: field.unsubscribe(agentId, id) ? "ok" : "not_found", subscription_id: id };
    }
    case "list": {
      const subscriptions: readonly AkashikSubscription[] = field
        .list(agentId)
        .map(({ id, events, minRelevance, debounceMs }) => ({
          id,
          events,
          min_relevance: minRelevance,
          debounce_ms: debounceMs,
        }));
      return { status: "ok", subscriptions };
    }
  }
}

/** `conflicts`: the known ones, of which the answer has those that are unresolved and about one of its units. */
function attuned({ record, budget }: Attuned, conflicts: readonly Conflict[], epoch: number): AkashikAttuneAnswer {
  const ids = new Set(record.map(({ memory_unit }) => memory_unit.id));
  const open = conflicts.filter(
    ({ status, unit_a, unit_b }) => status !== "resolved" && (ids.has(unit_a) || ids.has(unit_b)),
  );
  return { status: "ok", record, conflicts: fitting(open), context_budget: budget, epoch };
}

/** Most UTF-16 units of conflicts in an answer. */
const MOST_CONFLICT_TEXT = 1024 * 1024;

/** The first of the conflicts, as many as an answer has room for. */
function fitting(conflicts: readonly Conflict[]): readonly Conflict[] {
  let length = 0;
  const end = conflicts.findIndex((one) => {
    length += JSON.stringify(one).length;
    return length > MOST_CONFLICT_TEXT;
  });
  return end === -1 ? conflicts : conflicts.slice(0, end);
}
