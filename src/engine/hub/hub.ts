// The hub: every journaled event goes to every view once, and views wake the subscriptions that can take a unit (AAEP §5.9). When `deliver` returns,
// every view stands at the head of the journal (R34). The room sessions decides what may be published, the negotiation what is granted, and the
// runtime how a batch travels.
import { Fault } from "../../base/errors.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { Segmenter } from "../../contracts/segmenter.js";
import { cursorText } from "../event/cursor.js";
import type { IdServices } from "../event/derived-id.js";
import type { AgentEvent, Epoch, JournaledEvent, NewEvent } from "../event/event.js";
import { applyShape, shapeKey, shapeOf } from "../terms/shape.js";
import type { Terms } from "../terms/terms.js";
import { LatencyHistogram } from "../time/latency-histogram.js";
import { RecentRate } from "../time/recent-rate.js";
import { Turns } from "../time/turns.js";
import type { WakeUps } from "../time/wake-ups.js";
import { AheadScan } from "../views/ahead-scan.js";
import { CodeBlocks } from "../views/code-blocks.js";
import type { Checkpoint } from "../views/delivery.js";
import { MOST_PIECES } from "../views/held-texts.js";
import { OutputTexts } from "../views/output-texts.js";
import { ShapeWords, Speaker, type SpeakerServices } from "../views/shape-words.js";
import { type InternedShape, RenderedEntry } from "../views/unit.js";
import { View, type ViewFollower } from "../views/view.js";
import { type ViewTerms, viewKey, viewTermsOf } from "../views/view-terms.js";
import { SharedView, type ViewMember } from "./shared-view.js";

/** The services that the hub needs. */
export interface HubServices extends SpeakerServices {
  readonly journal: Journal;
  readonly segmenter: Segmenter;
  readonly clock: Clock;
  readonly wakeUps: WakeUps;
  readonly ids: IdServices;
  /** Turns of those who send; long text is delivered when nobody waits for them (R34). */
  readonly sendingTurns: Turns;
}

export interface HubOptions {
  /** Longest hold of text without a boundary, in ms. Default 5,000 (R10). Read again for each use. */
  readonly maxHoldMs: Millis;
  readonly defaultLanguage: string;
  /**
   * Most units that a view holds for subscriptions that have not taken them; older ones they read from the journal. Default 1,024. All views together
   * hold at most 16,384.
   */
  readonly viewWindowCount: number;
  /** Most different sets of terms at a time, of which each has a view. Default 64 (R34). Read again for each use. */
  readonly maxTermSets: number;
  /** Time that a turn has for scanning and for reading back, in ms. Default 2 (R34). */
  readonly turnRoomMs?: Millis;
}

/** Latencies of deliveries: by subscriptions that limit their pace by their terms, and by all others. */
export interface DeliveryLatencies {
  readonly limited: LatencyHistogram;
  readonly unlimited: LatencyHistogram;
}

/** Present counts of the hub. */
export interface HubCounts {
  readonly viewCount: number;
  /** Units that views hold for subscriptions that have not taken them (R18). */
  readonly keptUnitCount: number;
}

/** Most units that all views together hold, as long as there are fewer views than that. */
const MOST_KEPT_UNITS = 16_384;

/** Units appended to a view before the hub looks for units to drop; a quarter of the view's window if that is less. */
const TRIM_STEP_COUNT = 256;

/** Pieces that a publish releases to all views together; each has a share. */
const MOST_PIECES_OF_ALL = 1024;

/** The view of one reader wakes nobody. */
const NOBODY: ViewFollower = { appended: () => {} };
const NOTHING_SENT: ReadonlyMap<string, string> = new Map();

export class Hub {
  /** Rates of journaled events, and of events handed to transports. */
  readonly rates: { readonly published: RecentRate; readonly delivered: RecentRate };
  readonly latencies: DeliveryLatencies = { limited: new LatencyHistogram(), unlimited: new LatencyHistogram() };
  private readonly services: HubServices;
  private readonly options: HubOptions;
  private readonly views = new Map<string, SharedView>();
  private readonly shapes = new Map<string, InternedShape>();
  readonly speaker: Speaker;
  private readonly codeBlocks: CodeBlocks;
  private readonly outputs: OutputTexts;
  private readonly scanTurns: Turns;
  /** The scan of the events that are about to be delivered. */
  private scan: AheadScan | undefined;
  // Renderings of entries that are read back. The journal returns the same entry to readers at about the same time.
  private readonly rendered = new WeakMap<JournaledEvent, RenderedEntry>();

  constructor(services: HubServices, options: HubOptions) {
    this.services = services;
    this.options = options;
    const now = services.clock.now();
    this.rates = { published: new RecentRate(now), delivered: new RecentRate(now) };
    this.speaker = new Speaker(services);
    this.codeBlocks = new CodeBlocks(services.journal, services.steps);
    this.outputs = this.newOutputs();
    this.scanTurns = new Turns(services.clock, { mostMs: options.turnRoomMs, goesFirst: services.sendingTurns });
  }

  /**
   * Scans the text of events that are to be delivered, 2 ms a turn, and then calls `publish`, which delivers them and must not throw. `publish` is
   * heavy work (R34). Without views, it is called at once.
   */
  scanAhead(events: readonly NewEvent[], publish: () => void): void {
    const scan = new AheadScan(events, this.outputs);
    const publishNow = (): void => {
      this.scan = scan;
      publish();
      this.scan = undefined;
    };
    const goOn = (): void => {
      if (this.isScanLeft(scan)) this.scanTurns.wait(goOn);
      else this.scanTurns.run(publishInTurn, "heavy");
    };
    const publishInTurn = (): void => {
      // A view that cuts at words may have come meanwhile.
      if (this.isScanLeft(scan)) {
        this.scanTurns.wait(goOn);
        return;
      }
      publishNow();
      this.scanTurns.over();
    };
    if (this.views.size === 0) publishNow();
    else this.scanTurns.run(goOn);
  }

  /** Hands journaled events to all views. Subscriptions are woken, and take units later. */
  deliver(entries: readonly JournaledEvent[]): void {
    this.scan?.moveIn(entries);
    this.rates.published.note(entries.length, entries.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
    const share = Math.min(MOST_PIECES, Math.ceil(MOST_PIECES_OF_ALL / this.views.size));
    for (const { view } of this.views.values()) view.texts.beginPublish(share);
    for (const entry of entries) {
      const rendered = new RenderedEntry(entry);
      for (const shared of this.views.values()) this.pushTo(shared, rendered);
      if (entry.kind === "output.streaming" && this.outputs.count > 0) this.settle(rendered);
    }
  }

  /**
   * Makes the subscription a member of the view of these terms, which equal terms share; begins one if there is none. `instead`: the view that it
   * leaves for it. Throws "rate_limit" beyond the most sets of terms, unless `mayExceed`.
   */
  join(member: ViewMember, terms: Terms, instead?: SharedView, mayExceed = false): SharedView {
    const shared = this.views.get(viewKey(terms)) ?? this.begin(terms, instead, mayExceed);
    shared.members.add(member);
    return shared;
  }

  private begin(terms: Terms, instead: SharedView | undefined, mayExceed: boolean): SharedView {
    const freed = instead?.members.size === 1 ? 1 : 0;
    if (!mayExceed && this.views.size - freed >= this.options.maxTermSets) {
      const sentence = `Ask for terms that another subscription has, or try again later: there are ${this.options.maxTermSets} different sets of terms.`;
      throw new Fault("rate_limit", sentence, { pointer: "/capabilities", rule: "R34" });
    }
    const shared = new SharedView(
      (follower) =>
        new View(
          this.viewTerms(terms),
          this.viewServices(this.outputs, this.services.wakeUps),
          this.services.journal.head(),
          follower,
          NOTHING_SENT,
        ),
    );
    shared.trimAt = this.trimStep();
    try {
      // A view that begins in the middle of an output begins with the piece in progress (R10).
      for (const text of this.outputs.all()) shared.view.texts.follow(text, this.lowestHeld(text.key));
    } catch (caught) {
      shared.view.close();
      throw caught;
    }
    this.views.set(shared.view.terms.key, shared);
    return shared;
  }

  leave(member: ViewMember, shared: SharedView): void {
    shared.members.delete(member);
    shared.ready.delete(member);
    if (shared.members.size > 0) return;
    const { view } = shared;
    view.close();
    if (this.views.get(view.terms.key) === shared) this.views.delete(view.terms.key);
    for (const other of this.views.values()) if (other.view.terms.shape === view.terms.shape) return;
    this.shapes.delete(view.terms.shape.key);
  }

  /** The terms of a view; equal terms share their shape. */
  viewTerms(terms: Terms): ViewTerms {
    const key = shapeKey(terms);
    const { defaultLanguage } = this.options;
    const words = terms.speakable && new ShapeWords(this.speaker, terms.speakable, defaultLanguage);
    const shape = this.shapes.get(key) ?? { ...shapeOf(terms), key, defaultLanguage, words };
    this.shapes.set(key, shape);
    return viewTermsOf(terms, shape);
  }

  /** An event in the form that these terms give it, outside the stream. */
  shaped(event: AgentEvent, terms: Terms): AgentEvent {
    const { shape } = this.viewTerms(terms);
    const shaped = applyShape(event, shape, shape.defaultLanguage);
    return shape.words?.beside(shaped, this.services.journal.head()) ?? shaped;
  }

  /** Text records for one reader of the journal. */
  newOutputs(): OutputTexts {
    return new OutputTexts(this.services.segmenter, this.options.defaultLanguage, this.codeBlocks);
  }

  /** A view for one reader of the journal. No event reaches it by itself, and its owner closes it. */
  privateView(
    terms: ViewTerms,
    outputs: OutputTexts,
    wakeUps: WakeUps,
    startsAfter: Epoch,
    sent: ReadonlyMap<string, string>,
  ): View {
    return new View(terms, this.viewServices(outputs, wakeUps), startsAfter, NOBODY, sent);
  }

  /** The rendering of an entry, one for all takers of the same entry object. */
  renderedOf(entry: JournaledEvent): RenderedEntry {
    const known = this.rendered.get(entry);
    if (known !== undefined) return known;
    const rendered = new RenderedEntry(entry);
    this.rendered.set(entry, rendered);
    return rendered;
  }

  /** The checkpoint of all subscriptions that have taken all units of a view. */
  levelCheckpoint(shared: SharedView): Checkpoint {
    const { view, level } = shared;
    const [epoch, end] = [view.epoch, view.log.end];
    if (level?.epoch === epoch && level.end === end) return level.checkpoint;
    const checkpoint = level?.checkpoint.after === view.given ? level.checkpoint : this.checkpointAt(view.given);
    shared.level = { epoch, end, checkpoint };
    return checkpoint;
  }

  checkpointAt(after: Epoch): Checkpoint {
    return { cursor: cursorText({ journalId: this.services.journal.id, after }), after, memo: new Map() };
  }

  counts(): HubCounts {
    let keptUnitCount = 0;
    for (const { view } of this.views.values()) keptUnitCount += view.log.end - view.log.start;
    return { viewCount: this.views.size, keptUnitCount };
  }

  /** Hands an entry to one view. It is journaled, so it goes on to the other views: a failure ends this view alone (R29). */
  private pushTo(shared: SharedView, rendered: RenderedEntry): void {
    try {
      shared.view.push(rendered, rendered.entry.at);
      if (shared.view.log.end >= shared.trimAt) this.trim(shared);
    } catch (caught) {
      const { key } = shared.view.terms;
      const { epoch } = rendered.entry;
      this.services.log.error({ err: caught, view: key, epoch }, "a view failed; its subscriptions are ended");
      this.views.delete(key);
      for (const member of shared.members) member.end("producer_error");
    }
  }

  private settle(rendered: RenderedEntry): void {
    try {
      this.outputs.settle(rendered, (key) => this.lowestHeld(key));
    } catch (caught) {
      this.services.log.error({ err: caught, epoch: rendered.entry.epoch }, "text that is no longer needed stays");
    }
  }

  private trim(shared: SharedView): void {
    const { log } = shared.view;
    const window = log.end - this.windowCount();
    let keep = log.end;
    for (const member of shared.members) keep = Math.min(keep, this.placeOf(member, shared, window) ?? keep);
    log.drop(keep);
    shared.trimAt = log.end + this.trimStep();
  }

  /** The place of a member, which may fall behind by this. A member that throws is ended alone. */
  private placeOf(member: ViewMember, shared: SharedView, window: number): number | undefined {
    try {
      return member.placeIn(shared, window);
    } catch (caught) {
      this.services.log.error({ err: caught }, "a subscription could not fall behind; it is ended");
      member.end("producer_error");
      return undefined;
    }
  }

  /** With many views each holds fewer units, so that the total is limited. */
  private windowCount(): number {
    return Math.min(this.options.viewWindowCount, Math.ceil(MOST_KEPT_UNITS / Math.max(1, this.views.size)));
  }

  private trimStep(): number {
    return Math.max(1, Math.min(TRIM_STEP_COUNT, this.windowCount() >> 2));
  }

  /** Scans while the turn has room. Returns whether text is left for later turns. */
  private isScanLeft(scan: AheadScan): boolean {
    try {
      while (this.views.size > 0 && scan.step(this.cutsWords() ? "word" : undefined))
        if (!this.scanTurns.enter()) return true;
    } catch (caught) {
      this.services.log.error({ err: caught }, "a text could not be scanned before it was published");
    }
    return false;
  }

  private cutsWords(): boolean {
    for (const { view } of this.views.values()) if (view.terms.level === "word") return true;
    return false;
  }

  private lowestHeld(key: string): number | undefined {
    let lowest: number | undefined;
    for (const { view } of this.views.values()) {
      const held = view.texts.heldOffset(key);
      if (held !== undefined && (lowest === undefined || held < lowest)) lowest = held;
    }
    return lowest;
  }

  private viewServices(outputs: OutputTexts, wakeUps: WakeUps) {
    const { ids, segmenter } = this.services;
    return { outputs, wakeUps, maxHoldMs: () => this.options.maxHoldMs, ids, segmenter };
  }
}
