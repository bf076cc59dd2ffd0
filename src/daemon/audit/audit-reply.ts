// The members of a reply in its line of the audit log: the message, and the original text.
import type { ReplyAsItCame } from "../../contracts/audit.js";

/** Most UTF-16 units of a reply that did not count, because its sender decides the length. */
const LONGEST_VAIN_REPLY = 2048;
/** Most UTF-16 units of the text of a reply that counted, because white space can make any text long. */
const LONGEST_TEXT = 16_384;

export interface ReplyMembers {
  /** The message; missing if its text could be read in two ways, or not at all. */
  readonly reply?: unknown;
  /** The original text, if the reply came as text. */
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

/** A message has a `type`, a `ReplyAsItCame` has none. Replies recorded by earlier versions are plain messages. */
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
