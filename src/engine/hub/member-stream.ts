// What a subscription's stream and its queue ask of their owner, and what it remembers of what it was asked (R6, R10, R11, R17, R28).
import type { Millis } from "../../contracts/clock.js";
import type { LateGaps } from "../catch-up/gap-events.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";
import type { RunningCounts } from "../subscriptions/delivery-counts.js";
import type { DeliveryQueueOptions } from "../subscriptions/delivery-queue.js";
import type { Stream, StreamServices } from "../subscriptions/stream.js";
import type { Terms } from "../terms/terms.js";
import { collapse, unitOf } from "../views/event-units.js";
import type { LiveEntry } from "../views/live-entry.js";
import type { CollapsedEvent } from "../views/merged-events.js";
import { type EventUnit, isLocal } from "../views/unit.js";
import type { View } from "../views/view.js";
import { createMemberAccount, noteGap } from "./member-account.js";
import { createMemberBriefing, type MemberBriefing } from "./member-briefing.js";
import type { MemberServices, MemberSpec, StreamStart } from "./member-spec.js";
import type { SharedView } from "./shared-view.js";

/** How many questions it remembers before it forgets those that are resolved. */
const ASKED_KEPT_COUNT = 256;

/** The lower half of a member. A class, because there is one for each subscription. */
export abstract class StreamOwner implements StreamServices, DeliveryQueueOptions {
  readonly subscriptionId: string;
  readonly subscriberId: string;
  protected readonly services: MemberServices;
  protected readonly account = createMemberAccount();
  protected granted: Terms;
  protected abstract shared: SharedView;
  // Epochs of the questions that it was asked.
  private askedEpochs: Set<Epoch> | undefined;
  private pruneAt = ASKED_KEPT_COUNT;
  // While there is something to say of what was before.
  private brief: MemberBriefing | undefined;

  constructor(spec: MemberSpec, services: MemberServices) {
    this.subscriptionId = spec.subscriptionId;
    this.subscriberId = spec.subscriberId;
    this.services = services;
    this.granted = spec.terms;
  }

  get markOvertook(): StreamServices["markOvertook"] {
    return this.services.markOvertook;
  }

  get completeSkipped(): StreamServices["completeSkipped"] {
    return this.services.completeSkipped;
  }

  collapsedEvent(...states: Parameters<CollapsedEvent>): AgentEvent {
    return this.services.collapsedEvent(this.shared.view.terms.shape.key, ...states);
  }

  get outputDigest(): StreamServices["outputDigest"] {
    return this.services.outputDigest;
  }

  get maxHoldMs(): Millis {
    return this.services.maxHoldMs;
  }

  isBehind(view: View): boolean {
    return view.epoch() < this.services.journal.head();
  }

  get overtaken(): StreamServices["overtaken"] {
    return this.services.overtaken;
  }

  get limit(): number {
    return this.services.queueLimit;
  }

  get counts(): RunningCounts {
    return this.account.counts;
  }

  maxChars(): number {
    return this.granted.maxChars;
  }

  collapseStates(first: EventUnit, last: EventUnit): EventUnit {
    return collapse(first, last, (...states) => this.collapsedEvent(...states), this.services.liveEntry);
  }

  openQuestions(upTo: Epoch): readonly JournaledEvent[] {
    return this.services.openQuestions(this.granted).filter(({ epoch }) => epoch <= upTo && !this.wasAsked(epoch));
  }

  questionUnit(entry: JournaledEvent): EventUnit | undefined {
    const { services, shared } = this;
    if (this.wasAsked(entry.epoch) || !services.isOpenQuestion(entry, this.granted)) return undefined;
    return unitOf(services.liveEntry(entry), shared.view, "critical");
  }

  briefing(): MemberBriefing | undefined {
    if (this.brief !== undefined && this.brief.count() + this.brief.noticeCount() === 0) this.brief = undefined;
    return this.brief;
  }

  asked(entry: JournaledEvent): void {
    if (this.wasAsked(entry.epoch)) return;
    this.askedEpochs ??= new Set();
    this.askedEpochs.add(entry.epoch);
    if (this.askedEpochs.size > this.pruneAt) this.forgetResolved(this.askedEpochs);
    this.services.shown(this.subscriptionId, this.subscriberId, entry);
  }

  declared(gap: EventUnit): void {
    if (isLocal(gap)) noteGap(this.account, gap);
  }

  private toBrief(): MemberBriefing {
    const brief =
      this.briefing() ??
      createMemberBriefing({
        terms: () => this.granted,
        view: () => this.shared.view,
        localEntry: (event, kind, epoch) => this.localEntry(event, kind, epoch),
        isOpen: (sessionId) => this.services.timestamp(sessionId) !== undefined,
      });
    this.brief = brief;
    return brief;
  }

  /** Sums up where sessions stand (R17), each when its turn comes. Held text that follows is not told as if it had come before. */
  protected sumUp(only?: ReadonlySet<string>, lostOf?: LateGaps["lostOf"]): void {
    const { services, shared } = this;
    const epoch = services.journal.head();
    this.toBrief().add("sums", services.sayings.sums(only, lostOf), epoch);
    for (const { session } of shared.view.texts.held()) {
      const timestamp = only?.has(session) === false ? undefined : services.timestamp(session);
      if (timestamp !== undefined) shared.view.noteTimestamp(session, timestamp);
    }
  }

  /** Tells a subscription that begins of what was before: what is lost to it, where sessions stand, and what is asked that it cannot answer. */
  protected tellBefore(start: StreamStart): void {
    const { sayings, journal } = this.services;
    const epoch = journal.head();
    const late = start.kind === "live" ? start.late : undefined;
    if (late !== undefined) this.toBrief().add("losses", late.ended, epoch);
    const only = start.kind === "resume" ? start.summarize : undefined;
    this.sumUp(only, late?.lostOf);
    // Critical, and so at no cost (R4, R6).
    this.toBrief().add("notices", sayings.notices(this.granted, only), epoch);
  }

  /** An entry as this subscription is told it out of the journal. */
  protected asBacklog(entry: JournaledEvent): JournaledEvent | undefined {
    const { services } = this;
    // A question that could not be asked before is asked where it stands; it was asked at once in all other cases (R28).
    if (!this.wasAsked(entry.epoch) && services.isOpenQuestion(entry, this.granted)) return entry;
    // A notice stands behind its question: nobody hears of that twice (R6).
    return entry.made === "notice" && this.wasAsked(entry.epoch - 1) ? undefined : services.asBacklog(entry);
  }

  /** Of the questions that it was asked: the notices that stand behind an epoch. */
  protected noticesAfter(epoch: Epoch): readonly Epoch[] {
    const notices = [...(this.askedEpochs ?? [])].map((asked) => asked + 1).filter((notice) => notice > epoch);
    return notices.filter((notice) => this.services.journal.at(notice)?.made === "notice");
  }

  /** Notices of open questions that it has still to read: it could have answered them before, and was not asked in time (R6). */
  protected noticesOwed(stream: Pick<Stream, "reader" | "wentAhead">): readonly JournaledEvent[] {
    const { services } = this;
    const able = { ...this.granted, supportsConfirmationReply: true, supportsClarificationReply: true };
    return services.openQuestions(able).flatMap(({ epoch }) => {
      const notice = services.journal.at(epoch + 1);
      const isOwed = notice?.made === "notice" && stream.reader()?.owes(notice) === true;
      return isOwed && !this.wasAsked(epoch) && !stream.wentAhead(notice.epoch) ? [notice] : [];
    });
  }

  protected wasAsked(epoch: Epoch): boolean {
    return this.askedEpochs?.has(epoch) === true;
  }

  /** What the daemon says to this subscription alone. */
  protected localEntry(event: AgentEvent, kind: JournaledEvent["kind"], epoch: Epoch): LiveEntry {
    const { services } = this;
    const at = services.now();
    return services.liveEntry({ event, kind, source: undefined, at, ordinal: 0, made: "state", epoch });
  }

  /** Those that are open are remembered though it may not be able to answer them now: it may be again (R28). */
  private forgetResolved(asked: Set<Epoch>): void {
    const everyone: Terms = {
      ...this.granted,
      supportsConfirmationReply: true,
      supportsClarificationReply: true,
      ownSessions: undefined,
    };
    const open = new Set(this.services.openQuestions(everyone).map(({ epoch }) => epoch));
    for (const epoch of asked) if (!open.has(epoch)) asked.delete(epoch);
    this.pruneAt = Math.max(ASKED_KEPT_COUNT, asked.size * 2);
  }
}
