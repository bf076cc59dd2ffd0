// Events that are published again. Such an event gets its first answer (R3), and the start of a session also gets the session's token if its own
// agent repeats it (R8).
import { Fault } from "../../base/errors.js";
import { topicKind } from "../event/event.js";
import type { Draft } from "./rule-context.js";
import { isSameContent, isSamePublish, type PublishedEvent } from "./same-publish.js";
import type { PublishAnswer, PublishContext } from "./session-plan.js";
import type { SessionRecord } from "./session-record.js";

/** Earlier events of the same array, by their ids. */
export type Seen = Map<string, PublishedEvent> | undefined;

/**
 * Answers an event that was published before; undefined for a new event. If the session of a repeated start has no owner, the connection becomes its
 * owner, provided that it shows the token that its agent chose. Throws "event_id_reused".
 */
export function answerDuplicate(
  draft: Draft,
  open: ReadonlyMap<string, SessionRecord>,
  input: PublishedEvent,
  context: PublishContext,
  seen: Seen,
  ownToken: string | undefined,
): PublishAnswer | undefined {
  const eventId = input.fields.event_id;
  if (typeof eventId !== "string") return undefined;
  const twin = seen?.get(eventId);
  const { session_id: sessionId } = input.fields;
  const suppressed =
    typeof sessionId === "string" ? open.get(sessionId)?.suppressed.get(eventId)?.published : undefined;
  if (suppressed !== undefined && isSameContent(input, suppressed)) return { kind: "suppressed", eventId };
  const known = context.known(eventId);
  if (twin === undefined && known === undefined && suppressed === undefined) return undefined;
  const isSame = twin !== undefined ? isSameContent(input, twin) : known !== undefined && isSamePublish(input, known);
  if (!isSame) throw reused();
  const isStart = known !== undefined && topicKind(known.event.type) === "session.started";
  const session = isStart ? open.get(known.event.session_id) : undefined;
  const isOwn = session !== undefined && ownToken !== undefined && draft.hashToken(ownToken) === session.tokenHash;
  if (session !== undefined && ownToken !== undefined && !isOwn) throw reused();
  // Every subscriber sees the event itself, so repeating a start proves nothing. Without the token, no connection gets a session of another one.
  if (session !== undefined && session.owner === undefined && isOwn) {
    draft.undo.touch(session);
    session.owner = context.connection;
    session.isResumed = true;
    draft.adopted.push(session);
  }
  // The answer has the token only for the connection that owns the session, for the same reason.
  const token = session?.owner === context.connection ? (ownToken ?? session.resumeToken) : undefined;
  return token === undefined ? { kind: "repeated", eventId } : { kind: "repeated", eventId, resumeToken: token };
}

function reused(): Fault {
  const sentence = "Give every event an event_id of its own; another event has this one.";
  return new Fault("event_id_reused", sentence, { pointer: "/event_id", rule: "R3" });
}
