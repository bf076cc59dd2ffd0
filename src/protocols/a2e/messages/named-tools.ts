// The tools that a message names, of whatever type it is: a host could take it for a call of one of them.
import { type A2eMessage, isMessage } from "./message.js";

/** Members that name a tool, and those that may be about something else unless they are text or a list. */
const TOOL_NAME = /^tool[\s_-]?name$/i;
const NAME = /^(?:tool|name|function)$/i;
/** Members whose members are the message's own to some host, as MCP has them. */
const AROUND = /^(?:data|params|arguments|payload|call|tool|function)$/i;
/** As deep as `{"payload":{"params":{"name":…}}}`. */
const DEEPEST = 2;

/** Names of tools in a message, and in the objects within it that hosts read as part of it. Case makes no difference in the names of members. */
export function* namedTools(message: A2eMessage, depth = DEEPEST): Iterable<unknown> {
  for (const [name, value] of Object.entries(message)) {
    if (TOOL_NAME.test(name) || (NAME.test(name) && (typeof value === "string" || Array.isArray(value)))) yield value;
    if (depth > 0 && AROUND.test(name) && isMessage(value)) yield* namedTools(value, depth - 1);
  }
}
