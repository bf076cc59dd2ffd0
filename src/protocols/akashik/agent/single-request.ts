// A message without a connection: one answer, and no notifications. An agent that registers so only polls.

import { faultFrom } from "../../../base/errors.js";
import { parseJsonDocument } from "../../../base/json-document.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { Operation } from "../messages/capabilities.js";
import { addressOf, envelopeText, repaired } from "../messages/envelope.js";
import { errorPayload, Refused, refusalOfFrame } from "../messages/error-codes.js";
import { type AkashikServices, carryOut } from "./operations.js";

export interface SingleAnswer {
  /** The envelope of the answer. */
  readonly text: string;
  readonly isError: boolean;
}

/** Carries out one message, which must be of the operation that its way names. Never rejects. */
export async function answerSingle(
  text: string,
  operation: Operation,
  peer: PeerIdentity,
  services: AkashikServices,
): Promise<SingleAnswer> {
  const { field } = services;
  let message: unknown;
  try {
    message = repaired(parseJsonDocument(text), text);
  } catch (caught) {
    return refusal(undefined, refusalOfFrame(faultFrom(caught)), operation, field.epoch());
  }
  const { agentId, operation: named } = addressOf(message);
  if (named !== operation) {
    const sentence = `Set \`operation\` to ${operation}, or use the path of the other one.`;
    return refusal(message, new Refused("INVALID_TYPE", sentence), operation, field.epoch());
  }
  const payload = await carryOut(
    message,
    {
      access: services.access.of(peer),
      // A connected agent speaks over its connection alone, and a registration takes over the id of any other.
      agentId: () => (operation !== "REGISTER" && isAway(agentId, field) ? agentId : undefined),
      push: undefined,
      becomes: () => {},
      isGone: () => false,
    },
    services,
  );
  const isError = "error" in payload;
  return { text: envelopeText(addressOf(message), field.epoch(), payload), isError };
}

function isAway(agentId: string | null, field: AkashikServices["field"]): agentId is string {
  return agentId !== null && field.has(agentId) && !field.isThere(agentId);
}

function refusal(message: unknown, why: Refused, operation: Operation, epoch: number): SingleAnswer {
  return { text: envelopeText(addressOf(message), epoch, errorPayload(why, operation)), isError: true };
}
