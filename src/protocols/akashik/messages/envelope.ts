// Envelopes: reading those of agents, and making those of the Field; and the operations that they name.
import * as schemas from "#gen/akashik/schemas.js";
import type { AkashikFieldCapabilities } from "#gen/akashik/types.js";
import { isAkashikRequest } from "#gen/akashik/validators.js";
import { isObject } from "../../../base/members.js";
import { firstSentence } from "../../../base/schema/fault-words.js";
import { isPlainSource, wellFormedFields } from "../../../engine/text/well-formed.js";
import { Refused } from "./error-codes.js";
import { AKASHIK_VERSION, PROTOCOL } from "./protocol.js";

export const OPERATIONS = ["REGISTER", "DEREGISTER", "RECORD", "ATTUNE", "DETECT", "MERGE", "SUBSCRIBE"] as const;

export type Operation = (typeof OPERATIONS)[number];

export const STRATEGIES = ["last_write_wins", "confidence_weighted", "human_escalation"] as const;

/** Pushes by SUBSCRIBE are of level 2. */
const CONFORMANCE_LEVEL = 2;

function isOperation(name: string): name is Operation {
  return OPERATIONS.some((one) => one === name);
}

/** `operations`: those that the agent may use. `persistence`: whether memory units outlive the daemon. */
export function fieldCapabilities(
  operations: readonly Operation[],
  persistence: AkashikFieldCapabilities["persistence"],
): AkashikFieldCapabilities {
  return {
    conformance_level: CONFORMANCE_LEVEL,
    supported_operations: operations,
    protocol_version: AKASHIK_VERSION,
    persistence,
    conflict_strategies: STRATEGIES,
  };
}

/** The members of an envelope that an answer repeats; null where the message had none that could be read. */
export interface Address {
  readonly id: string | null;
  readonly operation: string | null;
  readonly agentId: string | null;
  readonly sessionId: string | null;
}

export interface Envelope {
  readonly operation: Operation;
  readonly agentId: string | null;
  /** A number of JSON. The Field's clock decides whether it is an epoch. */
  readonly epoch: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Patch versions change nothing that is on the wire. */
const SPOKEN_VERSION = /^0\.1(?:\.\d{1,6})?$/;

/** Reads the envelope of a message. Throws Refused. */
export function readEnvelope(message: unknown): Envelope {
  if (!isAkashikRequest(message))
    throw new Refused("INVALID_TYPE", firstSentence(schemas.AkashikRequest, message, "a message of Akashik"));
  const { version, operation, agent_id, epoch, payload } = message;
  if (!SPOKEN_VERSION.test(version))
    throw new Refused("UNSUPPORTED_OPERATION", `This Field speaks Akashik ${AKASHIK_VERSION}, and not ${version}.`);
  if (!isOperation(operation))
    throw new Refused("UNSUPPORTED_OPERATION", `This Field has ${OPERATIONS.join(", ")}, and not ${operation}.`);
  return { operation, agentId: agent_id ?? null, epoch, payload };
}

/** The message with U+FFFD in place of each lone surrogate, so that all transports agree (R25). `text`: the JSON of the message. */
export function repaired(message: unknown, text: string): unknown {
  return isObject(message) && !isPlainSource(text) ? wellFormedFields(message, undefined) : message;
}

const LONGEST_ID = 256;
const LONGEST_OPERATION = 64;

/** The address of the answer to a message, whatever the message is. */
export function addressOf(message: unknown): Address {
  const { id, operation, agent_id, session_id } = (message ?? {}) as Readonly<Record<string, unknown>>;
  return {
    id: shortText(id, LONGEST_ID),
    operation: shortText(operation, LONGEST_OPERATION),
    agentId: shortText(agent_id, LONGEST_ID),
    sessionId: shortText(session_id, LONGEST_ID),
  };
}

/** Schemas count code points, of which each has one or two units. */
function shortText(value: unknown, longest: number): string | null {
  if (typeof value !== "string" || value === "" || value.length > 2 * longest) return null;
  return value.length <= longest || [...value].length <= longest ? value : null;
}

/** The text of a message from the Field. `epoch`: that of the Field's clock. */
export function envelopeText({ id, operation, agentId, sessionId }: Address, epoch: number, payload: object): string {
  return JSON.stringify({
    protocol: PROTOCOL,
    version: AKASHIK_VERSION,
    id,
    operation,
    agent_id: agentId,
    session_id: sessionId,
    epoch,
    payload,
  });
}
