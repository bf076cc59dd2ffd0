// The text that one view holds back until it may be cut, and what is cut off it (R10, R30). Knows text, terms and time; which events there are
// beside text, and who takes what is released, is the view's affair.
import type { Millis } from "../contracts/clock.js";
import type { AgentEvent, Epoch } from "./event.js";
import { createFittingText, type FittingText } from "./fitting-text.js";
import type { HeldText, HeldTexts, HeldTextsOwner } from "./held-text-spec.js";
import type { LiveEntry } from "./live-entry.js";
import { createLowestEpochs } from "./lowest-epochs.js";
import type { Chunk, OutputText } from "./output-text.js";
import type { Steps } from "./steps.js";
import { type Boundary, boundaryOf, isAtLeast, stronger } from "./terms.js";
import { MAX_TEXT_BYTES, roomForText } from "./text-room.js";
import { agreeForMerging, codePointCount, offsetOfCodePoint } from "./unit.js";

interface Hold {
  readonly text: OutputText;
  readonly agent: string;
  start: number;
  position: number;
  firstAt: Millis;
  lastAt: Millis;
  end: number;
  cancel: (() => void) | undefined;
  /** Its chunk carries what its subscribers implement and is joined with nothing (R10). */
  isSealed: boolean;
  readonly size: FittingText;
  /** Bytes that text may take beside the fields of the chunk that it begins with; counted once a chunk. */
  room: number;
  roomFor: Chunk | undefined;
}

/** So much of a chunk is looked at in a step, UTF-16 units. */
const STEP_TEXT_UNITS = 256;

/** When a text is looked at again that was due while its view was behind. */
const RETRY_MS: Millis = 50;

/** Text of this size fits beside any fields that an event may have, so they are not counted. */
const SMALL_TEXT_UNITS = 2048;

export function createHeldTexts(owner: HeldTextsOwner): HeldTexts {
  const { terms, services } = owner;
  const holds = new Map<string, Hold>();
  // The same by session: an event of one does not look at what others hold.
  const bySession = new Map<string, Map<string, Hold>>();
  const beginnings = new Map<string, number>();
  // The event that is being taken and of which nothing is handed on yet: whoever resumes after what it releases still needs it (R17).
  let arriving: Epoch | undefined;

  /** Of the text that a hold still holds; undefined where it holds none. */
  const firstEpochOf = (hold: Hold): Epoch | undefined =>
    hold.start === hold.end ? undefined : hold.text.chunkAt(hold.start)?.live.entry.epoch;
  const epochs = createLowestEpochs(firstEpochOf);

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
      hold.room = roomForText(first.live.textBase);
    }
    return hold.room;
  };

  const cutWithin = (hold: Hold, to: number): number => {
    const room = to - hold.start > SMALL_TEXT_UNITS ? roomIn(hold) : MAX_TEXT_BYTES;
    if (hold.size.fits(hold.start, to, terms.maxChars, room)) return to;
    return hold.text.boundaries.cutWithin(hold.start, to, terms.maxChars, room);
  };

  const hintOf = (hold: Hold, final: Chunk, cut: number, isForced: boolean): Boundary => {
    const own = final.end === cut ? boundaryOf(final.live.entry.event.coalesce_hint) : undefined;
    let hint = hold.text.boundaries.levelAt(cut);
    if (own !== undefined) hint = stronger(hint, own);
    return isForced && terms.level !== undefined ? stronger(hint, terms.level) : hint;
  };

  /** Cuts [hold.start, to) off the hold and hands it on, in as many events as the limits ask for. */
  const emit = (
    hold: Hold,
    to: number,
    at: Millis,
    timestamp: string,
    end: { readonly complete: boolean; readonly forced: boolean; readonly own?: Boundary },
  ): void => {
    const { boundaries } = hold.text;
    do {
      const cut = to > hold.start ? cutWithin(hold, to) : to;
      const last = cut === to;
      const first = hold.text.chunkAt(hold.start);
      const final = cut > hold.start ? hold.text.chunkAt(cut - 1) : first;
      if (first === undefined || final === undefined) return;
      const text = boundaries.slice(hold.start, cut);
      const complete = last && end.complete;
      const found = hintOf(hold, final, cut, end.forced || hold.isSealed || !last);
      const hint = complete ? "completion" : last ? stronger(found, end.own ?? "none") : found;
      const from = { start: hold.start, position: hold.position };
      hold.start = cut;
      hold.position += codePointCount(text);
      hold.firstAt = hold.text.chunkAt(cut)?.at ?? at;
      const { entry } = first.live;
      const isVerbatim =
        first === final &&
        first.start === from.start &&
        first.end === cut &&
        entry.event.complete === complete &&
        entry.event.coalesce_hint === hint &&
        // What waited while other events went by takes the instant at which it stands.
        entry.event.timestamp === timestamp;
      const { epoch } = owner;
      owner.append({
        kind: "text",
        session: entry.event.session_id,
        agent: hold.agent,
        at,
        firstEpoch: entry.epoch,
        epoch: complete ? Math.max(final.live.entry.epoch, epoch()) : final.live.entry.epoch,
        low: lowestEpoch(arriving ?? epoch() + 1),
        output: hold.text.key,
        position: from.position,
        endPosition: hold.position,
        text,
        hint,
        complete,
        timestamp,
        base: first.live.textBase,
        mergeable: !hold.isSealed,
        verbatim: isVerbatim ? first.live.deliveryIn(terms.shape) : undefined,
      });
    } while (hold.start < to);
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
    if (hold.start < hold.end) emit(hold, hold.end, at, timestamp, { complete: false, forced: true });
    drop(hold);
  };

  const dueAt = (hold: Hold): Millis =>
    Math.min(hold.lastAt + services.maxHoldMs, hold.firstAt + 3 * services.maxHoldMs);

  /** Of what is released by nothing that was published: with the last event of its session (R30). */
  const timestampOf = (hold: Hold): string =>
    owner.lastTimestamp(hold.text.session) ?? hold.text.chunkAt(hold.end)?.live.entry.event.timestamp ?? "";

  const arm = (hold: Hold): void => {
    if (hold.cancel !== undefined || terms.level === undefined) return;
    hold.cancel = services.wakeUps.at(dueAt(hold), (now) => {
      hold.cancel = undefined;
      // Tokens that came since only moved the time; moving the timer with each would cost more than looking again.
      if (hold.start === hold.end) return;
      if (dueAt(hold) > now) arm(hold);
      else if (services.isBehind()) retry(hold, now + RETRY_MS);
      else releaseWhole(hold, now, timestampOf(hold));
    });
  };

  /** What follows a text may have been published and wait for the view (R34): it is no silence of the agent's. */
  const retry = (hold: Hold, at: Millis): void => {
    hold.cancel = services.wakeUps.at(at, () => {
      hold.cancel = undefined;
      if (hold.start < hold.end) arm(hold);
    });
  };

  const releaseFor = (live: LiveEntry, at: Millis): void => {
    const { event } = live.entry;
    const own = terms.level === undefined ? undefined : bySession.get(event.session_id);
    if (own === undefined) return;
    arriving = live.entry.epoch;
    for (const hold of [...own.values()]) {
      if (hold.agent === event.producer.agent_id) releaseWhole(hold, at, event.timestamp);
      else {
        const cut = hold.text.boundaries.lastWord(hold.start);
        if (cut > hold.start) emit(hold, cut, at, event.timestamp, { complete: false, forced: true });
      }
    }
    arriving = undefined;
  };

  const agreesWith = (hold: Hold, event: AgentEvent): boolean => {
    const first = hold.text.chunkAt(hold.start);
    return first !== undefined && agreeForMerging(first.live.entry.event, event);
  };

  const isTrusted = (event: AgentEvent): boolean => {
    const own = boundaryOf(event.coalesce_hint);
    return terms.passThrough || (own !== undefined && terms.level !== undefined && isAtLeast(own, terms.level));
  };

  /** Releases what the newest chunk has shown to be ready. */
  function* releaseFrom(hold: Hold, chunk: Chunk, at: Millis): Steps {
    const { event } = chunk.live.entry;
    const { boundaries } = hold.text;
    const complete = event.complete === true;
    const trusted = hold.isSealed || isTrusted(event);
    // A trusted chunk is not cut inside: its agent has already said where the text may be cut.
    const limit = trusted ? chunk.start : chunk.end;
    for (let to = chunk.start; ; ) {
      to = Math.min(chunk.end, to + STEP_TEXT_UNITS);
      boundaries.scanTo(to);
      while (terms.level !== undefined) {
        const next = boundaries.next(hold.start, terms.level);
        if (next === undefined || next > limit || (complete && next === chunk.end)) break;
        emit(hold, next, at, event.timestamp, { complete: false, forced: false });
        yield;
      }
      if (to === chunk.end) break;
      yield;
    }
    if (complete) {
      emit(hold, hold.end, at, event.timestamp, { complete: true, forced: false });
      drop(hold);
      return;
    }
    if (trusted && hold.start < hold.end) {
      // The agent's word may stand on a chunk without text.
      const own = boundaryOf(event.coalesce_hint) ?? "none";
      emit(hold, hold.end, at, event.timestamp, { complete: false, forced: false, own });
    }
    while (hold.start < hold.end) {
      const cut = cutWithin(hold, hold.end);
      if (cut >= hold.end) break;
      emit(hold, cut, at, event.timestamp, { complete: false, forced: true });
      yield;
    }
    if (terms.passThrough) drop(hold);
    else if (hold.start < hold.end) arm(hold);
  }

  /** Passes by what is given elsewhere. */
  const passBy = (hold: Hold, position: number): void => {
    const rest = hold.text.boundaries.slice(hold.start, hold.end);
    const count = Math.min(codePointCount(rest), Math.max(0, position - hold.position));
    hold.start += offsetOfCodePoint(rest, count);
    hold.position += count;
    if (hold.position >= position) beginnings.delete(hold.text.key);
  };

  const holdOf = (text: OutputText, chunk: Chunk, start: number, position: number): Hold => ({
    text,
    agent: chunk.live.entry.event.producer.agent_id,
    start,
    position,
    firstAt: chunk.at,
    lastAt: chunk.at,
    end: chunk.end,
    cancel: undefined,
    isSealed: terms.carriesExtensions(chunk.live.entry.event),
    size: createFittingText(text.boundaries.slice),
    room: MAX_TEXT_BYTES,
    roomFor: undefined,
  });

  const endPositionOf = (hold: Hold): number =>
    hold.position + codePointCount(hold.text.boundaries.slice(hold.start, hold.end));

  return {
    push: (live, key, at) => {
      const { event } = live.entry;
      const text = terms.passThrough ? services.textOfOne(live, key) : services.outputText(live, key);
      const chunk = services.chunkOf(text, live, at);
      const isSealed = terms.carriesExtensions(event);
      let hold = holds.get(key);
      if (hold !== undefined) {
        const isApart = hold.text !== text || isSealed || hold.isSealed || !agreesWith(hold, event);
        if (hold.text !== text || (isApart && hold.start < hold.end)) {
          arriving = live.entry.epoch;
          releaseWhole(hold, at, event.timestamp);
          arriving = undefined;
          hold = undefined;
        }
      }
      if (hold === undefined) {
        hold = holdOf(text, chunk, chunk.start, typeof event.position === "number" ? event.position : 0);
        keep(hold);
      } else {
        if (hold.start === hold.end) hold.firstAt = at;
        hold.lastAt = at;
        hold.end = chunk.end;
        hold.isSealed = isSealed;
      }
      const beginning = beginnings.get(key);
      if (beginning !== undefined) {
        passBy(hold, beginning);
        owner.passedBy(event.session_id, event.timestamp);
      }
      epochs.add(hold);
      const steps = releaseFrom(hold, chunk, at);
      return steps.next().done === true ? undefined : steps;
    },
    releaseFor,
    held: () => {
      const held: HeldText[] = [];
      for (const hold of holds.values()) {
        if (hold.start === hold.end) continue;
        held.push({
          output: hold.text.key,
          session: hold.text.session,
          firstEpoch: hold.text.chunkAt(hold.start)?.live.entry.epoch ?? owner.epoch() + 1,
          position: hold.position,
          endPosition: endPositionOf(hold),
        });
      }
      return held;
    },
    countOf: (session) => {
      let count = 0;
      for (const hold of bySession.get(session)?.values() ?? []) if (hold.start < hold.end) count += 1;
      return count;
    },
    lowestEpoch,
    release: (output, position, at) => {
      const hold = holds.get(output);
      if (hold === undefined) return;
      const rest = hold.text.boundaries.slice(hold.start, hold.end);
      const to = hold.start + offsetOfCodePoint(rest, position - hold.position);
      if (to > hold.start) emit(hold, to, at, timestampOf(hold), { complete: false, forced: true });
      if (hold.start === hold.end) drop(hold);
    },
    releaseAll: (at) => {
      for (const hold of [...holds.values()]) releaseWhole(hold, at, timestampOf(hold));
    },
    beginAt: (output, position) => void beginnings.set(output, position),
    follow: (text) => {
      if (terms.level === undefined || terms.passThrough) return;
      const last = text.newest();
      // A chunk that other views are taking just now is still to come here (R34).
      const newest = last !== undefined && last.live.entry.epoch > owner.epoch() ? text.chunkBefore(last) : last;
      if (newest === undefined) return;
      const { end } = newest;
      // The piece in progress: what this view would hold, had it been there.
      let start = end;
      for (let chunk: Chunk | undefined = newest; chunk !== undefined; chunk = text.chunkBefore(chunk)) {
        const { event } = chunk.live.entry;
        const isApart = terms.carriesExtensions(event) || isTrusted(event) || !terms.wants(chunk.live);
        if (isApart || !agreeForMerging(event, newest.live.entry.event)) break;
        start = chunk.start;
      }
      start = Math.max(start, text.boundaries.last(end, terms.level));
      const first = text.chunkAt(start);
      if (first === undefined || start >= end) return;
      const hold = { ...holdOf(text, first, start, text.positionOf(start)), lastAt: newest.at, end };
      keep(hold);
      epochs.add(hold);
      arm(hold);
    },
    heldOffset: (output) => {
      const hold = holds.get(output);
      return hold !== undefined && hold.start < hold.end ? hold.start : undefined;
    },
    close: () => {
      for (const hold of [...holds.values()]) drop(hold);
    },
  };
}
