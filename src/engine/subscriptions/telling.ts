// Hands units over in the form of the present terms, and with them what the daemon itself has to say: sums, losses, notices (R6, R14, R17, R27).
import type { Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import { type AgentEvent, type JournaledEvent, topicKind } from "../event/event.js";
import { AAEPD } from "../event/vocabulary.js";
import type { Loss } from "../notices/daemon-events.js";
import type { NoticeFactory } from "../notices/notice-factory.js";
import type { Terms } from "../terms/terms.js";
import type { Delivery } from "../views/delivery.js";
import { RenderedEntry } from "../views/rendered-entry.js";
import { type EventUnit, eventUnit, type Unit } from "../views/unit.js";
import { type BriefedSessions, Briefing } from "./briefing.js";
import type { Listener } from "./listener.js";
import type { Pending } from "./pending.js";

export interface TellingServices {
  readonly journal: Journal;
  readonly now: () => Millis;
  readonly notices: NoticeFactory;
  readonly sessions: BriefedSessions;
}

export interface TellingOwner {
  readonly terms: Terms;
  readonly listener: Listener;
}

export class Telling {
  private readonly pending: Pending;
  private readonly owner: TellingOwner;
  private readonly services: TellingServices;
  private briefing: Briefing | undefined;

  constructor(pending: Pending, owner: TellingOwner, services: TellingServices) {
    this.pending = pending;
    this.owner = owner;
    this.services = services;
  }

  /** Whether a sum or a loss is owed. */
  get isOwing(): boolean {
    if (this.briefing?.isDone === true) this.briefing = undefined;
    return this.briefing !== undefined;
  }

  get sumCount(): number {
    return this.briefing?.size ?? 0;
  }

  /** Owes a sum of each open session, and the loss with the first of them. */
  owe(loss: Loss | undefined): void {
    this.briefing ??= new Briefing(this.services.sessions, this.services.notices);
    this.briefing.owe(loss);
  }

  /** A session of which an event comes needs no sum. */
  drop(session: string): void {
    this.briefing?.drop(session);
  }

  /** Whether a sum or a loss goes before other units. Sums wait until everything was read back, which says how sessions stand. */
  isAhead(perSecond: number): boolean {
    return this.briefing?.isAhead(this.pending.source.backlog === undefined ? perSecond : 0) === true;
  }

  /** The next sum or loss; undefined if none is owed any more. */
  next(): EventUnit | undefined {
    const { briefing, pending, owner } = this;
    const event =
      pending.source.backlog === undefined
        ? briefing?.next(owner.terms, (session) => pending.hasSession(session, Number.POSITIVE_INFINITY))
        : briefing?.lossAlone(owner.terms);
    return event && this.localUnit(event);
  }

  /** The notice of a question to a listener that came later and cannot answer it; undefined if there is nothing to tell (R6). */
  lateNotice(question: JournaledEvent): EventUnit | undefined {
    const { listener, terms } = this.owner;
    const session = this.services.sessions.summary(question.event.session_id);
    const isOver = session === undefined || !listener.isOpen(question.event.event_id);
    if (isOver || listener.wasTold(question.epoch) || listener.canAnswer(question)) return undefined;
    // It says how the session stands.
    this.drop(session.sessionId);
    listener.noteNotice(question.epoch);
    return this.localUnit(this.services.notices.lateNotice(question, session, terms));
  }

  /** Hands over a unit in the form of the present terms. Returns false if they do not want it, or if it was a question that was put before. */
  give(unit: Unit, out: Delivery[]): boolean {
    const { view } = this.pending;
    if (unit.kind === "event") {
      const { entry, isQuestion } = unit.rendered;
      if (!view.terms.wants(entry) || (isQuestion && this.owner.listener.wasPut(entry.epoch))) return false;
      const sum = isQuestion ? this.briefing?.beforeQuestion(unit.session, this.owner.terms) : undefined;
      if (sum !== undefined) this.give(this.localUnit(sum), out);
      this.noteTold(unit);
    }
    out.push(view.deliveryOf(unit));
    return true;
  }

  /** Takes note of a unit that leaves. */
  noteTold(unit: Unit): void {
    if (unit.kind === "text") return;
    const { entry, isQuestion } = unit.rendered;
    const { listener } = this.owner;
    if (isQuestion) listener.notePut(entry);
    else if (entry.made === "notice") listener.noteNotice(entry.epoch - 1);
    const lost = lostCount(unit);
    if (lost === undefined) return;
    this.pending.counts.gaps += 1;
    this.pending.counts.gapEvents += lost;
  }

  /** A unit that the daemon makes for this subscription alone. Text that is released later gets no earlier timestamp (R30). */
  private localUnit(event: AgentEvent): EventUnit {
    const { journal, now } = this.services;
    this.pending.view.noteTimestamp(event.session_id, event.timestamp);
    const place = { at: now(), ordinal: 0, epoch: journal.head() };
    return eventUnit(
      new RenderedEntry({ event, kind: topicKind(event.type), source: undefined, made: "state", ...place }),
    );
  }
}

/** Upper bound of the events that a unit declares lost (R27); 0 if it is not known, undefined if the unit is no gap. */
function lostCount({ rendered }: EventUnit): number | undefined {
  const gap = rendered.entry.event.extensions?.[AAEPD]?.gap;
  if (typeof gap !== "object" || gap === null) return undefined;
  return "events" in gap && typeof gap.events === "number" ? gap.events : 0;
}

/** Whether a unit is told although everything is skipped (R26). */
export function isKeptBySkip(unit: Unit): boolean {
  if (unit.kind === "text") return false;
  return unit.rendered.isTerminal || unit.rendered.entry.made === "resolution" || lostCount(unit) !== undefined;
}
