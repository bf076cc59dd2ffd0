// Ids of tool calls that an agent has from its host (R5c). The daemon replaces such an id by one in AAEP's form, which is the same in every event of
// the session that names the call.
import { Fault } from "../../base/errors.js";
import { isObject, type Members } from "../../base/members.js";
import { topicKind } from "./event.js";
import { ownMembersOf, withOwnMembers } from "./own-members.js";
import { AAEPD } from "./vocabulary.js";

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
