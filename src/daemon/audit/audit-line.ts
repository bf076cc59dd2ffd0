// An entry as its line of the audit log (docs/audit.md): a reply with its message and its original text, a question with its texts as a person was to
// see them (R37).
import { shownJson } from "../../base/json-line.js";
import type { AuditEntry, ReplyAsItCame } from "../../contracts/audit.js";
import type { AgentEvent } from "../../engine/event/event.js";
import { readableTexts } from "../../engine/terms/readable-fields.js";

/** Most UTF-16 units of a reply that did not count, because its sender decides the length. */
const LONGEST_VAIN_REPLY = 2048;
/** Most UTF-16 units of the text of a reply that counted, because white space can make any text long. */
const LONGEST_TEXT = 16_384;
/** Most code points of a text of a question that are shown; the rest is counted. */
const LONGEST_SHOWN = 4_000;
/** Without a bracket, with which a text may imitate a name. */
const PLAIN = /^[\x20-Z\\-~\n]*$/;

export function lineOf(fields: object, at: number): string {
  return lineWith({ time: new Date(at).toISOString(), ...fields });
}

function lineWith(members: object): string {
  return `${shownJson(JSON.stringify(members))}\n`;
}

/** The members of an entry that its line has. */
export function membersOf(entry: AuditEntry): object {
  if (entry.kind !== "reply") return entry;
  const { reply, ...members } = entry;
  return { ...members, ...replyMembers(reply, entry.fate === "counted") };
}

/** Adds to the line of a question how its texts were to be seen. Never rejects. Undefined for a line that has nothing to add. */
export function finishing(entry: AuditEntry | undefined, line: string): Promise<string> | undefined {
  if (entry?.kind !== "asked" || !readableTexts(entry.event).some(([, text]) => !PLAIN.test(text))) return undefined;
  return shownTexts(entry.event).then(
    (shown) => (shown === undefined ? line : lineWith({ ...JSON.parse(line), shown })),
    () => line,
  );
}

/** The texts in which something is not seen, each with the names of that; undefined if there are none. */
async function shownTexts(event: AgentEvent): Promise<Readonly<Record<string, string>> | undefined> {
  // Loaded when it is first needed.
  const { revealed } = await import("../../speakable/consent.js");
  const shown = readableTexts(event).flatMap(([name, text]) => {
    const { text: said, named } = revealed(text, { limit: LONGEST_SHOWN });
    return named.length === 0 ? [] : [[name, said] as const];
  });
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

/** The message is missing if its text could be read in two ways, or not at all; the text, if the reply did not come as one. */
export function replyMembers(reply: unknown, counted: boolean): { readonly reply?: unknown; readonly text?: unknown } {
  if (!cameAsText(reply)) return { reply: counted ? reply : cutMessage(reply) };
  const { message, text } = reply;
  return {
    ...(message === undefined ? {} : { reply: counted ? message : cutMessage(message) }),
    text: cut(text, counted ? LONGEST_TEXT : LONGEST_VAIN_REPLY),
  };
}

/** A message has a `type`, a `ReplyAsItCame` has none. A reply of a typed service is a plain message. */
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
