// The effect of each operation in the Field, over whichever transport it is asked for. Everything is answered after it is safe (R29).
import { Fault } from "../../../base/errors.js";
import type { Access } from "../../../contracts/access.js";
import type { Outcome } from "../field/field.js";
import type { AgentLink } from "../field/field-types.js";
import type { AkashikServices } from "../host/akashik-services.js";
import { fieldCapabilities, OPERATIONS, type Operation } from "../messages/capabilities.js";
import { addressOf, type Reading, readEnvelope } from "../messages/envelope.js";
import { errorPayload, type Refusal } from "../messages/error-codes.js";
import { type FieldRequest, readRequest } from "../messages/requests.js";
import { attuned, fitting, listed, merged, notRegistered, recorded, registered } from "./answers.js";

/** The agent of a connection, or of a single request. */
export interface Caller {
  readonly access: Access;
  /** The agent that the caller has registered; undefined before. */
  readonly agentId: () => string | undefined;
  /** Of the agent from its registration on; undefined: it only polls. */
  readonly link: AgentLink | undefined;
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
    const outcome = await begin(message, caller, services);
    if (outcome.kind === "refused") return errorPayload(outcome.refusal, operation);
    // Nothing is acknowledged that a kill could take back, or of which an agent that it concerns would not hear.
    await field.settled();
    await whenDurable();
    return outcome.value;
  } catch (caught) {
    if (caught instanceof Fault && caught.code === "storage_unavailable")
      return errorPayload({ code: "INTERNAL_ERROR", message: caught.sentence }, operation);
    log.error({ err: caught }, "a message of Akashik could not be carried out");
    return errorPayload({ code: "INTERNAL_ERROR" }, operation);
  }
}

function begin(
  message: unknown,
  caller: Caller,
  services: AkashikServices,
): Outcome<object> | Promise<Outcome<object>> {
  const envelope = readEnvelope(message);
  if (envelope.kind === "refused") return envelope;
  const { value } = envelope;
  if (!mayUse(caller.access, value.operation))
    return refused("UNSUPPORTED_OPERATION", `This connection may not use ${value.operation}.`);
  const late = services.field.receive(value.epoch);
  if (late !== undefined) return late;
  const request: Reading<FieldRequest> = readRequest(value);
  if (request.kind === "refused") return request;
  if (request.value.operation === "REGISTER") return register(request.value, caller, services);
  const agentId = caller.agentId();
  if (agentId === undefined) return refused("AGENT_NOT_REGISTERED", "Send REGISTER first.");
  if (value.agentId !== null && value.agentId !== agentId)
    return refused("AGENT_NOT_REGISTERED", `This connection has registered "${agentId}", and not "${value.agentId}".`);
  return carryOutAs(agentId, request.value, addressOf(message).sessionId, caller, services);
}

function register(
  request: Extract<FieldRequest, { operation: "REGISTER" }>,
  caller: Caller,
  { field, persistence }: AkashikServices,
): Outcome<object> {
  const known = caller.agentId();
  if (known !== undefined) return refused("AGENT_ID_TAKEN", `This connection has registered "${known}" already.`);
  const offered = OPERATIONS.filter((operation) => mayUse(caller.access, operation));
  const capabilities = fieldCapabilities(offered, persistence);
  const missing = request.requiredOperations.filter((name) => !offered.some((one) => one === name));
  if (missing.length > 0) return done(notRegistered(missing, capabilities));
  const outcome = field.register(request, caller.link);
  if (outcome.kind === "refused") return outcome;
  caller.becomes(request.id);
  return done(registered(outcome.value, capabilities));
}

async function carryOutAs(
  agentId: string,
  request: Exclude<FieldRequest, { operation: "REGISTER" }>,
  sessionId: string | null,
  caller: Caller,
  { field }: AkashikServices,
): Promise<Outcome<object>> {
  switch (request.operation) {
    case "DEREGISTER": {
      if (request.agentId !== null && request.agentId !== agentId)
        return done({ status: "not_found", cleanup: { subscriptions: 0, notifications: 0 } });
      const cleanup = field.deregister(agentId) ?? { subscriptions: 0, notifications: 0 };
      caller.becomes(undefined);
      return done({ status: "ok", cleanup });
    }
    case "RECORD":
      return mapped(field.record(agentId, sessionId, request), recorded);
    case "ATTUNE": {
      const epoch = field.epoch();
      return mapped(await field.attune(agentId, request, caller.isGone), (answer) =>
        attuned(answer, field.conflicts(), epoch),
      );
    }
    case "DETECT":
      return done({ status: "ok", conflicts: fitting(field.conflicts()) });
    case "MERGE":
      return mapped(field.merge(agentId, request), merged);
    case "SUBSCRIBE":
      return subscription(agentId, request, field);
  }
}

function subscription(
  agentId: string,
  request: Extract<FieldRequest, { operation: "SUBSCRIBE" }>,
  field: AkashikServices["field"],
): Outcome<object> {
  switch (request.action) {
    case "subscribe":
      return mapped(field.subscribe(agentId, request), ({ id }) => ({ status: "ok", subscription_id: id }));
    case "unsubscribe": {
      const { subscriptionId } = request;
      const status = field.unsubscribe(agentId, subscriptionId) ? "ok" : "not_found";
      return done({ status, subscription_id: subscriptionId });
    }
    case "list":
      return done({ status: "ok", subscriptions: listed(field.list(agentId)) });
  }
}

function mapped<Value>(outcome: Outcome<Value>, change: (value: Value) => object): Outcome<object> {
  return outcome.kind === "refused" ? outcome : done(change(outcome.value));
}

function done(value: object): Outcome<object> {
  return { kind: "done", value };
}

function refused(code: Refusal["code"], message?: string): Outcome<never> {
  return { kind: "refused", refusal: { code, message } };
}
