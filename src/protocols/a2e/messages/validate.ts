// The form of A2E's messages: the members that the daemon reads are as the schemas say. Other members may be anything.
import * as schemas from "#gen/a2e/schemas.js";
import * as validators from "#gen/a2e/validators.js";
import { firstSentence } from "../../../base/schema/fault-words.js";
import type { A2eMessage } from "./message.js";

/** The schema of each type that is checked. */
const SCHEMAS: ReadonlyMap<string, keyof typeof schemas> = new Map([
  ["handshake/req", "A2EHandshakeRequest"],
  ["handshake/resp", "A2EHandshakeResponse"],
  ["shutdown", "A2EShutdown"],
  ["error", "A2EError"],
  ["invoke/event", "A2EInvokeEvent"],
  ["tool/event", "A2EToolEvent"],
  ["tool/call/req", "A2EToolCallRequest"],
  ["tool/call/resp", "A2EToolCallResponse"],
  ["aaepd.a2e.register", "A2ERegister"],
] as const);

/** A sentence that names the first member of wrong form; undefined if the message is as its type demands, or its type is not checked. */
export function schemaFault(type: string, message: A2eMessage): string | undefined {
  const name = SCHEMAS.get(type);
  // biome-ignore-start lint/performance/noDynamicNamespaceImportAccess: the bundle has all of them in any case.
  if (name === undefined || validators[`is${name}`](message)) return undefined;
  return firstSentence(schemas[name], message, type) ?? `This is no ${type}.`;
  // biome-ignore-end lint/performance/noDynamicNamespaceImportAccess: the bundle has all of them in any case.
}
