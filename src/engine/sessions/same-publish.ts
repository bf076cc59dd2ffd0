// Events that are published again (R3). Such an event gets its first answer, if its text is that of the first time.
import { Fault } from "../../base/errors.js";
import { type JournaledEvent, topicKind } from "../event/event.js";
import type { Change, PublishAnswer } from "./change.js";
import type { SessionRecord } from "./session-record.js";

/** An event as its agent sent it. */
export interface PublishedEvent {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The JSON text of exactly these fields, if there is one. */
  readonly source?: string | undefined;
  /** The publisher does not use `fields` again, so the daemon may fill them in without a copy. Default false. */
  readonly isHandedOver?: boolean;
}

/** The JSON text of an event as it was sent. Call it before the daemon fills anything in. */
export function sentText({ fields, source }: PublishedEvent): string {
  return source ?? JSON.stringify(fields);
}

/** The end of a text to which the daemon added the language (R2). */
const LANGUAGE_ADDED = /^,"localization_hints":\{[^{}]*\}\}$/;

/** Whether `later` is `sent`, or `sent` with the language that the daemon filled in behind its last member (R2). */
export function isSameText(sent: string, later: string): boolean {
  if (sent === later) return true;
  const end = sent.lastIndexOf("}");
  return end > 0 && later.startsWith(sent.slice(0, end)) && LANGUAGE_ADDED.test(later.slice(end));
}

/** Whether a journaled event was published with this text, or is delivered with it. `hash` is SHA-256. */
export function wasSentAs(
  text: string,
  { event, source, sent }: JournaledEvent,
  hash: (text: string) => string,
): boolean {
  // Journals of layout 3 have the text in place of its hash.
  if (sent !== undefined && (sent === text || sent === sentHash(text, hash))) return true;
  return isSameText(text, source ?? JSON.stringify(event));
}

/** 128 bits of the hash of a text as it was sent, in hex (R3). */
export function sentHash(text: string, hash: (text: string) => string): string {
  return hash(text).slice(0, 32);
}

/**
 * Answers an event whose id is that of `twin` in the same array, or of `known` in the journal. `sent` is the event as it came, the token that its
 * agent chose included: so only who knows that token can repeat the start of `session` with it. If that session has no owner, the connection becomes
 * its owner then (R8). Throws "event_id_reused".
 */
export function answerDuplicate(
  change: Change,
  sent: PublishedEvent,
  twin: PublishedEvent | undefined,
  known: JournaledEvent | undefined,
  session: SessionRecord | undefined,
  ownToken: string | undefined,
): PublishAnswer {
  const eventId = String(sent.fields.event_id);
  const text = sentText(sent);
  const isSame =
    twin === undefined
      ? known !== undefined && wasSentAs(text, known, change.rules.options.hashToken)
      : isSameText(text, sentText(twin));
  if (!isSame) {
    const sentence = "Give every event an event_id of its own; another event has this one.";
    throw new Fault("event_id_reused", sentence, { pointer: "/event_id", rule: "R3" });
  }
  const repeated = { kind: "repeated", eventId } as const;
  if (session === undefined || topicKind(sent.fields.type) !== "session.started") return repeated;
  // Every subscriber sees the event itself, so repeating a start proves nothing. Without the token, no connection gets a session of another one.
  if (session.owner === undefined && ownToken !== undefined) adopt(change, session);
  // The answer has the token only for the connection that owns the session, for the same reason.
  const resumeToken = session.owner === change.connection ? (ownToken ?? session.resumeToken) : undefined;
  return resumeToken === undefined ? repeated : { ...repeated, resumeToken };
}

/** Makes the connection that publishes the owner of a session without one. It publishes there as the session's starter (R2, R8). */
export function adopt(change: Change, session: SessionRecord): void {
  change.touch(session);
  session.owner = change.connection;
  session.isResumed = true;
  change.adopted ??= [];
  change.adopted.push(session);
}
