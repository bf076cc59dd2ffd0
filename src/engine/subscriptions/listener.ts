// The listener of a subscription: its terms, the questions that it was asked, and the events that are made for it alone (R6, R17, R28).
import type { LateGaps } from "../catch-up/gap-events.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";
import type { SharedView } from "../hub/shared-view.js";
import type { Terms } from "../terms/terms.js";
import { collapse, unitOf } from "../views/event-units.js";
import type { CollapsedEvent } from "../views/merged-events.js";
import type { SharedRendering } from "../views/shared-rendering.js";
import { type EventUnit, isLocal } from "../views/unit.js";
import type { View } from "../views/view.js";
import { createAccount, noteGap } from "./account.js";
import type { RunningCounts } from "./delivery-counts.js";
import type { DeliveryQueueOptions } from "./delivery-queue.js";
import type { SubscriptionStart } from "./resume-start.js";
import type { SubscriptionServices, SubscriptionSpec } from "./subscription-spec.js";
import { createUnitBriefing, type UnitBriefing } from "./unit-briefing.js";

/** Number of asked questions after which a subscription forgets the resolved ones. */
const ASKED_KEPT_COUNT = 256;

/** The first part of a subscription. A class, because there is one for each subscription. */
export abstract class Listener implements DeliveryQueueOptions {
  readonly id: string;
  readonly subscriberId: string;
  protected readonly services: SubscriptionServices;
  protected readonly account = createAccount();
  protected granted: Terms;
  protected shared: SharedView;
  // Epochs of the questions that the subscription was asked.
  private askedEpochs: Set<Epoch> | undefined;
  private pruneAt = ASKED_KEPT_COUNT;
  // Present while the briefing has anything left.
  protected brief: UnitBriefing | undefined;

  constructor({ id, subscriberId, terms }: SubscriptionSpec, services: SubscriptionServices, shared: SharedView) {
    this.id = id;
    this.subscriberId = subscriberId;
    this.services = services;
    this.granted = terms;
    this.shared = shared;
  }

  get limit(): number {
    return this.services.rules.queueLimit;
  }

  get counts(): RunningCounts {
    return this.account.counts;
  }

  maxChars(): number {
    return this.granted.maxChars;
  }

  collapseStates(first: EventUnit, last: EventUnit): EventUnit {
    return collapse(first, last, (...states) => this.collapsedEvent(...states), this.services.hub.renderingOf);
  }

  questionsBefore(upTo: Epoch): readonly JournaledEvent[] {
    const open = this.services.rules.openQuestions(this.granted);
    return open.filter(({ epoch }) => epoch <= upTo && !this.wasAsked(epoch));
  }

  /** The unit of an open question; undefined if it was resolved or asked meanwhile. */
  questionUnit(entry: JournaledEvent): EventUnit | undefined {
    const { services, shared } = this;
    if (this.wasAsked(entry.epoch) || !services.rules.isOpenQuestion(entry, this.granted)) return undefined;
    return unitOf(services.hub.renderingOf(entry), shared.view, "critical");
  }

  /** The briefing about the time before the subscription; undefined if it is complete. */
  briefing(): UnitBriefing | undefined {
    if (this.brief !== undefined && this.brief.count() + this.brief.noticeCount() === 0) this.brief = undefined;
    return this.brief;
  }

  /** Collapses two states of an agent into one (R4, R11). */
  protected collapsedEvent(...states: Parameters<CollapsedEvent>): AgentEvent {
    return this.services.rules.collapsedEvent(this.shared.view.terms.shape.key, ...states);
  }

  /** Whether a view has yet to take journaled events. */
  protected isBehind(view: View): boolean {
    return view.epoch() < this.services.journal.head();
  }

  /** Call for each question that leaves. */
  protected asked(entry: JournaledEvent): void {
    if (this.wasAsked(entry.epoch)) return;
    this.askedEpochs ??= new Set();
    this.askedEpochs.add(entry.epoch);
    if (this.askedEpochs.size > this.pruneAt) this.forgetResolved(this.askedEpochs);
    this.services.rules.shown(this.id, this.subscriberId, entry);
  }

  /** Call for each gap that leaves (R27). */
  protected declared(gap: EventUnit): void {
    if (isLocal(gap)) noteGap(this.account, gap);
  }

  /**
   * Briefs about the state of open sessions (R17), each in its turn. Text that the view holds gets no earlier timestamp than its session's summary.
   */
  protected tellSummaries(only?: ReadonlySet<string>, lostOf?: LateGaps["lostOf"]): void {
    const { rules, journal } = this.services;
    const { view } = this.shared;
    this.toBrief().add("sums", rules.notices.summaries(only, lostOf), journal.head());
    for (const { session } of view.texts.held()) {
      const timestamp = only?.has(session) === false ? undefined : rules.timestamp(session);
      if (timestamp !== undefined) view.noteTimestamp(session, timestamp);
    }
  }

  /** Briefs a new subscription about losses, open sessions, and the questions that it cannot answer. */
  protected tellBefore(start: SubscriptionStart): void {
    const { rules, journal } = this.services;
    const epoch = journal.head();
    const late = start.kind === "live" ? start.late : undefined;
    if (late !== undefined) this.toBrief().add("losses", late.ended, epoch);
    const only = start.kind === "resume" ? start.summarize : undefined;
    this.tellSummaries(only, late?.lostOf);
    // Notices are critical, and therefore outside the budget (R4, R6).
    this.toBrief().add("notices", rules.notices.notices(this.granted, only), epoch);
  }

  /** The form of an entry for this subscription when it reads the journal; undefined if it is left out. */
  protected asBacklog(entry: JournaledEvent): JournaledEvent | undefined {
    const { rules } = this.services;
    // A question that could not be asked before is asked in its place. In all other cases it was asked at once (R28).
    if (!this.wasAsked(entry.epoch) && rules.isOpenQuestion(entry, this.granted)) return entry;
    // A notice follows its question by one epoch. A subscription that was asked gets no notice (R6).
    return entry.made === "notice" && this.wasAsked(entry.epoch - 1) ? undefined : rules.asBacklog(entry);
  }

  /** Epochs of the notices behind an epoch that belong to questions that the subscription was asked. */
  protected noticesAfter(epoch: Epoch): readonly Epoch[] {
    const notices = [...(this.askedEpochs ?? [])].map((asked) => asked + 1).filter((notice) => notice > epoch);
    return notices.filter((notice) => this.services.journal.at(notice)?.made === "notice");
  }

  /** Notices of open questions that the subscription could have answered under earlier terms, and was not asked in time (R6). */
  protected noticesUnasked(): readonly JournaledEvent[] {
    const { rules, journal } = this.services;
    const able = { ...this.granted, supportsConfirmationReply: true, supportsClarificationReply: true };
    return rules.openQuestions(able).flatMap(({ epoch }) => {
      const notice = journal.at(epoch + 1);
      return notice?.made === "notice" && !this.wasAsked(epoch) ? [notice] : [];
    });
  }

  /** An event that the daemon makes for this subscription alone. */
  protected localEntry(event: AgentEvent, kind: JournaledEvent["kind"], epoch: Epoch): SharedRendering {
    const { hub, now } = this.services;
    return hub.renderingOf({ event, kind, source: undefined, at: now(), ordinal: 0, made: "state", epoch });
  }

  private wasAsked(epoch: Epoch): boolean {
    return this.askedEpochs?.has(epoch) === true;
  }

  private toBrief(): UnitBriefing {
    const brief =
      this.briefing() ??
      createUnitBriefing({
        terms: () => this.granted,
        view: () => this.shared.view,
        localEntry: (event, kind, epoch) => this.localEntry(event, kind, epoch),
        isOpen: (sessionId) => this.services.rules.timestamp(sessionId) !== undefined,
      });
    this.brief = brief;
    return brief;
  }

  /** Open questions stay remembered even if the present terms cannot answer them, because the next terms may (R28). */
  private forgetResolved(asked: Set<Epoch>): void {
    const everyone: Terms = {
      ...this.granted,
      supportsConfirmationReply: true,
      supportsClarificationReply: true,
      ownSessions: undefined,
    };
    const open = new Set(this.services.rules.openQuestions(everyone).map(({ epoch }) => epoch));
    for (const epoch of asked) if (!open.has(epoch)) asked.delete(epoch);
    this.pruneAt = Math.max(ASKED_KEPT_COUNT, asked.size * 2);
  }
}
