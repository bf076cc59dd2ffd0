// A merged text that left earlier, made again out of the journal (R10, R12, R28). Nothing is remembered of what left: the id names its last chunk
// and its end, its beginning is found by the id's digest, and a view of the same terms makes the rest as it did the first time.
import type { Millis } from "../contracts/clock.js";
import type { Journal } from "../contracts/journal.js";
import type { PrivateView } from "./backlog-reader.js";
import { beginningsBefore } from "./beginnings.js";
import { joinText } from "./delivery-queue.js";
import type { DerivedId, IdServices } from "./derived-id.js";
import type { AgentEvent, Epoch, JournaledEvent } from "./event.js";
import { createLiveEntry } from "./live-entry.js";
import { textEvent, textEventId } from "./merged-events.js";
import type { TextUnit } from "./unit.js";
import { codePointCount, offsetOfCodePoint, outputKey, trimBelow } from "./unit.js";
import type { ViewTerms } from "./view.js";
import type { WakeUpQueue, WakeUps } from "./wake-ups.js";

export interface GivenTextServices {
  readonly journal: Pick<Journal, "at" | "oldest" | "head">;
  readonly idServices: IdServices;
  readonly openPrivateView: (terms: ViewTerms, wakeUps: WakeUps, startsAfter: Epoch) => PrivateView;
  readonly createWakeUps: () => WakeUpQueue;
}

/** Most events looked at on either side of the last chunk, those of other sessions among them. */
export const SCANNED_EVENT_COUNT = 16_384;
/** Text that is read before it, code points: it says where sentences and code blocks begin. */
const REREAD_CHARS = 1024;
/** Most beginnings tried: each costs a hash, and whoever asks for made-up ids must not hold up anybody else. */
const TRIED_COUNT = 512;

/**
 * The event of a stretch of text with this id, under the terms it left by. Undefined where there is none, where the journal no longer holds all of
 * its text, where it is longer than `maxChars` code points, or where its beginning is not among the first 512 likely ones.
 */
export function givenText(
  eventId: string,
  id: DerivedId,
  terms: ViewTerms,
  maxChars: number,
  services: GivenTextServices,
): AgentEvent | undefined {
  const last = services.journal.at(id.epoch);
  if (last === undefined || last.kind !== "output.streaming") return undefined;
  const end = id.endOffset;
  if (end < positionOf(last) || end > endOf(last)) return undefined;
  const lowest = Math.max(0, end - Math.min(maxChars, terms.maxChars));
  const chunks = chunksUpTo(last, Math.max(0, lowest - REREAD_CHARS), services.journal);
  const start = beginningOf(eventId, { chunks, last, end, lowest }, terms, services);
  if (start === undefined) return undefined;
  const first = chunks.find((chunk) => start - REREAD_CHARS < endOf(chunk)) ?? last;
  const unit = made({ first, last, start, end }, terms, services);
  if (unit === undefined) return undefined;
  const event = textEvent({ ...unit, epoch: id.epoch }, terms, services.idServices);
  return event.event_id === eventId ? event : undefined;
}

/** The chunks of an output up to `last`, oldest first, back to the one that holds `position`. */
function chunksUpTo(
  last: JournaledEvent,
  position: number,
  journal: GivenTextServices["journal"],
): readonly JournaledEvent[] {
  const chunks = [last];
  const oldest = Math.max(journal.oldest(), last.epoch - SCANNED_EVENT_COUNT);
  const { session_id: session, output_id: output } = last.event;
  let begin = positionOf(last);
  for (let epoch = last.epoch - 1; epoch >= oldest && begin > position; epoch -= 1) {
    const entry = journal.at(epoch, session);
    if (entry?.kind !== "output.streaming" || entry.event.output_id !== output) continue;
    begin = positionOf(entry);
    chunks.push(entry);
  }
  return chunks.reverse();
}

interface Stretch {
  readonly chunks: readonly JournaledEvent[];
  readonly last: JournaledEvent;
  readonly end: number;
  readonly lowest: number;
}

/** Where the stretch begins that has this id. */
function beginningOf(
  eventId: string,
  { chunks, last, end, lowest }: Stretch,
  terms: ViewTerms,
  { idServices }: GivenTextServices,
): number | undefined {
  const { epoch, event } = last;
  const facts = { epoch, session: event.session_id, output: outputKey(event), endPosition: end };
  const tried = new Set<number>();
  for (const position of beginningsBefore(
    end,
    chunks.map((chunk) => ({ position: positionOf(chunk), text: textOf(chunk) })),
  )) {
    if (position < lowest || tried.has(position)) continue;
    if (tried.size >= TRIED_COUNT) return undefined;
    tried.add(position);
    if (textEventId({ ...facts, position }, terms, idServices) === eventId) return position;
  }
  return undefined;
}

interface Extent {
  readonly first: JournaledEvent;
  readonly last: JournaledEvent;
  readonly start: number;
  readonly end: number;
}

/** The stretch as a view makes it that is given what its session published from a chunk on, at the times when it was. */
function made(extent: Extent, terms: ViewTerms, services: GivenTextServices): TextUnit | undefined {
  const { first, last, start, end } = extent;
  const { journal } = services;
  const key = outputKey(last.event);
  const isLast = last.event.complete === true && end === endOf(last);
  const wakeUps = services.createWakeUps();
  const { view, push } = services.openPrivateView(terms, wakeUps, first.epoch - 1);
  view.texts.beginAt(key, start);
  let cursor = 0;
  let joined: TextUnit | undefined;
  let isApart = false;

  /** Takes what was released. True: that is all of it. */
  const collect = (): boolean => {
    for (const unit of view.log.from(cursor)) {
      if (unit.kind !== "text" || unit.output !== key) continue;
      const given = trimBelow(unit, start);
      if (given === undefined) continue;
      const next: TextUnit | undefined = joined === undefined ? given : joinText(joined, given, terms.maxChars);
      if (next === undefined) isApart = true;
      joined = next ?? joined;
      if (isApart || given.endPosition > end || (given.endPosition === end && given.complete === isLast)) return true;
    }
    cursor = view.log.end();
    return false;
  };

  const replay = (): boolean => {
    const to = Math.min(journal.head(), last.epoch + SCANNED_EVENT_COUNT);
    let at: Millis = first.at;
    for (let epoch = first.epoch; epoch <= to; epoch += 1) {
      const entry = journal.at(epoch, last.event.session_id);
      if (entry === undefined) continue;
      at = entry.at;
      wakeUps.advance(at);
      if (collect()) return true;
      push(createLiveEntry(entry), at);
      if (collect()) return true;
    }
    // It was released by the time since.
    view.texts.release(key, end, at);
    return collect();
  };

  const isThere = replay();
  view.close();
  if (!isThere || isApart || joined === undefined || joined.position !== start) return undefined;
  const whole = { ...joined, verbatim: undefined };
  if (whole.endPosition === end) return whole;
  const text = whole.text.slice(0, offsetOfCodePoint(whole.text, end - start));
  return { ...whole, text, endPosition: end, complete: false, textBytes: undefined };
}

function textOf({ event }: JournaledEvent): string {
  return typeof event.chunk === "string" ? event.chunk : "";
}

function positionOf({ event }: JournaledEvent): number {
  return typeof event.position === "number" ? event.position : 0;
}

function endOf(chunk: JournaledEvent): number {
  return positionOf(chunk) + codePointCount(textOf(chunk));
}
