// Rebuilds a merged text that left earlier from the journal (R10, R12, R28). Nothing is stored for this: the id names the text's last chunk, its
// start and its end, and a view of the same terms produces the same text again.
import type { Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { DerivedId, IdServices } from "../event/derived-id.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";
import type { EpochSteps } from "../journal/epoch-boots.js";
import { SCANNED_EVENT_COUNT } from "../journal/look-back.js";
import { codePointCount, offsetOfCodePoint } from "../text/code-points.js";
import { finish } from "../time/steps.js";
import type { WakeUpQueue, WakeUps } from "../time/wake-ups.js";
import { joinText } from "../views/join-text.js";
import { textEvent, textEventId } from "../views/merged-events.js";
import { createSharedRendering } from "../views/shared-rendering.js";
import { outputKey, type TextUnit, trimBelow } from "../views/unit.js";
import type { PrivateView } from "../views/view.js";
import type { ViewTerms } from "../views/view-spec.js";

export interface RebuiltTextServices {
  readonly journal: Pick<Journal, "at" | "head">;
  readonly steps: EpochSteps;
  readonly idServices: IdServices;
  readonly openPrivateView: (terms: ViewTerms, wakeUps: WakeUps, startsAfter: Epoch) => PrivateView;
  readonly createWakeUps: () => WakeUpQueue;
}

/** Most events of the session that are read to rebuild a text. */
const REPLAYED_COUNT = 4096;
/** Code points read before the text, to find the starts of sentences and code blocks. */
const REREAD_CHARS = 1024;

/** The contents of a merged event's id, and the last event that went into it. */
export interface NamedEvent extends DerivedId {
  readonly last: JournaledEvent;
  /** The journal from `last` backwards. Events read under one set of terms are not read again under the next. */
  readonly newestFirst: Iterable<JournaledEvent>;
}

/**
 * Rebuilds the event of a stretch of text with this id, under the terms by which it left. Undefined if there is none, if the journal no longer has
 * all of its text, if it is longer than `maxChars` code points, or if more than 4,096 events of its session would have to be read.
 *
 * An invented id costs one hash. Only an id with the right digest costs the reading.
 */
export function rebuildText(
  eventId: string,
  { last, start, end, epoch, newestFirst }: NamedEvent,
  terms: ViewTerms,
  maxChars: number,
  services: RebuiltTextServices,
): AgentEvent | undefined {
  if (last.kind !== "output.streaming") return undefined;
  if (start > end || end - start > Math.min(maxChars, terms.maxChars)) return undefined;
  const output = outputKey(last.event);
  const facts = { epoch, session: last.event.session_id, output, position: start, endPosition: end };
  if (textEventId(facts, terms, services.idServices) !== eventId) return undefined;
  const first = chunkAt(Math.max(0, start - REREAD_CHARS), newestFirst);
  const unit = first && made({ first, last, start, end }, terms, services);
  return unit && textEvent({ ...unit, epoch }, terms, services.idServices);
}

/** The chunk at a position, or the oldest chunk above it that the journal has. */
function chunkAt(position: number, newestFirst: Iterable<JournaledEvent>): JournaledEvent | undefined {
  let first: JournaledEvent | undefined;
  for (const chunk of newestFirst) {
    first = chunk;
    if (positionOf(chunk) <= position) break;
  }
  return first;
}

interface Extent {
  readonly first: JournaledEvent;
  readonly last: JournaledEvent;
  readonly start: number;
  readonly end: number;
}

/** The stretch of text that a private view makes of the session's events from a chunk on, at their original times. */
function made(extent: Extent, terms: ViewTerms, services: RebuiltTextServices): TextUnit | undefined {
  const { first, last, start, end } = extent;
  const { journal, steps } = services;
  const key = outputKey(last.event);
  const isLast = last.event.complete === true && end === endOf(last);
  const wakeUps = services.createWakeUps();
  const { view, push } = services.openPrivateView(terms, wakeUps, first.epoch - 1);
  view.texts.beginAt(key, start);
  let cursor = 0;
  let joined: TextUnit | undefined;
  let isApart = false;

  /** Takes the released units. Returns true if the stretch is complete. */
  const collect = (): boolean => {
    for (const unit of view.log.from(cursor)) {
      if (unit.kind !== "text" || unit.output !== key) continue;
      const above = trimBelow(unit, start);
      if (above === undefined) continue;
      const given = above.endPosition > end ? cutAt(above, end, terms) : above;
      const next: TextUnit | undefined = joined === undefined ? given : joinText(joined, given, terms.maxChars);
      if (next === undefined) isApart = true;
      joined = next ?? joined;
      if (isApart || (given.endPosition === end && given.complete === isLast)) return true;
    }
    cursor = view.log.end();
    return false;
  };

  const replay = (): boolean => {
    let readCount = 0;
    const head = journal.head();
    let at: Millis = first.at;
    let beyondCount = 0;
    for (let epoch = first.epoch; epoch <= head && beyondCount <= SCANNED_EVENT_COUNT; epoch = steps.next(epoch)) {
      if (epoch >= last.epoch) beyondCount += 1;
      const entry = journal.at(epoch, { sessionId: last.event.session_id });
      if (entry === undefined) continue;
      readCount += 1;
      if (readCount > REPLAYED_COUNT) return false;
      at = entry.at;
      wakeUps.advance(at);
      if (collect()) return true;
      finish(push(createSharedRendering(entry), at));
      if (collect()) return true;
    }
    // The text was released later, by time.
    view.texts.release(key, end, at);
    return collect();
  };

  const isThere = replay();
  view.close();
  if (!isThere || isApart || joined === undefined || joined.position !== start) return undefined;
  return joined.endPosition === end ? { ...joined, verbatim: undefined } : undefined;
}

/** The text up to `end`, as a forced cut left it. */
function cutAt(unit: TextUnit, end: number, { level }: ViewTerms): TextUnit {
  const text = unit.text.slice(0, offsetOfCodePoint(unit.text, end - unit.position));
  return { ...unit, text, endPosition: end, hint: level, complete: false, textBytes: undefined };
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
