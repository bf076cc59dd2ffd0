// The person behind one subscription: which questions it was put, and what it replies (R6, R19, R28, R39).
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";
import { AAEPD } from "../event/vocabulary.js";
import type { Reply } from "../questions/question-result.js";
import type { Questions, Replier } from "../questions/questions.js";
import type { SharedConnections } from "../questions/shared-connections.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import { canAnswer, canAnswerEvent } from "../terms/answering.js";
import type { Terms } from "../terms/terms.js";
import type { NamedSubscription, QuestionPage, RefusedFate, RefusedReply } from "./subscription-spec.js";

export interface ListenerServices {
  readonly questions: Questions;
  readonly connections: SharedConnections;
  readonly now: () => Millis;
  readonly shapeEvent: (event: AgentEvent, terms: Terms) => AgentEvent;
  /** Asks a session's agent to stop (R39). Throws "not_found" or "unsupported". */
  readonly requestStop: (sessionId: string, by: NamedSubscription) => void;
  /** Records a reply that reached no question. */
  readonly recordReply: (refused: RefusedReply, by: NamedSubscription) => void;
}

/** The subscription of a listener. */
export interface Listening extends NamedSubscription {
  readonly terms: Terms;
  /** The connection, if agents may open on it too (R5). */
  readonly connection: object | undefined;
  readonly isClosed: () => boolean;
  /** Called with a reply that did not count, if the terms ask for that (R19). */
  readonly replyNotTaken: (token: string) => void;
}

/** UTF-16 units of JSON that a page of open questions holds: as many values as a message may have. */
const PAGE_UNITS = 65_536;
/** Number of remembered questions after which the resolved ones are forgotten. */
const KEPT_COUNT = 256;

/** Least time between two notices that a reply did not count, in ms. */
const NOTICE_INTERVAL_MS: Millis = 1000;

export class Listener implements Replier {
  readonly subscription: Listening;
  private readonly services: ListenerServices;
  // Epochs of the questions that were put, and of those that a notice told of.
  private readonly put = new Set<Epoch>();
  private readonly noticed = new Set<Epoch>();
  private forgetAt = KEPT_COUNT;
  /** When the next notice of a reply that did not count may come. */
  private noticeFrom: Millis = Number.NEGATIVE_INFINITY;

  constructor(subscription: Listening, services: ListenerServices) {
    this.subscription = subscription;
    this.services = services;
  }

  /** The open questions that the listener can answer, and those that it can only be told of. */
  openEntries(): { readonly toPut: readonly JournaledEvent[]; readonly toTell: readonly JournaledEvent[] } {
    const toPut: JournaledEvent[] = [];
    const toTell: JournaledEvent[] = [];
    const terms = this.subscription.terms;
    for (const { entry } of this.services.questions.openAfter(0)) {
      if (canAnswerEvent(terms, entry)) toPut.push(entry);
      else toTell.push(entry);
    }
    return { toPut, toTell };
  }

  /** Whether an event is a question that is open, and that the listener can answer. */
  canAnswer(entry: JournaledEvent): boolean {
    return this.isOpen(entry.event.event_id) && canAnswerEvent(this.subscription.terms, entry);
  }

  /** The form of an entry for this listener when it reads the journal; undefined if it is left out: questions are put at once (R17, R28). */
  asBacklog(entry: JournaledEvent): JournaledEvent | undefined {
    if (entry.kind === "awaiting.confirmation" || entry.kind === "awaiting.clarification")
      return !this.wasPut(entry.epoch) && this.canAnswer(entry) ? entry : undefined;
    if (entry.made === "notice") {
      // A notice follows its question by one epoch.
      const isNews = !this.wasTold(entry.epoch - 1) && this.isOpen(entry.event.extensions?.[AAEPD]?.question);
      return isNews ? entry : undefined;
    }
    return entry;
  }

  /** The same, and whether it was not put yet. */
  isToPut(entry: JournaledEvent): boolean {
    return !this.put.has(entry.epoch) && this.canAnswer(entry);
  }

  isOpen(questionId: unknown): boolean {
    return typeof questionId === "string" && this.services.questions.entryOf(questionId) !== undefined;
  }

  wasPut(epoch: Epoch): boolean {
    return this.put.has(epoch);
  }

  /** Whether the listener knows of the question, as one that was put or by a notice. */
  wasTold(epoch: Epoch): boolean {
    return this.put.has(epoch) || this.noticed.has(epoch);
  }

  /** Call it for each question that leaves. */
  notePut(entry: JournaledEvent): void {
    if (this.put.has(entry.epoch)) return;
    this.put.add(entry.epoch);
    this.services.questions.shown(String(entry.event.reply_token), entry.event.event_id, this.subscription);
    this.forgetResolved();
  }

  /** Call it for each notice of a question that leaves. */
  noteNotice(questionEpoch: Epoch): void {
    this.noticed.add(questionEpoch);
    this.forgetResolved();
  }

  /**
   * A page of the open questions that the listener may answer, as it receives them (R14, R28): of those behind the place `after`, by default of all.
   * They count as shown.
   */
  openQuestions(after: Epoch = 0): QuestionPage {
    const { questions, shapeEvent } = this.services;
    const terms = this.subscription.terms;
    const events: AgentEvent[] = [];
    let units = 0;
    let last = after;
    for (const { question, entry } of questions.openAfter(after)) {
      if (!canAnswer(terms, question.kind, question.sessionId)) continue;
      const shaped = shapeEvent(entry.event, terms);
      units += JSON.stringify(shaped).length;
      if (events.length > 0 && units > PAGE_UNITS) return { events, next: last };
      questions.shown(String(entry.event.reply_token), entry.event.event_id, this.subscription);
      events.push(shaped);
      last = entry.epoch;
    }
    return { events, next: undefined };
  }

  /** Takes a reply. Returns whether it counted, and no reason (R19). */
  reply(reply: Reply, raw: unknown): boolean {
    const { questions, connections } = this.services;
    const sessionId = questions.sessionOf(reply.token);
    const hasCounted = questions.reply(reply, this, raw);
    if (hasCounted && sessionId !== undefined) connections.answered(this.subscription.connection, sessionId);
    return hasCounted;
  }

  /** Asks a session's agent to stop (R39). Throws "permission_denied" for terms without replies, "not_found" or "unsupported". */
  requestStop(sessionId: string): void {
    const { supportsConfirmationReply, supportsClarificationReply } = this.subscription.terms;
    if (!supportsConfirmationReply && !supportsClarificationReply) {
      const sentence = "Ask for replies in the capabilities first; only a subscription that may reply stops an agent.";
      throw new Fault("permission_denied", sentence, { pointer: "", rule: "R39" });
    }
    this.services.requestStop(sessionId, this.subscription);
  }

  /** Leaves a question to the window of its host (R5b). Throws "not_found" or "invalid_params". */
  leave(token: string): void {
    this.services.questions.leave(token, this);
  }

  /** Takes note of a reply that does not count. `pointer`: the member at fault, for the audit log. */
  refusedReply(fate: RefusedFate, token: string, raw: unknown, pointer?: string): void {
    this.services.recordReply({ fate, token, raw, pointer }, this.subscription);
    this.notTaken(token);
  }

  /** Reports that a reply with this token did not count, at most once a second, however many replies come (R19). */
  notTaken(token: string): void {
    const { subscription, services } = this;
    if (subscription.isClosed() || !subscription.terms.replyStatus) return;
    if (!services.questions.wasShown(token, subscription.id)) return;
    const now = services.now();
    if (now < this.noticeFrom) return;
    this.noticeFrom = now + NOTICE_INTERVAL_MS;
    subscription.replyNotTaken(token);
  }

  isEntitled(question: OpenQuestion): boolean {
    return !this.subscription.isClosed() && canAnswer(this.subscription.terms, question.kind, question.sessionId);
  }

  /** Open questions stay remembered even if the present terms cannot answer them, because the next terms may (R28). */
  private forgetResolved(): void {
    if (this.put.size + this.noticed.size < this.forgetAt) return;
    const { questions } = this.services;
    const open = new Set(Array.from(questions.openAfter(0), ({ entry }) => entry.epoch));
    for (const known of [this.put, this.noticed]) for (const epoch of known) if (!open.has(epoch)) known.delete(epoch);
    this.forgetAt = Math.max(KEPT_COUNT, 2 * (this.put.size + this.noticed.size));
  }
}
