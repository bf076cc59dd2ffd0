// What a subscription's stream and its queue ask of their owner, and what it remembers of what it was asked (R6, R10, R11, R17, R28).
import type { Millis } from "../contracts/clock.js";
import type { RunningCounts } from "./delivery-counts.js";
import type { DeliveryQueueOptions } from "./delivery-queue.js";
import type { AgentEvent, Epoch, JournaledEvent } from "./event.js";
import { collapse, unitOf } from "./event-units.js";
import type { SharedView } from "./hub.js";
import type { LiveEntry } from "./live-entry.js";
import { createMemberAccount, noteGap } from "./member-account.js";
import type { MemberServices, MemberSpec } from "./member-spec.js";
import { RUNS_KEPT, type RunLows } from "./run-lows.js";
import type { StreamServices } from "./stream.js";
import type { Terms } from "./terms.js";
import type { EventUnit, Unit } from "./unit.js";
import type { View } from "./view.js";

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
  private readonly isRemembered: boolean;
  // Epochs of the questions that it was asked.
  private askedEpochs: Set<Epoch> | undefined;
  private pruneAt = ASKED_KEPT_COUNT;
  private runs: RunLows[] | undefined;

  constructor(spec: MemberSpec, services: MemberServices) {
    this.subscriptionId = spec.subscriptionId;
    this.subscriberId = spec.subscriberId;
    this.isRemembered = spec.isRemembered;
    this.services = services;
    this.granted = spec.terms;
  }

  get markOvertook(): StreamServices["markOvertook"] {
    return this.services.markOvertook;
  }

  get completeSkipped(): StreamServices["completeSkipped"] {
    return this.services.completeSkipped;
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
    return collapse(first, last, this.services.collapsedEvent, this.services.liveEntry);
  }

  openQuestions(upTo: Epoch): readonly EventUnit[] {
    const { services, shared } = this;
    return services
      .openQuestions(this.granted)
      .filter(({ epoch }) => epoch <= upTo && !this.wasAsked(epoch))
      .map((entry) => unitOf(services.liveEntry(entry), shared.view, "critical"));
  }

  asked(entry: JournaledEvent): void {
    if (this.wasAsked(entry.epoch)) return;
    this.askedEpochs ??= new Set();
    this.askedEpochs.add(entry.epoch);
    if (this.askedEpochs.size > this.pruneAt) this.forgetResolved(this.askedEpochs);
    this.services.shown(this.subscriptionId, this.subscriberId, entry);
  }

  delivered(unit: Unit, low: Epoch): void {
    noteGap(this.account, unit);
    if (this.isRemembered) this.services.delivered(this.subscriberId, unit, low, this.shared.view.deliveryOf);
  }

  ran(lows: RunLows): void {
    if (!this.isRemembered) return;
    this.runs ??= [];
    if (this.runs.length === RUNS_KEPT) this.runs.shift();
    this.runs.push(lows);
  }

  lastRuns(): readonly RunLows[] {
    return this.runs ?? [];
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
