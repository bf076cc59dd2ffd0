// A briefing has the sums and the loss that a subscription is owed: a sum of each open session, and what it can no longer get (R17, R27). Each unit
// is made when it leaves, of the session as it stands then.
import { type AgentEvent, topicKind } from "../event/event.js";
import type { Loss } from "../notices/notice-factory.js";
import type { Terms } from "../terms/terms.js";
import { type EventUnit, eventUnit, RenderedEntry } from "../views/unit.js";
import type { SubscriptionServices } from "./subscription-services.js";

/** Units of others after which a sum goes before the next, so that a busy stream holds none back for ever. */
const UNITS_PER_SUM = 8;

export class Briefing {
  private readonly services: SubscriptionServices;
  // Ids of the sessions of which a sum is owed.
  private readonly sums = new Set<string>();
  private loss: Loss | undefined;
  private toldCount = 0;
  // Units of others since the last sum.
  private unitCount = 0;

  constructor(services: SubscriptionServices) {
    this.services = services;
  }

  get isDone(): boolean {
    return this.sums.size === 0 && this.loss === undefined;
  }

  /** Number of sums left. */
  get size(): number {
    return this.sums.size;
  }

  /** Owes a sum of each open session, and the loss with the first of them. */
  owe(loss: Loss | undefined): void {
    this.toldCount = 0;
    for (const sessionId of this.services.sessions.openIds()) this.sums.add(sessionId);
    if (this.loss?.eventCount !== undefined && loss?.eventCount !== undefined)
      this.loss = { ...loss, eventCount: this.loss.eventCount + loss.eventCount };
    else this.loss = loss ?? this.loss;
  }

  /** A session whose event comes first needs no sum. */
  drop(sessionId: string): void {
    this.sums.delete(sessionId);
    this.unitCount += 1;
  }

  /** Whether the next unit goes before live ones: a loss does, and as many sums as the budget replenishes in a second. */
  isAhead(perSecond: number): boolean {
    return (
      this.loss !== undefined || (this.sums.size > 0 && (this.toldCount < perSecond || this.unitCount >= UNITS_PER_SUM))
    );
  }

  /** The next sum, or the loss; undefined if none is owed any more. `isComing`: whether events of a session wait, so that it needs no sum. */
  next(terms: Terms, isComing: (sessionId: string) => boolean): EventUnit | undefined {
    this.toldCount += 1;
    this.unitCount = 0;
    for (const sessionId of this.sums) {
      this.sums.delete(sessionId);
      const unit = isComing(sessionId) ? undefined : this.sum(sessionId, terms, false);
      if (unit !== undefined) return unit;
    }
    return this.lossAlone(terms);
  }

  /** The sum of a session whose question is put next: of its state before that. Undefined if none is owed. */
  beforeQuestion(sessionId: string, terms: Terms): EventUnit | undefined {
    return this.sums.delete(sessionId) ? this.sum(sessionId, terms, true) : undefined;
  }

  /** The loss by itself, because the events that are read back say how sessions stand. */
  lossAlone(terms: Terms): EventUnit | undefined {
    const { loss } = this;
    const { sessions, notices } = this.services;
    this.loss = undefined;
    const newest = sessions.openIds().at(-1);
    const open = newest === undefined ? undefined : sessions.summary(newest);
    const last = open === undefined ? sessions.ended.terminals().at(-1)?.event : undefined;
    const of = open ?? (last && { sessionId: last.session_id, producer: last.producer, timestamp: last.timestamp });
    return loss === undefined || of === undefined ? undefined : ownUnit(notices.gap(of, terms, loss), this.services);
  }

  private sum(sessionId: string, terms: Terms, isAsking: boolean): EventUnit | undefined {
    const session = this.services.sessions.summary(sessionId);
    if (session === undefined) return undefined;
    const { loss } = this;
    this.loss = undefined;
    return ownUnit(this.services.notices.summary(session, terms, loss, isAsking), this.services);
  }
}

/** A unit that the daemon makes for one subscription alone, and that no journal has. */
export function ownUnit(event: AgentEvent, { journal, now }: SubscriptionServices): EventUnit {
  const place = { at: now(), ordinal: 0, epoch: journal.head() };
  return eventUnit(
    new RenderedEntry({ event, kind: topicKind(event.type), source: undefined, made: "state", ...place }),
  );
}
