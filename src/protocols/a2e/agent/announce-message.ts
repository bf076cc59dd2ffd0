// A message that needs no answer is heard as a call that is done. A call that cannot be announced is not forwarded, because a listener relies on
// hearing what an agent does.
import type { Mirror } from "../mirror/mirror.js";
import { requestNameOf } from "../mirror/request-name.js";

/** Returns false if the message could not be announced, and so must not be passed on. */
export function announceMessage(mirror: Mirror, type: string, callId: string): boolean {
  const name = requestNameOf(type);
  const call = { tool: name, name, callId, correlationId: undefined, arguments: undefined };
  try {
    mirror.called(call, false);
  } catch {
    return false;
  }
  mirror.completed(call);
  return true;
}
