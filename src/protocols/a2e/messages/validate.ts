// The form of A2E's messages: the members that the daemon reads are as the schemas say. Other members may be anything.
import * as schemas from "#gen/a2e/schemas.js";
import * as validators from "#gen/a2e/validators.js";
import { firstSentence } from "../../../base/schema/fault-words.js";
import type { Schema } from "../../../base/schema/schema-faults.js";
import type { A2eMessage } from "./message.js";

interface Check {
  readonly isValid: (value: unknown) => boolean;
  readonly schema: Schema;
}

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ["handshake/req", { isValid: validators.isA2EHandshakeRequest, schema: schemas.A2EHandshakeRequest }],
  ["handshake/resp", { isValid: validators.isA2EHandshakeResponse, schema: schemas.A2EHandshakeResponse }],
  ["shutdown", { isValid: validators.isA2EShutdown, schema: schemas.A2EShutdown }],
  ["error", { isValid: validators.isA2EError, schema: schemas.A2EError }],
  ["invoke/event", { isValid: validators.isA2EInvokeEvent, schema: schemas.A2EInvokeEvent }],
  ["tool/event", { isValid: validators.isA2EToolEvent, schema: schemas.A2EToolEvent }],
  ["tool/call/req", { isValid: validators.isA2EToolCallRequest, schema: schemas.A2EToolCallRequest }],
  ["tool/call/resp", { isValid: validators.isA2EToolCallResponse, schema: schemas.A2EToolCallResponse }],
  ["aaepd.a2e.register", { isValid: validators.isA2ERegister, schema: schemas.A2ERegister }],
]);

/** A sentence that names the first member of wrong form; undefined if the message is as its type demands, or its type is not checked. */
export function schemaFault(type: string, message: A2eMessage): string | undefined {
  const check = CHECKS.get(type);
  if (check === undefined || check.isValid(message)) return undefined;
  return firstSentence(check.schema, message, type) ?? `This is no ${type}.`;
}
