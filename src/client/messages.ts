// The messages of AAEP as bytes, and what is read in them. Knows no connection and no state.
import type { AaepdError } from "#gen/aaep/types.js";
import { Fault, type FaultCode } from "../base/errors.js";
import { isObject, type Members, membersOf } from "../base/members.js";

/** The object that a frame holds. Throws a Fault "invalid_json" or "invalid_message": the peer is no AAEP producer. */
export function parseObject(frame: Uint8Array): Members {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(frame));
  } catch (caught) {
    throw new Fault("invalid_json", "What came is not JSON. Check that the address is that of an AAEP producer.", {
      cause: caught,
    });
  }
  if (!isObject(value)) throw notAaep("is no object");
  return value;
}

/** The text of a member. Throws as `parseObject`. */
export function textIn(message: Members, member: string): string {
  const text = message[member];
  if (typeof text === "string") return text;
  throw notAaep(`has no ${member}`);
}

export function notAaep(what: string): Fault {
  return new Fault("invalid_message", `A message ${what}. Check that the address is that of an AAEP producer.`);
}

/** The fault in a daemon's error. A code that a later daemon has added stays as it is. */
export function faultFromError(error: AaepdError): Fault {
  const { code, message, pointer, rule, event_id: eventId, retry_after_seconds: retryAfterSeconds } = error;
  return new Fault(code as FaultCode, message, { pointer, rule, eventId, retryAfterSeconds });
}

/** The error that a fault of the daemon came from. `answers`: the type of the message at fault. */
export function errorFromFault(fault: Fault, answers: string): AaepdError {
  const { code, sentence, pointer = "", rule = "", eventId, retryAfterSeconds } = fault;
  return {
    type: "aaepd.error",
    code,
    message: sentence,
    pointer,
    rule,
    answers,
    ...(eventId === undefined ? undefined : { event_id: eventId }),
    ...(retryAfterSeconds === undefined ? undefined : { retry_after_seconds: retryAfterSeconds }),
  };
}

/** Returns the cursor in the `aaepd` members of an acceptance or a close; undefined if there is none (R17). */
export function cursorIn(members: unknown): string | undefined {
  const { cursor } = membersOf(members);
  return typeof cursor === "string" ? cursor : undefined;
}

export function encodeMessage(message: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}
