// An event that is published again: it gets its first answer (R3), and the start of a session its token where that is its agent's (R8).
import { Fault } from "../../base/errors.js";
import { topicKind } from "../event/event.js";
import type { Draft } from "./rule-context.js";
import { isSameContent, isSamePublish, type PublishedEvent } from "./same-publish.js";
import type { PublishAnswer, PublishContext } from "./session-plan.js";
import type { SessionRecord } from "./session-record.js";

/** Events of the same array that came before, by their ids. */
export type Seen = Map<string, PublishedEvent> | undefined;

/**
 * The answer to an event that was published before; undefined where it was not. The start of a session that nobody has gives it to the connection
 * that repeats it with the token that its agent chose. Throws "event_id_reused".
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
  // A start is no proof, as every listener hears it: without the token nobody has a session that was another connection's.
  if (session !== undefined && session.owner === undefined && isOwn) {
    draft.undo.touch(session);
    session.owner = context.connection;
    session.isResumed = true;
    draft.adopted.push(session);
  }
  // Everyone who listens has seen the event itself: only its own agent gets the token again.
  const token = session?.owner === context.connection ? (ownToken ?? session.resumeToken) : undefined;
  return token === undefined ? { kind: "repeated", eventId } : { kind: "repeated", eventId, resumeToken: token };
}

function reused(): Fault {
  const sentence = "Give every event an event_id of its own; another event has this one.";
  return new Fault("event_id_reused", sentence, { pointer: "/event_id", rule: "R3" });
}
