// Reads the journal for one subscription that fell behind or resumes, through a view of its own, until it stands at the head (R17, R18). Memory stays
// bounded: nothing is read while units wait to be taken.

import type { Journal } from "../../contracts/journal.js";
import { type Epoch, type JournaledEvent, outputKey } from "../event/event.js";
import { hasLongText } from "../event/event-size.js";
import type { Hub } from "../hub/hub.js";
import type { Turns } from "../time/turns.js";
import { createWakeUps } from "../time/wake-ups.js";
import { AheadScan } from "../views/ahead-scan.js";
import { MOST_PIECES } from "../views/held-texts.js";
import type { OutputTexts } from "../views/output-texts.js";
import { timestampOf, type Unit } from "../views/unit.js";
import type { View } from "../views/view.js";
import type { ViewTerms } from "../views/view-terms.js";
import type { Listener } from "./listener.js";

/** Where to begin to read, and what was given of the events behind that place. */
export interface ReadFrom {
  /** The journal is read from the epoch after this one. */
  readonly after: Epoch;
  /** Events up to here were given, but for the text of `texts`. */
  readonly givenTo: Epoch;
  /** Outputs of which text up to `givenTo` is still owed, and the event with which it begins. */
  readonly texts: ReadonlyMap<string, Epoch>;
  /** Per session, the timestamp that its text may not fall below (R30). */
  readonly sent: ReadonlyMap<string, string>;
}

/** The subscription that reads. */
export interface BacklogOwner {
  readonly listener: Listener;
  /** Something can be taken again. */
  readonly wake: () => void;
  /** Events between these two epochs have aged out unread (R27). */
  readonly agedOut: (after: Epoch, oldest: Epoch) => void;
}

/** Text that a subscription is owed of an output, of which a part was released or given before. */
interface OwedText {
  readonly output: string;
  readonly position: number;
  readonly firstEpoch: Epoch;
}

/**
 * From where the journal has what a view's units from `index` on consist of, and where the owed text of each output begins. `group`: the units before
 * them, which were released with `releasedTo` and leave before what is read.
 */
export function restOfView(
  view: View,
  index: number,
  releasedTo: Epoch,
  group: readonly Unit[],
): { readonly from: ReadFrom; readonly owed: Iterable<OwedText> } {
  let after = releasedTo;
  const owed = new Map<string, OwedText>();
  const owe = ({ output, position, firstEpoch }: OwedText): void => {
    if (owed.has(output)) return;
    owed.set(output, { output, position, firstEpoch });
    after = Math.min(after, firstEpoch - 1);
  };
  // Per session, the timestamp of the last unit that leaves before, else of the first pending one, which was released after everything sent.
  const sent = new Map(group.map((unit) => [unit.session, timestampOf(unit)]));
  const noteSent = (session: string, timestamp: string | undefined): void => {
    if (timestamp !== undefined && !sent.has(session)) sent.set(session, timestamp);
  };
  for (const unit of view.log.from(index)) {
    noteSent(unit.session, timestampOf(unit));
    if (unit.kind === "text") owe(unit);
  }
  for (const held of view.texts.held()) {
    noteSent(held.session, view.lastTimestamp(held.session));
    owe(held);
  }
  const texts = new Map([...owed].map(([output, { firstEpoch }]) => [output, firstEpoch]));
  return { from: { after, givenTo: releasedTo, texts, sent }, owed: owed.values() };
}

/** The turns that all readers of a journal share. Many that return, or one with a long backlog, hold up nobody (R34). */
export interface ReadingTurns {
  /** For going on with a batch. */
  readonly events: Turns;
  /** For beginning a batch, one a turn, and for those who wait, one after the other. */
  readonly batches: Turns;
}

/** Events of a batch. */
const BATCH_COUNT = 256;
/** Most events of one read, even after a peer took nothing for long. */
const MOST_AT_ONCE = 2048;

export class Backlog {
  readonly view: View;
  private readonly from: ReadFrom;
  private readonly owner: BacklogOwner;
  private readonly journal: Journal;
  private readonly hub: Hub;
  private readonly outputs: OutputTexts;
  // Held text is released at the instant at which the live view would have released it.
  private readonly wakeUps = createWakeUps();
  private readonly turns: ReadingTurns;
  private after: Epoch;
  private headBefore: Epoch;
  private index = 0;
  // Entries read and not taken.
  private unread: readonly JournaledEvent[] = [];
  private unreadAt = 0;
  /** The scan of the next entry, if its text is long. */
  private scan: AheadScan | undefined;
  private at = Number.NEGATIVE_INFINITY;
  private leaveLine: (() => void) | undefined;
  private isLetIn = false;
  private isHurried = false;
  private isClosed = false;

  constructor(from: ReadFrom, terms: ViewTerms, owner: BacklogOwner, hub: Hub, journal: Journal, turns: ReadingTurns) {
    this.from = from;
    this.owner = owner;
    this.journal = journal;
    this.hub = hub;
    this.outputs = hub.newOutputs();
    this.view = hub.privateView(terms, this.outputs, this.wakeUps, from.after, from.sent);
    this.after = from.after;
    this.headBefore = journal.head();
    this.turns = turns;
  }

  /** Where another reader would go on, once the released units and the held text are taken. */
  get rest(): ReadFrom {
    return { ...this.from, after: this.after, givenTo: Math.max(this.after, this.from.givenTo) };
  }

  /** The newest event that was read. */
  get readTo(): Epoch {
    return this.after;
  }

  /** Everything up to this epoch was taken. */
  get given(): Epoch {
    const held = this.view.texts.lowestEpoch() ?? Number.POSITIVE_INFINITY;
    return Math.min(this.after, held - 1, ...this.released.map(({ firstEpoch }) => firstEpoch - 1));
  }

  /** Units that were released and not taken. */
  get released(): readonly Unit[] {
    return this.view.log.from(this.index);
  }

  /** The units of which the held text would consist if it were released now. */
  heldUnits(): readonly Unit[] {
    const { texts } = this.view;
    return texts.held().flatMap(({ output, endPosition }) => texts.unitsUpTo(output, endPosition, this.at));
  }

  /** Whether the reader waits for its turn. It wakes its subscription then. */
  get isResting(): boolean {
    return this.leaveLine !== undefined;
  }

  /** Whether the whole journal was read and taken. */
  get isAtHead(): boolean {
    return this.index >= this.view.log.end && this.unreadAt >= this.unread.length && this.after >= this.journal.head();
  }

  /** The next unit; reads on if necessary. Undefined if there is none at present. */
  peek(): Unit | undefined {
    const { view } = this;
    view.log.drop(this.index);
    while (this.index >= view.log.end && !this.isClosed) if (!this.readOn()) return undefined;
    return view.log.at(this.index);
  }

  advance(): void {
    this.index += 1;
  }

  /** Reads out of turn from now on, because a stop does not wait. */
  hurry(): void {
    this.isHurried = true;
  }

  close(): void {
    this.isClosed = true;
    this.leaveLine?.();
    this.view.close();
  }

  /** Takes one entry, or reads a batch. Returns false if there is nothing to read, or if other readers have their turn first. */
  private readOn(): boolean {
    const entry = this.unread[this.unreadAt];
    if (entry === undefined) return this.readBatch();
    if (!this.mayRead(this.turns.events)) return false;
    if (!this.isScanned(entry)) return true;
    this.unreadAt += 1;
    this.take(entry);
    return true;
  }

  /** Whether this turn has room for the reader. If not, it is woken in a later turn, behind those who wait already, and may read then. */
  private mayRead(turns: Turns): boolean {
    if (this.isHurried) return true;
    const hasRoom = this.leaveLine === undefined && turns.enter();
    if (hasRoom || this.isLetIn) {
      this.isLetIn = false;
      return true;
    }
    this.leaveLine ??= this.turns.batches.wait(() => {
      this.leaveLine = undefined;
      this.isLetIn = true;
      this.owner.wake();
    });
    return false;
  }

  /** Scans a step of a long chunk that is still to be scanned (R34). */
  private isScanned(entry: JournaledEvent): boolean {
    if (this.scan === undefined && hasLongText([{ fields: entry.event }]))
      this.scan = new AheadScan([entry], this.outputs);
    return this.scan?.step(this.view.terms.level) !== true;
  }

  private readBatch(): boolean {
    const head = this.journal.head();
    if (this.after >= head) return false;
    if (!this.mayRead(this.turns.batches)) return false;
    // Events published since the last read are added to the limit. Otherwise a reader among many would never catch up with a busy journal.
    const most = Math.min(BATCH_COUNT + head - this.headBefore, MOST_AT_ONCE);
    this.headBefore = head;
    const read = this.journal.read(this.after, most);
    if (read.kind === "events") return this.accept(read.events, head);
    this.skipTo(read.oldest);
    // In this turn: until the next one, a busy journal would have dropped what is its oldest now.
    const rest = this.journal.read(this.after, most);
    if (rest.kind === "events") this.accept(rest.events, head);
    return true;
  }

  /** Goes on with the oldest event that the journal still has. Text from before the gap cannot be joined with text after it. */
  private skipTo(oldest: Epoch): void {
    this.view.texts.releaseAll(this.at);
    this.owner.agedOut(this.after, oldest);
    this.after = oldest - 1;
  }

  private accept(events: readonly JournaledEvent[], head: Epoch): boolean {
    this.unread = events;
    this.unreadAt = 0;
    // Between the last event of the previous boot and the first of this boot there is none (R29).
    if (events.length === 0) this.after = Math.max(this.after, head);
    return events.length > 0;
  }

  private take(entry: JournaledEvent): void {
    const { epoch, event, kind } = entry;
    const { scan } = this;
    this.scan = undefined;
    this.after = epoch;
    this.at = entry.at;
    this.wakeUps.advance(entry.at);
    const isOwed = kind === "output.streaming" && epoch >= (this.from.texts.get(outputKey(event)) ?? epoch + 1);
    if (epoch <= this.from.givenTo && !isOwed) {
      this.view.noteTimestamp(event.session_id, event.timestamp);
      return;
    }
    const told = this.owner.listener.asBacklog(entry);
    if (told === undefined) return;
    const rendered = this.hub.renderedOf(told);
    this.view.texts.beginPublish(MOST_PIECES);
    scan?.moveIn([told]);
    this.view.push(rendered, told.at);
    if (kind === "output.streaming") this.outputs.settle(rendered, (key) => this.view.texts.heldOffset(key));
  }
}
