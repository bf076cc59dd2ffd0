// The cases for producers, and the forms that most of them have.
import { type CaseDescription, caseOf, fail } from "../findings/finding.js";
import { evidenceOf, type Message } from "../wire/conversation.js";
import { type HeardSession, heardEvents, heardSessions } from "./hearing.js";
import type { Heard, ProducerStage } from "./stage.js";

/** A case that does something and judges the answer. */
export interface ActiveCase extends CaseDescription {
  readonly kind: "active";
  /** Throws a `Judged`; a case that comes to its end has passed. */
  readonly run: (stage: ProducerStage) => Promise<void>;
}

export function active(id: string, title: string, paragraphs: readonly string[], run: ActiveCase["run"]): ActiveCase {
  return { ...caseOf(id, title, paragraphs), kind: "active", run };
}

/** A case of a SHOULD. */
export function recommended(...about: Parameters<typeof active>): ActiveCase {
  return { ...active(...about), severity: "warning" };
}

/** A case that judges what all cases received. */
export interface WatchingCase extends CaseDescription {
  readonly kind: "watching";
  /** Returns how many messages or sessions it judged. Throws a `Judged` at the first that breaks the rule. */
  readonly judge: (heard: Heard) => number;
  /** The reason for skipping a case that judged nothing: "No question was asked." */
  readonly unseen: string;
}

export function watching(
  id: string,
  title: string,
  paragraphs: readonly string[],
  unseen: string,
  judge: WatchingCase["judge"],
): WatchingCase {
  return { ...caseOf(id, title, paragraphs), kind: "watching", unseen, judge };
}

export type ProducerCase = ActiveCase | WatchingCase;

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
