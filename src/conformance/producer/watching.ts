// Two forms that most watching cases have.

import { fail } from "../findings/verdicts.js";
import { evidenceOf, type Message } from "../wire/conversation.js";
import { type HeardSession, heardEvents, heardSessions } from "./hearing.js";
import { type WatchingCase, watching } from "./producer-case.js";

/**
 * A rule about each event by itself. `wrong` returns a sentence about an event that breaks the rule, and "not judged" for an event that the rule does
 * not concern.
 */
export function eachEvent(
  id: string,
  title: string,
  paragraphs: readonly string[],
  unseen: string,
  wrong: (event: Message, text: string) => string | "not judged" | undefined,
): WatchingCase {
  return watching(id, title, paragraphs, unseen, ({ conversations }) => {
    let judged = 0;
    for (const { recorded, event } of heardEvents(conversations)) {
      const fault = wrong(event, recorded.text);
      if (fault === "not judged") continue;
      judged += 1;
      if (fault !== undefined) fail(title, fault, [evidenceOf(recorded)]);
    }
    return judged;
  });
}

/** A finding about a session: a sentence, and the places of the events that show it. */
export interface SessionFault {
  readonly seen: string;
  readonly places: readonly number[];
}

/** A rule about the events of a session as one subscription heard them. `judge` returns "not judged" for a session that shows nothing of it. */
export function eachSession(
  id: string,
  title: string,
  paragraphs: readonly string[],
  unseen: string,
  judge: (session: HeardSession) => SessionFault | "not judged" | undefined,
): WatchingCase {
  return watching(id, title, paragraphs, unseen, (heard) => {
    let judged = 0;
    for (const session of heardSessions(heard)) {
      const fault = judge(session);
      if (fault === "not judged") continue;
      judged += 1;
      const places = fault?.places ?? [];
      const evidence = places.map((place) => evidenceOf(session.events[place]?.recorded));
      if (fault !== undefined) fail(title, fault.seen, evidence);
    }
    return judged;
  });
}
