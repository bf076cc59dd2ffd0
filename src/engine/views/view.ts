// A view: the stream for one set of terms. It filters, shapes and coalesces streamed text once for all subscriptions that share the terms (R10, R14,
// R15, R30). Rates, pauses and the backlog of a slow peer belong to each subscription. When `push` returns, all of the event's units are in the log.

import { codePointCount, encodedBytes } from "../../base/code-points.js";
import type { Millis } from "../../contracts/clock.js";
import type { Segmenter } from "../../contracts/segmenter.js";
import type { IdServices } from "../event/derived-id.js";
import { type Epoch, isTerminalKind, positionIn } from "../event/event.js";
import { laterTimestamp } from "../event/timestamps.js";
import { type Boundary, boundaryOf } from "../terms/terms.js";
import { TextBoundaries } from "../text/text-boundaries.js";
import { MOST_BYTES_PER_UNIT } from "../text/text-sizes.js";
import { isMarkdown } from "./code-blocks.js";
import { Delivery } from "./delivery.js";
import { HeldTexts, type HeldTextsServices } from "./held-texts.js";
import { ownHint, type ViewPlace } from "./hold.js";
import { textEvent } from "./merged-events.js";
import { MAX_TEXT_BYTES } from "./text-room.js";
import { eventUnit, isCriticalUnit, type RenderedEntry, type TextUnit, type Unit } from "./unit.js";
import { ViewLog } from "./view-log.js";
import { grantedHint, type ViewTerms } from "./view-terms.js";

export interface ViewServices extends HeldTextsServices {
  readonly segmenter: Segmenter;
  readonly ids: IdServices;
}

/** The takers of a view's units. */
export interface ViewFollower {
  /** Called after each unit. */
  readonly appended: (isCritical: boolean) => void;
}

export class View {
  readonly terms: ViewTerms;
  readonly log: ViewLog;
  readonly texts: HeldTexts;
  private readonly ids: IdServices;
  private readonly segmenter: Segmenter;
  private readonly follower: ViewFollower;
  private readonly place: ViewPlace;
  private readonly rendered = new WeakMap<Unit, Delivery>();
  private readonly sent: ReadonlyMap<string, string>;

  /**
   * A view that has taken the events up to `startsAfter`. `sent` has, for the view of one reader, timestamps of
   * sessions below which no text falls (R30).
   */
  constructor(
    terms: ViewTerms,
    services: ViewServices,
    startsAfter: Epoch,
    follower: ViewFollower,
    sent: ReadonlyMap<string, string>,
  ) {
    this.terms = terms;
    this.sent = sent;
    this.ids = services.ids;
    this.segmenter = services.segmenter;
    this.follower = follower;
    this.place = { epoch: startsAfter, timestamps: new Map() };
    this.log = new ViewLog(this, terms.maxChars);
    this.texts = new HeldTexts(terms, services, this.place, (unit) => this.append(unit));
  }

  /** Epoch of the last event taken. */
  get epoch(): Epoch {
    return this.place.epoch;
  }

  /** Everything up to this epoch was given to a subscription that has taken all units (R17). */
  get given(): Epoch {
    return Math.min(this.place.epoch, (this.texts.lowestEpoch() ?? Number.POSITIVE_INFINITY) - 1);
  }

  /** Takes the next event of the journal. `at`: the instant at which its units are released. */
  push(rendered: RenderedEntry, at: Millis): void {
    const { entry, role } = rendered;
    this.place.epoch = entry.epoch;
    if (this.terms.wants(entry)) {
      if (entry.kind === "output.streaming") {
        if (!this.terms.passThrough || !this.passThrough(rendered)) this.texts.push(rendered, at);
        return;
      }
      if (role !== "progress" && role !== "background-state") this.texts.releaseFor(rendered, at);
      this.append(eventUnit(rendered));
    }
    if (isTerminalKind(entry.kind)) this.place.timestamps.delete(entry.event.session_id);
  }

  /** The timestamp of the last unit of a session, as far as it is open. */
  lastTimestamp(session: string): string | undefined {
    return this.place.timestamps.get(session);
  }

  /** Text of the session that is released later gets no earlier timestamp (R30). */
  noteTimestamp(session: string, timestamp: string): void {
    const { timestamps } = this.place;
    timestamps.set(session, laterTimestamp(timestamp, timestamps.get(session)));
  }

  /** The same for all sessions that go on here, by the timestamps of another view. */
  noteTimestamps({ place }: View): void {
    const held = new Set(this.texts.held().map(({ session }) => session));
    for (const [session, timestamp] of place.timestamps)
      if (held.has(session) || this.place.timestamps.has(session)) this.noteTimestamp(session, timestamp);
  }

  /** The delivery of a unit of this view, or of another with the hint that these terms grant (R32). Made once. */
  deliveryOf(unit: Unit): Delivery {
    const { terms } = this;
    if (unit.kind === "event") return unit.rendered.deliveryIn(terms.shape);
    // A chunk that passes through may name no hint.
    if (terms.passThrough && unit.verbatim !== undefined) return unit.verbatim.deliveryIn(terms.shape);
    const hint = grantedHint(terms, unit.hint, unit.complete);
    if (unit.verbatim?.entry.event.coalesce_hint === hint && unit.verbatim !== undefined)
      return unit.verbatim.deliveryIn(terms.shape);
    const known = this.rendered.get(unit);
    if (known !== undefined) return known;
    const event = textEvent(unit, hint, terms, this.ids);
    const shaped = terms.shape.words?.beside(event, unit.firstEpoch) ?? event;
    const delivery = new Delivery(shaped, unit.epoch, unit.at, undefined);
    this.rendered.set(unit, delivery);
    return delivery;
  }

  /** The work that was done on words so far. */
  get wordWork(): number {
    return this.terms.shape.words?.work ?? 0;
  }

  /** The text in pieces as long as these terms allow; text that was cut by others may be longer (R26, R32). */
  fitting(unit: TextUnit): readonly TextUnit[] {
    if (unit.endPosition - unit.position <= this.terms.maxChars) return [unit];
    const text = new TextBoundaries(this.segmenter);
    text.append(unit.text, unit.base.localization_hints?.primary_language ?? "", { markdown: isMarkdown(unit.base) });
    text.scanTo(unit.text.length);
    const pieces: TextUnit[] = [];
    for (let from = 0, { position } = unit; from < unit.text.length; ) {
      const to = text.cutWithin(from, unit.text.length, this.terms.maxChars, MAX_TEXT_BYTES);
      const piece = text.slice(from, to);
      const isLast = to === unit.text.length;
      const endPosition = position + codePointCount(piece);
      const { level } = this.terms;
      const hint = isLast ? unit.hint : level === undefined || this.terms.passThrough ? undefined : hintAt(text, to);
      const complete = isLast && unit.complete;
      pieces.push({
        ...unit,
        position,
        endPosition,
        text: piece,
        textBytes: undefined,
        hint,
        complete,
        verbatim: undefined,
      });
      from = to;
      position = endPosition;
    }
    return pieces;
  }

  /** Cancels the timers. */
  close(): void {
    this.texts.close();
  }

  private append(released: Unit): void {
    const unit = this.sent.size === 0 || released.kind === "event" ? released : this.notBefore(released);
    this.place.timestamps.set(
      unit.session,
      unit.kind === "text" ? unit.timestamp : unit.rendered.entry.event.timestamp,
    );
    this.log.append(unit);
    this.follower.appended(isCriticalUnit(unit));
  }

  private notBefore(unit: TextUnit): TextUnit {
    const sent = this.sent.get(unit.session);
    const timestamp =
      sent === undefined
        ? unit.timestamp
        : laterTimestamp(unit.timestamp, laterTimestamp(sent, this.lastTimestamp(unit.session)));
    return timestamp === unit.timestamp ? unit : { ...unit, timestamp, verbatim: undefined };
  }

  /** Hands on a chunk as it is. Returns false if it is too long for that. */
  private passThrough(rendered: RenderedEntry): boolean {
    const { event, epoch, at } = rendered.entry;
    const text = event.chunk;
    if (typeof text !== "string") return false;
    // Counted only where the length alone does not tell.
    if (text.length > this.terms.maxChars || text.length * MOST_BYTES_PER_UNIT > MAX_TEXT_BYTES) {
      if (codePointCount(text) > this.terms.maxChars || encodedBytes(text) > MAX_TEXT_BYTES) return false;
    }
    const complete = event.complete === true;
    const said = boundaryOf(event.coalesce_hint);
    const hint = ownHint(event) ?? (complete ? "completion" : "none");
    const position = positionIn(event);
    this.append({
      kind: "text",
      session: event.session_id,
      agent: event.producer.agent_id,
      at,
      releasedAt: epoch,
      firstEpoch: epoch,
      epoch,
      output: rendered.output,
      position,
      endPosition: position + codePointCount(text),
      text,
      hint,
      complete,
      timestamp: event.timestamp,
      base: event,
      mergeable: event.extensions === undefined || !this.terms.carriesExtensions(event),
      verbatim: said === undefined || said === hint ? rendered : undefined,
    });
    return true;
  }
}

/** The boundary at a cut; a text that goes on is not complete there. */
function hintAt(text: TextBoundaries, offset: number): Boundary {
  const level = text.levelAt(offset);
  return level === "completion" ? "none" : level;
}
