// Decides which subscriptions can answer a question: those that declared that a person is there (R6), except on a connection that owns the question's
// session, asked in it, or published in it by its token, because an agent does not consent to itself (R5). Audience, delivery and replies all use
// this rule.
import { type NewEvent, type QuestionKind, questionKind } from "../event/event.js";
import type { OwnSessions, Terms } from "./terms.js";

/** Whether a subscription of these terms can answer a question of this kind in this session. */
export function canAnswer(terms: Terms, kind: QuestionKind, sessionId: string): boolean {
  return isAble(terms, kind) && terms.ownSessions?.has(sessionId) !== true;
}

/** Whether an event is a question that a subscription of these terms can answer. */
export function canAnswerEvent(terms: Terms, { kind, event }: Pick<NewEvent, "kind" | "event">): boolean {
  const asked = questionKind(kind);
  return asked !== undefined && canAnswer(terms, asked, event.session_id);
}

function isAble(terms: Terms, kind: QuestionKind): boolean {
  return kind === "confirmation" ? terms.supportsConfirmationReply : terms.supportsClarificationReply;
}

type Counts = Record<QuestionKind, number>;

const KINDS = ["confirmation", "clarification"] as const;

/** Number of the subscriptions that can answer a question. They are counted once for any number of questions. */
export type AbleCount = (question: { readonly kind: QuestionKind; readonly sessionId: string }) => number;

export function countAble(all: Iterable<Terms>): AbleCount {
  const counts: Counts = { confirmation: 0, clarification: 0 };
  const own = new Map<string, { readonly sessions: OwnSessions; readonly counts: Counts }>();
  for (const terms of all) {
    const { ownSessions } = terms;
    const there =
      ownSessions &&
      (own.get(ownSessions.key) ?? { sessions: ownSessions, counts: { confirmation: 0, clarification: 0 } });
    if (ownSessions !== undefined && there !== undefined) own.set(ownSessions.key, there);
    for (const kind of KINDS) {
      if (!isAble(terms, kind)) continue;
      counts[kind] += 1;
      if (there !== undefined) there.counts[kind] += 1;
    }
  }
  return ({ kind, sessionId }) => {
    let count = counts[kind];
    // Few connections have both agents and subscriptions, and few subscriptions stand below an agent.
    for (const { sessions, counts: there } of own.values()) if (sessions.has(sessionId)) count -= there[kind];
    return count;
  };
}
