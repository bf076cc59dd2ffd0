// The text that one view holds back until it may be cut, and the cuts (R10, R30). The view decides about other events and about the takers of
// released text.
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent, Epoch } from "../event/event.js";
import { type Boundary, boundaryOf, isAtLeast, stronger } from "../terms/terms.js";
import { codePointCount, offsetOfCodePoint } from "../text/code-points.js";
import type { Steps } from "../time/steps.js";
import type { HeldText, HeldTexts, HeldTextsOwner } from "./held-text-spec.js";
import { agree, createHold, type Hold, isEmpty, ownHint, passBy } from "./hold.js";
import { createLowestEpochs } from "./lowest-epochs.js";
import type { Chunk } from "./output-text.js";
import type { SharedRendering } from "./shared-rendering.js";
import { MAX_TEXT_BYTES, roomForText } from "./text-room.js";

/** The end of a segment. */
interface SegmentEnd {
  readonly complete: boolean;
  /** The weakest boundary that the end counts as, whatever its text (R10). */
  readonly least: Boundary | undefined;
}

/** Text of a chunk read in one step, in UTF-16 units. */
const STEP_TEXT_UNITS = 256;

/** Wait before due text is checked again that came due while its view was behind, in ms. */
const RETRY_MS: Millis = 50;
/** Most text of an output held if only completion releases, in UTF-16 units. */
const MOST_HELD_UNITS = 262_144;

/** Text of this size fits beside the fields of any event, so these are not counted. */
const SMALL_TEXT_UNITS = 2048;

export function createHeldTexts(owner: HeldTextsOwner): HeldTexts {
  const { terms, services } = owner;
  const holds = new Map<string, Hold>();
  // The holds by session, so that an event looks only at the holds of its session.
  const bySession = new Map<string, Map<string, Hold>>();
  const beginnings = new Map<string, number>();

  /** Epoch of the oldest text in a hold; undefined if it is empty. */
  const firstEpochOf = (hold: Hold): Epoch | undefined =>
    isEmpty(hold) ? undefined : hold.text.chunkAt(hold.start)?.rendering.entry.epoch;
  const epochs = createLowestEpochs(firstEpochOf);
  // The end of a forced segment, which counts as at least this boundary. If only completion releases, no other hint is granted. If chunks pass
  // through, every hint is.
  const forced: SegmentEnd = { complete: false, least: terms.passThrough ? undefined : terms.level };
  const found: SegmentEnd = { complete: false, least: undefined };
  const isCompletionAlone = terms.level === undefined && !terms.passThrough;

  const lowestEpoch = (except: Epoch): Epoch => Math.min(except, epochs.lowest() ?? except);

  const keep = (hold: Hold): void => {
    const { key, session } = hold.text;
    holds.set(key, hold);
    const own = bySession.get(session) ?? new Map<string, Hold>();
    own.set(key, hold);
    bySession.set(session, own);
  };

  const roomIn = (hold: Hold): number => {
    const first = hold.text.chunkAt(hold.start);
    if (first === undefined) return MAX_TEXT_BYTES;
    if (hold.roomFor !== first) {
      hold.roomFor = first;
      hold.room = roomForText(first.rendering.textBase);
    }
    return hold.room;
  };

  const cutWithin = (hold: Hold, to: number): number => {
    const room = to - hold.start > SMALL_TEXT_UNITS ? roomIn(hold) : MAX_TEXT_BYTES;
    if (hold.size.fits(hold.start, to, terms.maxChars, room)) return to;
    return hold.text.boundaries.cutWithin(hold.start, to, terms.maxChars, room);
  };

  /** The strongest boundary that the cut is; undefined if no granted hint fits. */
  const hintOf = (hold: Hold, final: Chunk, cut: number, least: Boundary | undefined): Boundary | undefined => {
    if (isCompletionAlone) return undefined;
    const own = final.end === cut ? ownHint(final.rendering.entry.event) : undefined;
    const level = hold.text.boundaries.levelAt(cut);
    // All text may be there while the last chunk, which has no text, is still to come.
    let hint: Boundary = level === "completion" ? "none" : level;
    if (own !== undefined) hint = stronger(hint, own);
    if (least !== undefined) hint = stronger(hint, least);
    return terms.passThrough || terms.level === undefined || isAtLeast(hint, terms.level) ? hint : undefined;
  };

  /** Releases the first piece of [hold.start, to), as seams and limits allow. Returns true if it was the last. */
  const emitPiece = (hold: Hold, to: number, at: Millis, releasedBy: string, end: SegmentEnd): boolean => {
    const { boundaries, session } = hold.text;
    const timestamp = owner.standsAt(session, releasedBy);
    const [seam] = hold.seams;
    const limit = seam !== undefined && seam.start <= to ? seam.start : to;
    const cut = limit > hold.start ? cutWithin(hold, limit) : limit;
    const isAtSeam = cut === seam?.start;
    // A seam at the very end begins a chunk without text.
    const isLast = cut === to && !(isAtSeam && to === hold.newest.end);
    const first = hold.opening ?? hold.text.chunkAt(hold.start);
    const final = cut > hold.start ? hold.text.chunkAt(cut - 1) : first;
    if (first === undefined || final === undefined) return true;
    const text = boundaries.slice(hold.start, cut);
    const complete = isLast && end.complete;
    const hint = complete ? "completion" : hintOf(hold, final, cut, isLast ? end.least : undefined);
    const from = { start: hold.start, position: hold.position };
    hold.start = cut;
    hold.position += codePointCount(text);
    hold.firstAt = hold.text.chunkAt(cut)?.at ?? at;
    hold.opening = isAtSeam ? hold.seams.shift() : undefined;
    const { entry } = first.rendering;
    const isVerbatim =
      first === final &&
      first.start === from.start &&
      first.end === cut &&
      entry.event.complete === complete &&
      entry.event.coalesce_hint === hint &&
      // Text that waited while other events passed gets the timestamp of its new place.
      entry.event.timestamp === timestamp;
    const { epoch } = owner;
    owner.append({
      kind: "text",
      session: entry.event.session_id,
      agent: hold.agent,
      at,
      firstEpoch: entry.epoch,
      epoch: complete ? Math.max(final.rendering.entry.epoch, epoch()) : final.rendering.entry.epoch,
      deliveredEpoch: hold.text.epochBefore(from.start),
      output: hold.text.key,
      position: from.position,
      endPosition: hold.position,
      text,
      hint,
      complete,
      timestamp,
      base: first.rendering.textBase,
      mergeable: !terms.carriesExtensions(entry.event),
      verbatim: isVerbatim ? first.rendering.deliveryIn(terms.shape) : undefined,
    });
    return isLast;
  };

  const emit = (hold: Hold, to: number, at: Millis, releasedBy: string, end: SegmentEnd): void => {
    while (!emitPiece(hold, to, at, releasedBy, end)) {
      // Each round releases a piece.
    }
  };

  const drop = (hold: Hold): void => {
    hold.cancel?.();
    const { key, session } = hold.text;
    epochs.remove(hold);
    if (holds.get(key) !== hold) return;
    holds.delete(key);
    const own = bySession.get(session);
    own?.delete(key);
    if (own?.size === 0) bySession.delete(session);
  };

  const releaseWhole = (hold: Hold, at: Millis, timestamp: string): void => {
    if (!isEmpty(hold)) emit(hold, hold.newest.end, at, timestamp, forced);
    drop(hold);
  };

  const dueAt = (hold: Hold): Millis =>
    Math.min(hold.newest.at + services.maxHoldMs, hold.firstAt + 3 * services.maxHoldMs);

  /** The timestamp of text that no event releases: that of the last event of its session (R30). */
  const timestampOf = (hold: Hold): string =>
    owner.lastTimestamp(hold.text.session) ?? hold.newest.rendering.entry.event.timestamp;

  const arm = (hold: Hold): void => {
    if (hold.cancel !== undefined || terms.level === undefined) return;
    hold.cancel = services.wakeUps.at(dueAt(hold), (now) => {
      hold.cancel = undefined;
      // Later tokens have moved the due time. Checking again is cheaper than moving the timer with each token.
      if (isEmpty(hold)) return;
      if (dueAt(hold) > now) arm(hold);
      else if (services.isBehind()) retry(hold, now + RETRY_MS);
      else releaseWhole(hold, now, timestampOf(hold));
    });
  };

  /** Checks again later: the event that follows the text may be published and wait for the view (R34), so the agent has not paused. */
  const retry = (hold: Hold, at: Millis): void => {
    hold.cancel = services.wakeUps.at(at, () => {
      hold.cancel = undefined;
      if (!isEmpty(hold)) arm(hold);
    });
  };

  const releaseFor = (rendering: SharedRendering, at: Millis): void => {
    const { event } = rendering.entry;
    const own = terms.level === undefined ? undefined : bySession.get(event.session_id);
    if (own === undefined) return;
    for (const hold of [...own.values()]) {
      if (hold.agent === event.producer.agent_id) releaseWhole(hold, at, event.timestamp);
      else {
        const cut = hold.text.boundaries.lastWord(hold.start);
        if (cut > hold.start) emit(hold, cut, at, event.timestamp, forced);
      }
    }
  };

  /** Whether a chunk leaves by itself, because it carries extensions that this view's subscribers support (R10). */
  const isSealed = ({ rendering }: Pick<Chunk, "rendering">): boolean => terms.carriesExtensions(rendering.entry.event);

  /** Whether a chunk may not be merged with the held text (R10). An empty chunk merges with any. */
  const isApart = (hold: Hold, chunk: Chunk): boolean => {
    if (isSealed(chunk)) return true;
    if (chunk.start === chunk.end) return false;
    const first = hold.seams.at(-1) ?? hold.opening ?? hold.text.chunkAt(hold.start);
    return first === undefined || isSealed(first) || !agree(first, chunk);
  };

  const isTrusted = (event: AgentEvent): boolean => {
    const own = boundaryOf(event.coalesce_hint);
    return terms.passThrough || (own !== undefined && terms.level !== undefined && isAtLeast(own, terms.level));
  };

  /** Releases the text that the newest chunk shows to be ready. */
  function* releaseFrom(hold: Hold, chunk: Chunk, at: Millis): Steps {
    const { event } = chunk.rendering.entry;
    const { boundaries } = hold.text;
    const complete = event.complete === true;
    const sealed = isSealed(chunk);
    const trusted = sealed || isTrusted(event);
    // A trusted chunk is not cut inside, because its agent has chosen the place to cut.
    const limit = trusted ? chunk.start : chunk.end;
    for (let to = chunk.start; ; ) {
      to = Math.min(chunk.end, to + STEP_TEXT_UNITS);
      boundaries.scanTo(to, terms.level);
      while (terms.level !== undefined) {
        const next = boundaries.next(hold.start, terms.level);
        if (next === undefined || next > limit || (complete && next === chunk.end)) break;
        emit(hold, next, at, event.timestamp, found);
        yield;
      }
      if (to === chunk.end) break;
      yield;
    }
    if (complete) {
      while (!emitPiece(hold, chunk.end, at, event.timestamp, { complete: true, least: undefined })) yield;
      drop(hold);
      return;
    }
    if (isCompletionAlone) {
      // Text that is too long for one event, or may not be merged, waits for completion too (R10), up to the limit of memory (R18).
      while (chunk.end - hold.start > MOST_HELD_UNITS && !emitPiece(hold, chunk.end, at, event.timestamp, found)) yield;
      return;
    }
    if (trusted && (sealed || !isEmpty(hold))) {
      // The agent's hint may be on a chunk without text.
      const own = ownHint(event);
      const least =
        own === undefined || forced.least === undefined ? (own ?? forced.least) : stronger(own, forced.least);
      emit(hold, chunk.end, at, event.timestamp, { complete: false, least });
    }
    while (!isEmpty(hold)) {
      const cut = cutWithin(hold, chunk.end);
      if (cut >= chunk.end) break;
      emit(hold, cut, at, event.timestamp, found);
      yield;
    }
    if (terms.passThrough) drop(hold);
    else if (!isEmpty(hold)) arm(hold);
  }

  const heldAmong = (some: Iterable<Hold>, most = Number.POSITIVE_INFINITY): readonly HeldText[] => {
    const held: HeldText[] = [];
    for (const hold of some) {
      if (held.length >= most) break;
      if (isEmpty(hold)) continue;
      held.push({
        output: hold.text.key,
        session: hold.text.session,
        firstEpoch: hold.text.chunkAt(hold.start)?.rendering.entry.epoch ?? owner.epoch() + 1,
        deliveredEpoch: hold.text.epochBefore(hold.start),
        lastEpoch: hold.newest.rendering.entry.epoch,
        position: hold.position,
        endPosition: hold.newest.endPosition,
      });
    }
    return held;
  };

  return {
    push: (rendering, key, at) => {
      const { event } = rendering.entry;
      const text = terms.passThrough ? services.textOfOne(rendering, key) : services.outputText(rendering, key);
      const chunk = services.chunkOf(text, rendering, at);
      let hold = holds.get(key);
      if (hold !== undefined && (hold.text !== text || (!isEmpty(hold) && isApart(hold, chunk)))) {
        if (isCompletionAlone && hold.text === text) hold.seams.push(chunk);
        else {
          releaseWhole(hold, at, event.timestamp);
          hold = undefined;
        }
      }
      if (hold === undefined) {
        hold = createHold(text, chunk, chunk.start, typeof event.position === "number" ? event.position : 0);
        keep(hold);
      } else {
        if (isEmpty(hold)) hold.firstAt = at;
        hold.newest = chunk;
      }
      const beginning = beginnings.get(key);
      if (beginning !== undefined) {
        passBy(hold, beginning);
        if (hold.position >= beginning) beginnings.delete(key);
        owner.passedBy(event.session_id, event.timestamp);
      }
      epochs.add(hold);
      const steps = releaseFrom(hold, chunk, at);
      return steps.next().done === true ? undefined : steps;
    },
    releaseFor,
    held: (most) => (most === undefined ? heldAmong(holds.values()) : heldAmong(epochs.items(), most)),
    heldIn: (session) => (isCompletionAlone ? [] : heldAmong(bySession.get(session)?.values() ?? [])),
    lowestEpoch,
    release: (output, position, at) => {
      const hold = holds.get(output);
      if (hold === undefined) return;
      const rest = hold.text.boundaries.slice(hold.start, hold.newest.end);
      const to = hold.start + offsetOfCodePoint(rest, position - hold.position);
      if (to > hold.start) emit(hold, to, at, timestampOf(hold), forced);
      if (isEmpty(hold)) drop(hold);
    },
    releaseAll: (at) => {
      for (const hold of [...holds.values()]) releaseWhole(hold, at, timestampOf(hold));
    },
    beginAt: (output, position) => void beginnings.set(output, position),
    follow: (text) => {
      if (terms.level === undefined || terms.passThrough) return;
      const last = text.newest();
      // A chunk that other views are taking now is still to come here (R34).
      const newest = last !== undefined && last.rendering.entry.epoch > owner.epoch() ? text.chunkBefore(last) : last;
      if (newest === undefined) return;
      const { end } = newest;
      // The piece in progress is the text that this view would hold if it had existed before.
      let start = end;
      let like: Chunk | undefined;
      for (let chunk: Chunk | undefined = newest; chunk !== undefined; chunk = text.chunkBefore(chunk)) {
        if (isSealed(chunk) || isTrusted(chunk.rendering.entry.event) || !terms.wants(chunk.rendering)) break;
        if (chunk.start < chunk.end) {
          like ??= chunk;
          if (!agree(chunk, like)) break;
        }
        start = chunk.start;
      }
      start = Math.max(start, text.boundaries.last(end, terms.level));
      const first = text.chunkAt(start);
      if (first === undefined || start >= end) return;
      const hold = { ...createHold(text, first, start, text.positionOf(start)), newest };
      keep(hold);
      epochs.add(hold);
      arm(hold);
    },
    heldOffset: (output) => {
      const hold = holds.get(output);
      return hold !== undefined && !isEmpty(hold) ? hold.start : undefined;
    },
    close: () => {
      for (const hold of [...holds.values()]) drop(hold);
    },
  };
}
