// Finds the event that is sent to a subscription again, by its id (R28). Nothing is stored for this: the journal has the published events, and the
// ids of merged events name their parts (R12).
import { Fault } from "../../base/errors.js";
import type { Journal } from "../../contracts/journal.js";
import { AWAITING_INPUT } from "../event/agent-states.js";
import { parseDerivedId } from "../event/derived-id.js";
import { type AgentEvent, isQuestionKind, type JournaledEvent } from "../event/event.js";
import { AAEPD } from "../event/vocabulary.js";
import { lookBack } from "../journal/look-back.js";
import { noticeId } from "../notices/notice-id.js";
import { canAnswerEvent } from "../terms/answering.js";
import { shapeKey } from "../terms/shape.js";
import type { Terms } from "../terms/terms.js";
import { createViewTerms } from "../views/view-terms.js";
import { rebuildState } from "./rebuilt-states.js";
import { type RebuiltTextServices, rebuildText } from "./rebuilt-text.js";

export interface ResendServices extends RebuiltTextServices {
  readonly journal: Pick<Journal, "at" | "oldest" | "head" | "find">;
  readonly shapeEvent: (event: AgentEvent, terms: Terms) => AgentEvent;
  /** The event of an open question, however old. */
  readonly openQuestion: (eventId: string) => JournaledEvent | undefined;
}

export interface Resend {
  /**
   * Finds the event with this id for a subscription of these terms; `former` are its terms before. A question is found while it is open, for
   * subscriptions that can answer it: a resolved question is not asked again (R6). Throws "not_found".
   */
  readonly find: (eventId: string, terms: Terms, former: Terms | undefined) => JournaledEvent;
}

/**
 * Most events read to identify an id, under the present and the former terms together, so that invented ids do not hold up other work. A merged text
 * has at most 16,384 characters.
 */
const READ_BACK_COUNT = 4096;

export function createResend(services: ResendServices): Resend {
  const { journal } = services;

  const published = (eventId: string, terms: Terms): JournaledEvent | undefined => {
    const open = services.openQuestion(eventId);
    const entry = open ?? journal.find(eventId);
    if (entry === undefined || !isQuestionKind(entry.kind)) return entry;
    return open !== undefined && canAnswerEvent(terms, open) ? open : undefined;
  };

  /** A notice to a subscription that came after its question (R6). */
  const lateNotice = (eventId: string, entry: JournaledEvent): JournaledEvent | undefined => {
    const { event, epoch, made } = entry;
    const question = event.extensions?.[AAEPD]?.question;
    if (made !== "notice" || typeof question !== "string") return undefined;
    const facts = { sessionId: event.session_id, question, epoch, isLate: true };
    if (noticeId(facts, services.idServices) !== eventId) return undefined;
    return { ...entry, event: { ...event, event_id: eventId, from_state: AWAITING_INPUT }, source: undefined };
  };

  /** A merged event, or part of an event. */
  const merged = (eventId: string, now: Terms, former: Terms | undefined): JournaledEvent | undefined => {
    const id = parseDerivedId(eventId);
    const last = id && journal.at(id.epoch);
    if (id === undefined || last === undefined) return undefined;
    const late = lateNotice(eventId, last);
    if (late !== undefined) return late;
    const named = { ...id, last, newestFirst: lookBack(journal, last, READ_BACK_COUNT, services.steps) };
    for (const terms of former === undefined ? [now] : [now, former]) {
      const shape = { key: shapeKey(terms), apply: (event: AgentEvent) => services.shapeEvent(event, terms) };
      const viewTerms = createViewTerms(terms, shape);
      // Even if longer text left under the former terms, nothing longer than the present limit may leave (R26).
      const event =
        rebuildText(eventId, named, viewTerms, now.maxChars, services) ??
        rebuildState(eventId, named, viewTerms, services.idServices);
      if (event !== undefined) return { ...last, event, source: undefined };
    }
    return undefined;
  };

  return {
    find: (eventId, terms, former) => {
      const entry = published(eventId, terms) ?? merged(eventId, terms, former);
      if (entry !== undefined) return entry;
      throw new Fault(
        "not_found",
        "Name an event that you were sent and that the journal still holds, or a question that is open.",
        { pointer: "/event_id", rule: "R28" },
      );
    },
  };
}
