import { Fault } from "./errors.js";

/** Throws "permission_denied" if the access of a connection forbids the operation (R36). */
export function assertMay<Operation extends string>(
  access: { readonly may: (operation: Operation, sessionId?: unknown) => boolean },
  operation: Operation,
  sessionId?: unknown,
): void {
  if (access.may(operation, sessionId)) return;
  const sentence = `The daemon's access policy does not let this connection do that (${operation}). Connect as a peer that may.`;
  throw new Fault("permission_denied", sentence, { pointer: "", rule: "R36" });
}
