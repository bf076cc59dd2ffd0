// The text that one view holds back until it may be cut, and the cuts (R10, R30). The view decides about other events and about the takers of
// released text.
import { codePointCount } from "../../base/code-points.js";
import type { Millis } from "../../contracts/clock.js";
import { type AgentEvent, type Epoch, positionIn } from "../event/event.js";
import { type Boundary, boundaryOf, isAtLeast, stronger } from "../terms/terms.js";
import { offsetOfCodePoint } from "../text/counted-text.js";
import type { WakeUps } from "../time/wake-ups.js";
import {
  agree,
  copyOf,
  createHold,
  firstEpochOf,
  type HeldText,
  type Hold,
  isEmpty,
  ownHint,
  roomIn,
  type ViewPlace,
} from "./hold.js";
import type { Chunk, OutputText, OutputTexts } from "./output-texts.js";
import { MAX_TEXT_BYTES } from "./text-room.js";
import type { RenderedEntry, TextUnit } from "./unit.js";
import { grantedHint, type ViewTerms } from "./view-terms.js";

export interface HeldTextsServices {
  readonly outputs: OutputTexts;
  readonly wakeUps: WakeUps;
  /** Longest hold of text without a boundary, in ms (R10). Read again for each use. */
  readonly maxHoldMs: () => Millis;
}

/** The end of a segment. */
interface SegmentEnd {
  readonly complete: boolean;
  /** The weakest boundary that the end counts as, whatever its text (R10). */
  readonly least: Boundary | undefined;
}

type Release = (unit: TextUnit) => void;

/** Most text of an output held if only completion releases, in UTF-16 units. */
const MOST_HELD_UNITS = 262_144;
/** Text of this size fits beside the fields of any event, so these are not counted. */
const SMALL_TEXT_UNITS = 2048;
/** Most pieces that a publish releases to a view, and most cuts by size that look for a good place (R34). */
export const MOST_PIECES = 256;
const FOUND: SegmentEnd = { complete: false, least: undefined };
const COMPLETED: SegmentEnd = { complete: true, least: undefined };

export class HeldTexts {
  private readonly terms: ViewTerms;
  private readonly services: HeldTextsServices;
  private readonly place: ViewPlace;
  private readonly release: Release;
  private readonly isCompletionAlone: boolean;
  // The end of a forced segment, which counts as at least this boundary. If only completion releases, no other hint is granted. If chunks pass
  // through, every hint is.
  private readonly forced: SegmentEnd;
  private readonly holds = new Map<string, Hold>();
  // The holds by session, so that an event looks only at the holds of its session.
  private readonly bySession = new Map<string, Map<string, Hold>>();
  private piecesLeft = 0;
  private cutsLeft = 0;

  constructor(terms: ViewTerms, services: HeldTextsServices, place: ViewPlace, release: Release) {
    this.terms = terms;
    this.services = services;
    this.place = place;
    this.release = release;
    this.isCompletionAlone = terms.level === undefined && !terms.passThrough;
    this.forced = { complete: false, least: terms.passThrough ? undefined : terms.level };
  }

  /** Begins the next publish. Beyond `mostPieces`, each chunk releases one, up to its last boundary, and cuts by size look for no place (R34). */
  beginPublish(mostPieces: number): void {
    this.piecesLeft = mostPieces;
    this.cutsLeft = mostPieces;
  }

  /** Takes the next chunk of an output, and releases the text that it shows to be ready. */
  push(rendered: RenderedEntry, at: Millis): void {
    const { event } = rendered.entry;
    const text = this.services.outputs.textFor(rendered);
    const chunk = text.chunkOf(rendered, at);
    let hold = this.holds.get(text.key);
    if (hold !== undefined && (hold.text !== text || (!isEmpty(hold) && this.isApart(hold, chunk)))) {
      if (this.isCompletionAlone && hold.text === text) hold.seams.push(chunk);
      else {
        this.releaseWhole(hold, at, event.timestamp);
        hold = undefined;
      }
    }
    if (hold === undefined) hold = this.keep(createHold(text, chunk, chunk.start, positionIn(event)));
    else {
      if (isEmpty(hold)) hold.firstAt = at;
      hold.newest = chunk;
    }
    this.releaseReady(hold, chunk, at);
  }

  /** Releases the text that an event of its session ends (R30). */
  releaseFor({ entry: { event } }: RenderedEntry, at: Millis): void {
    const own = this.terms.level === undefined ? undefined : this.bySession.get(event.session_id);
    if (own === undefined) return;
    for (const hold of [...own.values()]) {
      if (hold.agent === event.producer.agent_id) this.releaseWhole(hold, at, event.timestamp);
      else {
        const cut = hold.text.boundaries.lastWord(hold.start, hold.newest.end);
        if (cut > hold.start) this.emit(hold, cut, at, event.timestamp, this.forced);
      }
    }
  }

  releaseAll(at: Millis): void {
    for (const hold of [...this.holds.values()]) this.releaseWhole(hold, at, this.timestampOf(hold));
  }

  /** The held text of each output. */
  held(): readonly HeldText[] {
    return [...this.holds.values()].flatMap((hold) => {
      const firstEpoch = firstEpochOf(hold);
      if (firstEpoch === undefined) return [];
      const { text, position, newest } = hold;
      return [{ output: text.key, session: text.session, firstEpoch, position, endPosition: newest.endPosition }];
    });
  }

  /** The units of which an output's held text before a position would consist if it were released now. It stays held. */
  unitsUpTo(output: string, position: number, at: Millis): readonly TextUnit[] {
    const hold = this.holds.get(output);
    if (hold === undefined || position <= hold.position) return [];
    const { start, newest } = hold;
    const rest = hold.text.boundaries.slice(start, newest.end);
    const to = position >= newest.endPosition ? newest.end : start + offsetOfCodePoint(rest, position - hold.position);
    const units: TextUnit[] = [];
    this.emit(copyOf(hold), to, at, this.timestampOf(hold), this.forced, (unit) => void units.push(unit));
    return units;
  }

  /** The epoch of the oldest held text; undefined if none is held. */
  lowestEpoch(): Epoch | undefined {
    let lowest: Epoch | undefined;
    for (const hold of this.holds.values()) {
      const epoch = firstEpochOf(hold);
      if (epoch !== undefined && (lowest === undefined || epoch < lowest)) lowest = epoch;
    }
    return lowest;
  }

  /** The lowest offset of an output's held text in its record; undefined if none is held. */
  heldOffset(output: string): number | undefined {
    const hold = this.holds.get(output);
    return hold !== undefined && !isEmpty(hold) ? hold.start : undefined;
  }

  /**
   * Continues an output in the middle: with the text that this view would hold if it had existed before. If only completion releases, that is no
   * more than what other views hold, from `lowestHeld` on.
   */
  follow(text: OutputText, lowestHeld: number | undefined): void {
    const { terms, isCompletionAlone } = this;
    const { newest, boundaries } = text;
    if (terms.passThrough || newest === undefined) return;
    const { end } = newest;
    let start = end;
    let like: Chunk | undefined;
    for (const chunk of text.chunks.toReversed()) {
      const { entry } = chunk.rendered;
      if (!terms.wants(entry)) break;
      if (!isCompletionAlone) {
        if (this.isSealed(chunk) || this.isTrusted(entry.event)) break;
        if (chunk.start < chunk.end) like ??= chunk;
        if (like !== undefined && chunk.start < chunk.end && !agree(chunk, like)) break;
      }
      start = chunk.start;
    }
    boundaries.scanTo(end, terms.level);
    const least = terms.level === undefined ? (lowestHeld ?? end) : boundaries.last(end, terms.level);
    start = Math.max(start, least);
    const first = text.chunkAt(start);
    if (first === undefined || start >= end) return;
    const hold = this.keep(createHold(text, first, start, text.positionOf(start)));
    for (const chunk of text.chunks.slice(text.chunks.indexOf(first) + 1)) {
      if (isCompletionAlone && this.isApart(hold, chunk)) hold.seams.push(chunk);
      hold.newest = chunk;
    }
    this.arm(hold);
  }

  /** Cancels the timers and drops all text. */
  close(): void {
    for (const hold of [...this.holds.values()]) this.drop(hold);
  }

  /** Releases the text that the newest chunk shows to be ready. */
  private releaseReady(hold: Hold, chunk: Chunk, at: Millis): void {
    const { terms, forced } = this;
    const { event } = chunk.rendered.entry;
    const complete = event.complete === true;
    const sealed = this.isSealed(chunk);
    const trusted = sealed || this.isTrusted(event);
    hold.text.boundaries.scanTo(chunk.end, terms.level);
    // A trusted chunk is not cut inside, because its agent has chosen the place to cut.
    const limit = trusted ? chunk.start : chunk.end;
    // The piece that completes the output leaves below.
    if (terms.level !== undefined)
      this.releaseFound(hold, terms.level, complete ? Math.min(limit, chunk.end - 1) : limit, at);
    if (complete) {
      this.emit(hold, chunk.end, at, event.timestamp, COMPLETED);
      this.drop(hold);
      return;
    }
    if (this.isCompletionAlone) {
      // Text that is too long for one event, or may not be merged, waits for completion too (R10), up to the limit of memory (R18).
      while (chunk.end - hold.start > MOST_HELD_UNITS && !this.emitPiece(hold, chunk.end, at, event.timestamp, FOUND)) {
        // Each round releases a piece.
      }
      return;
    }
    if (trusted && (sealed || !isEmpty(hold))) {
      // The agent's hint may be on a chunk without text.
      const own = ownHint(event);
      const least =
        own === undefined || forced.least === undefined ? (own ?? forced.least) : stronger(own, forced.least);
      this.emit(hold, chunk.end, at, event.timestamp, { complete: false, least });
    }
    for (let cut = this.cutWithin(hold, chunk.end); cut < chunk.end; cut = this.cutWithin(hold, chunk.end))
      this.emit(hold, cut, at, event.timestamp, FOUND);
    if (terms.passThrough) this.drop(hold);
    else if (!isEmpty(hold)) this.arm(hold);
  }

  /** Releases the pieces that end at boundaries up to `limit`. */
  private releaseFound(hold: Hold, level: "word" | "sentence" | "paragraph", limit: number, at: Millis): void {
    const { boundaries } = hold.text;
    const { timestamp } = hold.newest.rendered.entry.event;
    for (;;) {
      this.piecesLeft -= 1;
      const next = this.piecesLeft > 0 ? boundaries.next(hold.start, level) : boundaries.last(limit, level);
      if (next === undefined || next > limit || next <= hold.start) return;
      this.emit(hold, next, at, timestamp, FOUND);
    }
  }

  private keep(hold: Hold): Hold {
    const { key, session } = hold.text;
    this.holds.set(key, hold);
    const own = this.bySession.get(session) ?? new Map<string, Hold>();
    own.set(key, hold);
    this.bySession.set(session, own);
    return hold;
  }

  private drop(hold: Hold): void {
    hold.cancel?.();
    const { key, session } = hold.text;
    if (this.holds.get(key) !== hold) return;
    this.holds.delete(key);
    const own = this.bySession.get(session);
    own?.delete(key);
    if (own?.size === 0) this.bySession.delete(session);
  }

  private releaseWhole(hold: Hold, at: Millis, timestamp: string): void {
    if (!isEmpty(hold)) this.emit(hold, hold.newest.end, at, timestamp, this.forced);
    this.drop(hold);
  }

  private emit(hold: Hold, to: number, at: Millis, timestamp: string, end: SegmentEnd, release = this.release): void {
    while (!this.emitPiece(hold, to, at, timestamp, end, release)) {
      // Each round releases a piece.
    }
  }

  /** Releases the first piece of [hold.start, to), as seams and limits allow. Returns true if it was the last. */
  private emitPiece(
    hold: Hold,
    to: number,
    at: Millis,
    timestamp: string,
    end: SegmentEnd,
    release = this.release,
  ): boolean {
    const { boundaries, key, session } = hold.text;
    const seam = hold.seams[hold.seamIndex];
    const limit = seam !== undefined && seam.start <= to ? seam.start : to;
    const cut = limit > hold.start ? this.cutWithin(hold, limit) : limit;
    const isAtSeam = cut === seam?.start;
    // A seam at the very end begins a chunk without text.
    const isLast = cut === to && !(isAtSeam && to === hold.newest.end);
    const first = hold.opening ?? hold.text.chunkAt(hold.start);
    const final = cut > hold.start ? hold.text.chunkAt(cut - 1) : first;
    if (first === undefined || final === undefined) return true;
    const text = boundaries.slice(hold.start, cut);
    const complete = isLast && end.complete;
    const hint = complete ? "completion" : this.hintOf(hold, final, cut, isLast ? end.least : undefined);
    const { start, position } = hold;
    hold.start = cut;
    hold.position += codePointCount(text);
    hold.firstAt = hold.text.chunkAt(cut)?.at ?? at;
    hold.opening = isAtSeam ? seam : undefined;
    if (isAtSeam) hold.seamIndex += 1;
    const { entry } = first.rendered;
    const isVerbatim =
      first === final &&
      first.start === start &&
      first.end === cut &&
      entry.event.complete === complete &&
      entry.event.coalesce_hint === hint &&
      // Text that waited while other events passed gets the timestamp of its new place.
      entry.event.timestamp === timestamp;
    release({
      kind: "text",
      session,
      agent: hold.agent,
      at,
      releasedAt: this.place.epoch,
      firstEpoch: entry.epoch,
      epoch: complete ? Math.max(final.rendered.entry.epoch, this.place.epoch) : final.rendered.entry.epoch,
      output: key,
      position,
      endPosition: hold.position,
      text,
      hint,
      complete,
      timestamp,
      base: entry.event,
      mergeable: !this.terms.carriesExtensions(entry.event),
      verbatim: isVerbatim ? first.rendered : undefined,
    });
    return isLast;
  }

  private cutWithin(hold: Hold, to: number): number {
    const { maxChars } = this.terms;
    if (to <= hold.start) return to;
    const room = to - hold.start > SMALL_TEXT_UNITS ? roomIn(hold) : MAX_TEXT_BYTES;
    const cut = hold.text.boundaries.cutWithin(hold.start, to, maxChars, room, this.cutsLeft <= 0);
    if (cut < to) this.cutsLeft -= 1;
    return cut;
  }

  /** The strongest boundary that the cut is; undefined if no granted hint fits. */
  private hintOf(hold: Hold, final: Chunk, cut: number, least: Boundary | undefined): Boundary | undefined {
    if (this.isCompletionAlone) return undefined;
    const own = final.end === cut ? ownHint(final.rendered.entry.event) : undefined;
    const level = hold.text.boundaries.levelAt(cut);
    // All text may be there while the last chunk, which has no text, is still to come.
    let hint: Boundary = level === "completion" ? "none" : level;
    if (own !== undefined) hint = stronger(hint, own);
    if (least !== undefined) hint = stronger(hint, least);
    return grantedHint(this.terms, hint, false);
  }

  private arm(hold: Hold): void {
    if (hold.cancel !== undefined || this.terms.level === undefined) return;
    hold.cancel = this.services.wakeUps.at(this.dueAt(hold), (now) => {
      hold.cancel = undefined;
      // Later tokens have moved the due time. Checking again is cheaper than moving the timer with each token.
      if (isEmpty(hold)) return;
      if (this.dueAt(hold) > now) this.arm(hold);
      else this.releaseWhole(hold, now, this.timestampOf(hold));
    });
  }

  private dueAt(hold: Hold): Millis {
    const maxHoldMs = this.services.maxHoldMs();
    return Math.min(hold.newest.at + maxHoldMs, hold.firstAt + 3 * maxHoldMs);
  }

  /** The timestamp of text that no event releases: that of the last event of its session (R30). */
  private timestampOf(hold: Hold): string {
    return this.place.timestamps.get(hold.text.session) ?? hold.newest.rendered.entry.event.timestamp;
  }

  /** Whether a chunk leaves by itself, because it carries extensions that this view's subscribers support (R10). */
  private isSealed({ rendered }: Chunk): boolean {
    return this.terms.carriesExtensions(rendered.entry.event);
  }

  /** Whether a chunk may not be merged with the held text (R10). An empty chunk merges with any. */
  private isApart(hold: Hold, chunk: Chunk): boolean {
    if (this.isSealed(chunk)) return true;
    if (chunk.start === chunk.end) return false;
    const first =
      (hold.seamIndex < hold.seams.length ? hold.seams.at(-1) : undefined) ??
      hold.opening ??
      hold.text.chunkAt(hold.start);
    return first === undefined || this.isSealed(first) || !agree(first, chunk);
  }

  private isTrusted(event: AgentEvent): boolean {
    const { passThrough, level } = this.terms;
    const own = boundaryOf(event.coalesce_hint);
    return passThrough || (own !== undefined && level !== undefined && isAtLeast(own, level));
  }
}
