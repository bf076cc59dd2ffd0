// How a reply stands in its line of the audit log: what it says, and what was written.
import type { ReplyAsItCame } from "../../contracts/audit.js";

/** A reply that did not count is cut to this, UTF-16 units: whoever sends it decides how long it is. */
const LONGEST_VAIN_REPLY = 2048;
/** So is the text of one that counted: white space can make any text long. */
const LONGEST_TEXT = 16_384;

export interface ReplyMembers {
  /** The message; missing where its text could be read in two ways, or in none. */
  readonly reply?: unknown;
  /** As it came, where it came as text. */
  readonly text?: unknown;
}

export function replyMembers(reply: unknown, counted: boolean): ReplyMembers {
  if (!cameAsText(reply)) return { reply: counted ? reply : cutMessage(reply) };
  const { message, text } = reply;
  return {
    ...(message === undefined ? {} : { reply: counted ? message : cutMessage(message) }),
    text: cut(text, counted ? LONGEST_TEXT : LONGEST_VAIN_REPLY),
  };
}

/** A message has a type, and this has none; earlier runs kept messages alone. */
function cameAsText(reply: unknown): reply is ReplyAsItCame {
  if (typeof reply !== "object" || reply === null || !("text" in reply) || typeof reply.text !== "string") return false;
  return Object.keys(reply).every((name) => name === "text" || name === "message");
}

function cutMessage(message: unknown): unknown {
  const text = JSON.stringify(message) ?? "";
  return text.length <= LONGEST_VAIN_REPLY ? message : cut(text, LONGEST_VAIN_REPLY);
}

function cut(text: string, longest: number): unknown {
  return text.length <= longest ? text : { beginning: text.slice(0, longest), length: text.length };
}
