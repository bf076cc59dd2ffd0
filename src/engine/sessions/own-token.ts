// The resume token that an agent chose in `session.started` (R8). The token is removed from the event before any other check. The daemon remembers
// only its hash.
import { Fault } from "../../base/errors.js";
import { topicKind } from "../event/event.js";
import { AAEPD } from "../event/vocabulary.js";
import type { PublishedEvent } from "./same-publish.js";

type Members = Readonly<Record<string, unknown>>;

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
  const { extensions } = input.fields;
  if (!isObject(extensions) || !isObject(extensions[AAEPD])) return { input, token: undefined };
  const { resume_token: token, ...members } = extensions[AAEPD];
  if (token === undefined || topicKind(input.fields.type) !== "session.started") return { input, token: undefined };
  if (typeof token !== "string" || !isLongEnough(token)) {
    const sentence =
      "Choose a resume_token of at least 128 random bits, as 32 hexadecimal digits or 22 characters of base64, and of at most 256 characters.";
    throw new Fault("invalid_event", sentence, { pointer: POINTER, rule: "R8" });
  }
  const { [AAEPD]: _, ...others } = extensions;
  const left = Object.keys(members).length === 0 ? others : { ...others, [AAEPD]: members };
  const { extensions: __, ...fields } = input.fields;
  // `source` is dropped, because the agent's text has the token in it.
  return { input: { fields: Object.keys(left).length === 0 ? fields : { ...fields, extensions: left } }, token };
}

function isLongEnough(token: string): boolean {
  if (!FORM.test(token)) return false;
  return !HEXADECIMAL.test(token) || token.replaceAll("-", "").length >= HEXADECIMAL_DIGITS;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
