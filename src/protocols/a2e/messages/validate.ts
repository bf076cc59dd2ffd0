// The form of A2E's messages: the members that the daemon reads are as the schemas say. Other members may be anything.

import type { Diagnosis } from "#gen/a2e/diagnosis.js";
import * as diagnosis from "#gen/a2e/diagnosis.js";
import * as validators from "#gen/a2e/validators.js";
import type { A2eMessage } from "./message.js";

interface Check {
  readonly isValid: (value: unknown) => boolean;
  readonly diagnose: (value: unknown) => readonly Diagnosis[];
}

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ["handshake/req", { isValid: validators.isA2EHandshakeRequest, diagnose: diagnosis.diagnoseA2EHandshakeRequest }],
  ["handshake/resp", { isValid: validators.isA2EHandshakeResponse, diagnose: diagnosis.diagnoseA2EHandshakeResponse }],
  ["shutdown", { isValid: validators.isA2EShutdown, diagnose: diagnosis.diagnoseA2EShutdown }],
  ["error", { isValid: validators.isA2EError, diagnose: diagnosis.diagnoseA2EError }],
  ["invoke/event", { isValid: validators.isA2EInvokeEvent, diagnose: diagnosis.diagnoseA2EInvokeEvent }],
  ["tool/event", { isValid: validators.isA2EToolEvent, diagnose: diagnosis.diagnoseA2EToolEvent }],
  ["tool/call/req", { isValid: validators.isA2EToolCallRequest, diagnose: diagnosis.diagnoseA2EToolCallRequest }],
  ["tool/call/resp", { isValid: validators.isA2EToolCallResponse, diagnose: diagnosis.diagnoseA2EToolCallResponse }],
  ["aaepd.a2e.register", { isValid: validators.isA2ERegister, diagnose: diagnosis.diagnoseA2ERegister }],
]);

/** A sentence that names the first member of wrong form; undefined if the message is as its type demands, or its type is not checked. */
export function schemaFault(type: string, message: A2eMessage): string | undefined {
  const check = CHECKS.get(type);
  if (check === undefined || check.isValid(message)) return undefined;
  const [first] = check.diagnose(message);
  return first === undefined ? `This is no ${type}.` : sentenceOf(first, type);
}

function sentenceOf({ instancePath, keyword, params }: Diagnosis, type: string): string {
  const place = instancePath.slice(1).replaceAll("/", ".");
  if (keyword === "required") {
    const name = [place, String(params.missingProperty)].filter(Boolean).join(".");
    return `Give \`${name}\`; ${type} needs it.`;
  }
  const of = place === "" ? "The message" : `\`${place}\``;
  const wanted = params[keyword];
  switch (keyword) {
    case "type":
      return `${of} must be of type ${String(wanted)}.`;
    case "enum":
      return `${of} must be one of ${(wanted as readonly unknown[]).map((one) => JSON.stringify(one)).join(", ")}.`;
    case "minimum":
      return `${of} must be at least ${String(wanted)}.`;
    case "maximum":
      return `${of} must be at most ${String(wanted)}.`;
    case "minLength":
    case "minItems":
      return `${of} must be at least ${String(wanted)} long.`;
    case "maxLength":
    case "maxItems":
      return `${of} must be at most ${String(wanted)} long.`;
    default:
      return `${of} is not as ${type} demands.`;
  }
}
