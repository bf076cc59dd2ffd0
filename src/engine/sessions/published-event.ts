// An event as its agent sent it: compared with an earlier publish of the same id (R3), and without what the daemon takes out before any other check:
// the resume token that an agent chose (R8), of which only a hash is kept, and a host's own id of a tool call (R5c).
import { Fault } from "../../base/errors.js";
import { isObject, type Members } from "../../base/members.js";
import { type JournaledEvent, topicKind } from "../event/event.js";
import { ownMembersOf, withOwnMembers } from "../event/own-members.js";
import { AAEPD } from "../event/vocabulary.js";

/** An event as its agent sent it. */
export interface PublishedEvent {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The JSON text of exactly these fields, if there is one. */
  readonly source?: string | undefined;
  /** The publisher does not use `fields` again, so the daemon may fill them in without a copy. Default false. */
  readonly isHandedOver?: boolean;
}

/** The JSON text of an event as it was sent. Call it before the daemon fills anything in. */
export function sentText({ fields, source }: PublishedEvent): string {
  return source ?? JSON.stringify(fields);
}

/** The end of a text to which the daemon added the language (R2). */
const LANGUAGE_ADDED = /^,"localization_hints":\{[^{}]*\}\}$/;

/** Whether `later` is `sent`, or `sent` with the language that the daemon filled in behind its last member (R2). */
export function isSameText(sent: string, later: string): boolean {
  if (sent === later) return true;
  const end = sent.lastIndexOf("}");
  return end > 0 && later.startsWith(sent.slice(0, end)) && LANGUAGE_ADDED.test(later.slice(end));
}

/** Whether a journaled event was published with this text, or is delivered with it. `hash` is SHA-256. */
export function wasSentAs(
  text: string,
  { event, source, sent }: JournaledEvent,
  hash: (text: string) => string,
): boolean {
  if (sent !== undefined && sent === sentHash(text, hash)) return true;
  return isSameText(text, source ?? JSON.stringify(event));
}

/** 128 bits of the hash of a text as it was sent, in hex (R3). */
export function sentHash(text: string, hash: (text: string) => string): string {
  return hash(text).slice(0, 32);
}

export interface TakenToken {
  /** The event without the token. */
  readonly input: PublishedEvent;
  /** Undefined if the agent chose none. */
  readonly token: string | undefined;
}

/** Printable ASCII, long enough for 128 bits in base64. A hexadecimal token needs 32 digits, with or without hyphens. */
const FORM = /^[!-~]{22,256}$/;
const HEXADECIMAL = /^[0-9A-Fa-f-]+$/;
const HEXADECIMAL_DIGITS = 32;

const POINTER = `/extensions/${AAEPD}/resume_token`;

/** Removes the token from the start of a session; returns other events unchanged. Throws "invalid_event" for a value that cannot be such a token. */
export function takeOwnToken(input: PublishedEvent): TakenToken {
  const own = ownMembersOf(input.fields);
  if (own === undefined) return { input, token: undefined };
  const { resume_token: token, ...members } = own;
  if (token === undefined || topicKind(input.fields.type) !== "session.started") return { input, token: undefined };
  if (typeof token !== "string" || !isLongEnough(token)) {
    const sentence =
      "Choose a resume_token of at least 128 random bits, as 32 hexadecimal digits or 22 characters of base64, and of at most 256 characters.";
    throw new Fault("invalid_event", sentence, { pointer: POINTER, rule: "R8" });
  }
  // `source` is dropped, because the agent's text has the token in it.
  return { input: { fields: withOwnMembers(input.fields, members) }, token };
}

function isLongEnough(token: string): boolean {
  if (!FORM.test(token)) return false;
  return !HEXADECIMAL.test(token) || token.replaceAll("-", "").length >= HEXADECIMAL_DIGITS;
}

/** Most code points of such an id. */
const LONGEST_CALL_ID = 256;

/** Whether a value can be the id of a call in an agent's host: any text of 1 to 256 characters. */
export function isForeignCallId(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value.length > 2 * LONGEST_CALL_ID) return false;
  return value.length <= LONGEST_CALL_ID || [...value].length <= LONGEST_CALL_ID;
}

/**
 * Replaces `extensions.aaepd.call_id` by the `tool_call_id` that stands for it: `call_` and a hash over session, NUL and id, 32 hex digits of it. In
 * a question it stands in `extra_context`, in a progress in `extensions.aaepd`. Returns other events, and events with an impossible id, unchanged;
 * validation refuses the latter. Throws "invalid_event" if the event names another `tool_call_id` beside it. `sha256Hex` hashes the UTF-8 of a text.
 */
export function withToolCallId(fields: Members, sha256Hex: (text: string) => string): Members {
  const own = ownMembersOf(fields);
  if (own === undefined || !isForeignCallId(own.call_id)) return fields;
  const { session_id: sessionId, extra_context: context = {} } = fields;
  if (typeof sessionId !== "string") return fields;
  const { call_id: callId, ...members } = own;
  const toolCallId = `call_${sha256Hex(`${sessionId}\0${callId}`).slice(0, 32)}`;
  const named = (where: Members, path: string): Members => {
    const { tool_call_id: given = toolCallId } = where;
    if (given === toolCallId) return { ...where, tool_call_id: toolCallId };
    const sentence = `Leave out \`tool_call_id\`, or \`extensions.${AAEPD}.call_id\`: each names another call.`;
    throw new Fault("invalid_event", sentence, { pointer: `${path}/tool_call_id`, rule: "R5c" });
  };
  switch (topicKind(fields.type)) {
    case "tool.invoked":
    case "tool.completed": {
      const { tool_call_id } = named(fields, "");
      return withOwnMembers(fields, members, { tool_call_id });
    }
    case "awaiting.confirmation":
    case "awaiting.clarification":
      if (!isObject(context)) return fields;
      return withOwnMembers(fields, members, { extra_context: named(context, "/extra_context") });
    case "progress.updated":
      return withOwnMembers(fields, named(members, `/extensions/${AAEPD}`));
    default:
      return fields;
  }
}
