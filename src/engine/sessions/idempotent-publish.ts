// Events that are published again. Such an event gets its first answer (R3), and the start of a session also gets the session's token if its own
// agent repeats it (R8).
import { Fault } from "../../base/errors.js";
import { topicKind } from "../event/event.js";
import type { Change, PublishAnswer, PublishContext } from "./change.js";
import { isSameText, type PublishedEvent, sentText, wasSentAs } from "./same-publish.js";
import type { SessionRecord } from "./session-record.js";

/** Earlier events of the same array, by their ids. */
export type Seen = Map<string, PublishedEvent> | undefined;

/**
 * Answers an event that was published before; undefined for a new event. `sent` is the event as it came, the token that its agent chose included: so
 * only who knows that token can repeat a start with it. If the session of a repeated start has no owner, the connection becomes its owner then.
 * Throws "event_id_reused".
 */
export function answerDuplicate(
  change: Change,
  open: ReadonlyMap<string, SessionRecord>,
  sent: PublishedEvent,
  context: PublishContext,
  seen: Seen,
  ownToken: string | undefined,
): PublishAnswer | undefined {
  const eventId = sent.fields.event_id;
  if (typeof eventId !== "string") return undefined;
  const twin = seen?.get(eventId);
  const known = context.known(eventId);
  if (twin === undefined && known === undefined) return undefined;
  const text = sentText(sent);
  const isStart = known !== undefined && topicKind(known.event.type) === "session.started";
  const session = isStart ? open.get(known.event.session_id) : undefined;
  if (
    twin !== undefined ? !isSameText(text, sentText(twin)) : known && !wasSentAs(text, known, change.services.hashToken)
  ) {
    const sentence = "Give every event an event_id of its own; another event has this one.";
    throw new Fault("event_id_reused", sentence, { pointer: "/event_id", rule: "R3" });
  }
  // Every subscriber sees the event itself, so repeating a start proves nothing. Without the token, no connection gets a session of another one.
  if (session !== undefined && session.owner === undefined && ownToken !== undefined) {
    change.touch(session);
    session.owner = context.connection;
    session.isResumed = true;
    change.adopted ??= [];
    change.adopted.push(session);
  }
  // The answer has the token only for the connection that owns the session, for the same reason.
  const token = session?.owner === context.connection ? (ownToken ?? session.resumeToken) : undefined;
  return token === undefined ? { kind: "repeated", eventId } : { kind: "repeated", eventId, resumeToken: token };
}
