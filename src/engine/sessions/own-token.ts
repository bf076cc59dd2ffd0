// The resume token that an agent chose in `session.started` (R8). The token is removed from the event before any other check. The daemon remembers
// only its hash.
import { Fault } from "../../base/errors.js";
import { topicKind } from "../event/event.js";
import { ownMembersOf, withOwnMembers } from "../event/own-members.js";
import { AAEPD } from "../event/vocabulary.js";
import type { PublishedEvent } from "./same-publish.js";

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
