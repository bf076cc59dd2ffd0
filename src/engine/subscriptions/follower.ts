// The place of a subscription in views and journal. It follows a shared view, reads the journal when it falls behind or resumes, and then joins the
// view again (R10, R17, R18, R26).
import { type BacklogReader, createBacklogReader } from "../catch-up/backlog-reader.js";
import type { CatchUpPoint } from "../catch-up/catch-up-point.js";
import type { GapEvent } from "../catch-up/gap-events.js";
import { coversText, type DeliveredText, deliveredFurther, type FurtherOutputs, overBy } from "../event/cursor.js";
import { type Epoch, type JournaledEvent, topicKind } from "../event/event.js";
import type { SharedView, ViewMember } from "../hub/shared-view.js";
import { createCheckpoint } from "../views/checkpoint.js";
import type { Checkpoint } from "../views/delivery.js";
import { gapOf, unitOf } from "../views/event-units.js";
import type { EventUnit, Unit } from "../views/unit.js";
import type { View } from "../views/view.js";
import { beginEpisode, endEpisode } from "./account.js";
import { mayJoin, newcomersPoint, pointAfter, settleHeldText } from "./joining.js";
import { Pull } from "./pull.js";
import type { SubscriptionStart } from "./resume-start.js";
import type { TerminationReason } from "./subscription-spec.js";

const NO_OUTPUTS: ReadonlyMap<string, DeliveredText> = new Map();
const NOTHING_FURTHER: FurtherOutputs = { owed: [], skipped: new Set(), before: NO_OUTPUTS };

/** The fifth part of a subscription. A class, because there is one for each subscription. */
export abstract class Follower extends Pull implements ViewMember {
  private latest: Checkpoint | undefined;
  private hasFailed = false;

  abstract wake(): void;
  abstract sendCritical(unit: EventUnit): void;
  abstract cursorIn(shared: SharedView, window: number): number | undefined;
  abstract end(reason: TerminationReason): void;

  /**
   * The place up to which everything was taken (R17). While a pending unit is in no journal, the last place stays. Undefined before the first place.
   */
  protected place(): Checkpoint | undefined {
    if (this.hasFailed) return this.latest;
    const next = this.reached();
    // A subscription's cursor never falls.
    if (next !== undefined && next.after >= (this.latest?.after ?? 0)) this.latest = next;
    return this.latest;
  }

  /** Freezes the place after an error in the view or in a `take`, so that it covers no event that was not delivered. */
  protected standStill(): void {
    this.hasFailed = true;
  }

  protected begin(start: SubscriptionStart): void {
    const { journal } = this.services;
    const { named } = start;
    if (named !== undefined)
      this.latest = createCheckpoint(named.cursor, { after: named.after, outputs: start.outputs });
    this.setDelivered(start.outputs);
    if (start.kind === "resume") this.readOnFrom(start.point);
    else if (this.isBehind(this.shared.view)) this.readOnFrom(newcomersPoint(this.shared.view, journal.head()));
    this.tellBefore(start);
    this.sendOpenQuestions(journal.head());
  }

  /** Continues in another view with everything that has not left, so that nothing leaves by the old terms (AAEP §5.7.2). */
  protected changeView(next: SharedView): void {
    const { hub, journal } = this.services;
    const point = this.point(this.giveBack());
    const pending = this.takePendingCriticals().map(({ entry }) => entry);
    const before = this.shared;
    this.shared = next;
    this.readOnFrom(point);
    // Text that the next view releases by a timer gets no earlier timestamp than the events sent before (R30).
    for (const [session, timestamp] of before.view.timestamps()) next.view.noteTimestamp(session, timestamp);
    hub.leave(this, before);
    // A subscription that was asked a question gets no notice of it, even if its new terms cannot answer (R6).
    for (const notice of this.noticesAfter(next.view.epoch())) this.passOver(notice);
    const ahead = new Map(
      [...pending, ...this.pendingNotices()].map((entry) => [entry.epoch, hub.renderingOf(entry)] as const),
    );
    const wanted = [...ahead.values()].filter(next.view.terms.wants);
    this.sendCriticals(
      wanted.sort((a, b) => a.entry.epoch - b.entry.epoch).map((rendering) => unitOf(rendering, next.view, "critical")),
    );
    this.sendOpenQuestions(journal.head());
  }

  /** The cursor in a view that drops units before `window`; undefined if the subscription needs none of them. */
  protected cursorBefore(window: number, mayEnqueue: boolean): number | undefined {
    const { viewCursor, services } = this;
    if (this.backlog !== undefined) return undefined;
    if (viewCursor.cursor >= window) return viewCursor.cursor;
    // A subscription that only waits for its budget takes the units that the view would drop. They merge in its queue as they would have merged
    // later.
    if (mayEnqueue && this.enqueue(window)) return this.viewCursor.cursor;
    this.readOnFrom(this.point([]));
    beginEpisode(this.account, this, services.rules.pace, services.now());
    return undefined;
  }

  /** Skips all waiting units except gaps, ends of sessions and open questions (R26). Returns the epoch up to which everything is skipped. */
  protected skipWaiting(): Epoch {
    const { rules, hub, journal } = this.services;
    const { view } = this.shared;
    // Ends and losses are delivered even after a skip (R26, R27).
    const kept = this.waitingUnits().flatMap((unit) =>
      unit.kind === "event" && (unit.terminal || gapOf(unit) !== undefined) ? [unit] : [],
    );
    const reader = this.backlog;
    if (reader !== undefined) {
      for (const entry of this.services.terminals()) {
        const rendering = hub.renderingOf(entry);
        if (reader.owes(entry) && view.terms.wants(rendering) && !this.wentAhead(entry.epoch))
          kept.push(unitOf(rendering, view, "plain"));
      }
    }
    const open = new Set(rules.openQuestions(this.granted).map(({ epoch }) => epoch));
    const urgent = this.takePendingCriticals().filter((unit) => unit.terminal || open.has(unit.epoch));
    const gone = new Set(urgent.map(({ epoch }) => epoch));
    reader?.close();
    this.forget();
    this.briefing()?.drop(["sums"]);
    this.standAtEnd(undefined);
    for (const held of view.texts.held())
      this.trim(held.output, { position: held.endPosition, epoch: view.epoch() + 1, deliveredEpoch: held.lastEpoch });
    const skipped = journal.head();
    if (this.isBehind(view)) this.readOnFrom(pointAfter(skipped));
    endEpisode(this.account, this, rules.pace);
    this.sendCriticals(urgent);
    this.sendOpenQuestions(journal.head());
    this.sendFirst(kept.filter(({ epoch }) => !gone.has(epoch)));
    this.tellSummaries();
    return skipped;
  }

  /** Number of published events that the subscription has not taken: units of its view, or events of the journal. */
  protected untakenCount(): number {
    const { steps, journal } = this.services;
    const { view, cursor } = this.viewCursor;
    if (this.backlog !== undefined) return steps.count(this.point([]).after, journal.head());
    return view.log.end() - cursor + steps.count(view.epoch(), journal.head());
  }

  private reached(): Checkpoint | undefined {
    const { latest } = this;
    const { hub, rules } = this.services;
    // `further` names outputs that are still skipped. Outputs that were skipped before are over by the head of the journal.
    const before = overBy(this.services.journal.head(), latest?.outputs ?? NO_OUTPUTS);
    const level = this.isLevel() ? hub.levelCheckpoint(this.shared) : undefined;
    if (level !== undefined && coversText(level.after, level.outputs, before)) return level;
    const handedOver = level === undefined ? this.handedOver() : { after: level.after, further: NOTHING_FURTHER };
    if (handedOver === undefined) return undefined;
    const { after, further } = handedOver;
    const named = [...further.before, ...(level?.outputs ?? []), ...before];
    const outputs = deliveredFurther(after, { ...further, before: named }, rules.outputDigest);
    const next = hub.checkpointOf({ after, outputs });
    return next.cursor === latest?.cursor ? latest : next;
  }

  private readOnFrom(point: CatchUpPoint): void {
    this.backlog?.close();
    this.setFloors(point);
    this.standAtEnd(this.readerFrom(point));
  }

  private readerFrom(point: CatchUpPoint): BacklogReader {
    const { hub, rules, journal, createWakeUps } = this.services;
    return createBacklogReader(point, {
      journal,
      openView: (wakeUps, startsAfter, sent) =>
        hub.openPrivateView(hub.viewTerms(this.granted), wakeUps, startsAfter, sent),
      createWakeUps,
      turns: hub.readTurns,
      renderingOf: hub.renderingOf,
      lookBack: hub.lookBack,
      asBacklog: (entry) => this.asBacklog(entry),
      gaps: (after, given) => rules.gaps(this.granted, after, given),
      gapUnit: (gap, oldest) => this.gapUnit(gap, oldest),
      caughtUp: (own) => this.rejoin(own),
      upTo: () => this.shared.view.epoch(),
      wake: () => this.wake(),
    });
  }

  private gapUnit({ event, epoch }: GapEvent, oldest: Epoch): Unit | undefined {
    const { view } = this.shared;
    if (epoch !== undefined && this.wentAhead(epoch)) return undefined;
    const rendering = this.localEntry(event, topicKind(event.type), oldest - 1);
    return view.terms.wants(rendering) ? unitOf(rendering, view, "plain") : undefined;
  }

  /** Continues in the shared view, at the same epoch. */
  private rejoin(own: View): void {
    const { view } = this.shared;
    const { rules, now } = this.services;
    if (!mayJoin(own, view)) return;
    settleHeldText(own, view, (output, floor) => this.trim(output, floor), now());
    // Units that were just released wait in the private log, and leave before those of the shared view.
    if (own.log.end() > own.log.start()) return;
    for (const [session, timestamp] of own.timestamps()) view.noteTimestamp(session, timestamp);
    this.standAtEnd(undefined);
    own.close();
    endEpisode(this.account, this, rules.pace);
  }

  /**
   * Notices of open questions that the reader has not reached. The subscription could have answered these questions, and was not asked in time (R6).
   */
  private pendingNotices(): readonly JournaledEvent[] {
    const isPending = (notice: JournaledEvent): boolean =>
      this.backlog?.owes(notice) === true && !this.wentAhead(notice.epoch);
    return this.noticesUnasked().filter(isPending);
  }
}
