// Envelopes: reading those of agents, and making those of the Field.
import { isOperation, OPERATIONS, type Operation } from "./capabilities.js";
import type { Refusal } from "./error-codes.js";
import { AKASHIK_VERSION, PROTOCOL } from "./protocol.js";
import { ENVELOPE, formFault } from "./validate.js";

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

/** Something that was read, or the reason why it could not be. */
export type Reading<Value> =
  | { readonly kind: "read"; readonly value: Value }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export function read<Value>(value: Value): Reading<Value> {
  return { kind: "read", value };
}

export function refused(code: Refusal["code"], message?: string): Reading<never> {
  return { kind: "refused", refusal: { code, message } };
}

/** Patch versions change nothing that is on the wire. */
const SPOKEN_VERSION = /^0\.1(?:\.\d{1,6})?$/;

/** Reads the envelope of a message. */
export function readEnvelope(message: unknown): Reading<Envelope> {
  if (!ENVELOPE.isValid(message)) return refused("INVALID_TYPE", formFault(ENVELOPE, message));
  const { version, operation, agent_id, epoch, payload } = message;
  if (!SPOKEN_VERSION.test(version))
    return refused("UNSUPPORTED_OPERATION", `This Field speaks Akashik ${AKASHIK_VERSION}, and not ${version}.`);
  if (!isOperation(operation))
    return refused("UNSUPPORTED_OPERATION", `This Field has ${OPERATIONS.join(", ")}, and not ${operation}.`);
  return read({ operation, agentId: agent_id ?? null, epoch, payload });
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

function shortText(value: unknown, longest: number): string | null {
  return typeof value === "string" && value.length > 0 && isWithin(value, longest) ? value : null;
}

/** Schemas count code points, of which each has one or two units. */
function isWithin(text: string, longest: number): boolean {
  return text.length <= longest || (text.length <= 2 * longest && [...text].length <= longest);
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
