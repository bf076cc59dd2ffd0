// Reads on from the journal for one subscription that fell behind, changed its terms or resumes, through a view of its own, until it has
// caught up with the view that it shares (R17, R18, R27). Memory stays bounded: no more is read while units wait to be taken.
import type { Millis } from "../contracts/clock.js";
import type { Journal, JournalRead } from "../contracts/journal.js";
import type { Epoch, JournaledEvent } from "./event.js";
import type { LiveEntry } from "./live-entry.js";
import type { Place } from "./stream.js";
import type { EventUnit, Unit } from "./unit.js";
import { codePointCount, isLocal, outputKey } from "./unit.js";
import type { View } from "./view.js";
import type { WakeUpQueue, WakeUps } from "./wake-ups.js";

/** Where reading begins: what of it was given already is not given again. */
export interface ReadingPoint {
  /** The journal is read from the epoch after this. */
  readonly after: Epoch;
  /** Events other than chunks up to here have been given. */
  readonly givenTo: Epoch;
  /** Chunks up to here have been given, except in the outputs that `positions` names. */
  readonly textTo: Epoch;
  /** Per output, the position up to which its text has been given. */
  readonly positions: ReadonlyMap<string, number>;
  /** Events up to `givenTo` that were not given: they had been taken over and could not leave before the terms changed. */
  readonly pending?: readonly PendingEvents[];
  /** Where each session has its own point: the epoch up to which it has been given, and the same for sessions not named (R17). */
  readonly sessions?: { readonly named: ReadonlyMap<string, Epoch>; readonly others: Epoch };
}

/** One event, or the state changes of one agent that had collapsed into one. */
interface PendingEvents {
  readonly first: Epoch;
  readonly last: Epoch;
  readonly session: string;
  readonly agent: string;
}

export interface BacklogReader {
  /** Where the next unit stands, after reading on if need be; undefined while there is none. */
  readonly next: () => Place | undefined;
  /** How many events of a session are still unread before one that overtakes them; an upper bound (R4). */
  readonly behind: (entry: JournaledEvent) => number;
  /** The point at which another reader could go on, were `queued` not given either. */
  readonly point: (queued: readonly Unit[], floors: ReadonlyMap<string, number>) => ReadingPoint;
  /** Whether it has still to give an event that it has not read. */
  readonly owes: (entry: JournaledEvent) => boolean;
  /** What it has released and nobody took. */
  readonly released: () => readonly Unit[];
  readonly close: () => void;
}

/** A view that nobody shares. */
export interface PrivateView {
  readonly view: View;
  /** Pushes an entry, and lets go of text that is no longer needed. */
  readonly push: (live: LiveEntry, at: Millis) => void;
}

export interface BacklogServices {
  readonly journal: Journal;
  /** A view of the same terms with text records and timers of its own. */
  readonly openView: (wakeUps: WakeUps, startsAfter: Epoch) => PrivateView;
  readonly createWakeUps: () => WakeUpQueue;
  readonly liveEntry: (entry: JournaledEvent) => LiveEntry;
  /** An entry as the backlog tells it; undefined for one that is not told any more (R17). */
  readonly asBacklog: (entry: JournaledEvent) => JournaledEvent | undefined;
  /** What stands for events that aged out (R27): a unit for each session, put where they would have been. */
  readonly gapUnits: (after: Epoch, oldest: Epoch, last: ReadonlyMap<string, JournaledEvent>) => readonly Unit[];
  /** Called in the moment when everything the journal holds has been read and taken. */
  readonly caughtUp: (own: View) => void;
  /** Called when a read that took its time has ended. */
  readonly wake: () => void;
}

const BATCH = 256;

export function createBacklogReader(point: ReadingPoint, services: BacklogServices): BacklogReader {
  const wakeUps = services.createWakeUps();
  const { view, push } = services.openView(wakeUps, point.after);
  const place: Place = { view, cursor: 0 };
  for (const [output, position] of point.positions) view.texts.beginAt(output, position);
  const last = new Map<string, JournaledEvent>();
  // Where the text ends that was read of outputs of which a part had been given.
  const ends = new Map<string, number>();
  const completed = new Set<string>();
  let after = point.after;
  let at = Number.NEGATIVE_INFINITY;
  let inFlight = false;
  let closed = false;

  const take = (entry: JournaledEvent): void => {
    after = entry.epoch;
    last.set(entry.event.session_id, entry);
    // Held text is released when it would have been released, had the subscription been there.
    at = entry.at;
    wakeUps.advance(at);
    if (wasGiven(entry, point)) {
      view.noteTimestamp(entry.event.session_id, entry.event.timestamp);
      return;
    }
    if (entry.kind === "output.streaming") noteEnd(entry);
    const told = services.asBacklog(entry);
    if (told !== undefined) push(services.liveEntry(told), told.at);
  };

  const noteEnd = ({ event }: JournaledEvent): void => {
    const key = outputKey(event);
    if (!point.positions.has(key)) return;
    if (event.complete === true) completed.add(key);
    const begin = typeof event.position === "number" ? event.position : 0;
    ends.set(key, begin + codePointCount(typeof event.chunk === "string" ? event.chunk : ""));
  };

  const accept = (read: JournalRead): boolean => {
    if (read.kind === "gap") {
      // What was read before the gap can no longer be joined with what comes after it.
      view.texts.releaseAll(at);
      for (const unit of services.gapUnits(after, read.oldest, last)) view.log.append(unit);
      after = read.oldest - 1;
      return true;
    }
    for (const entry of read.events) take(entry);
    return read.events.length > 0;
  };

  /** Reads one batch. False: there is nothing more now. */
  const readOn = (): boolean => {
    if (inFlight || closed) return false;
    const read = services.journal.read(after, BATCH);
    if (!(read instanceof Promise)) return accept(read);
    inFlight = true;
    read.then(
      (done) => {
        inFlight = false;
        if (closed) return;
        accept(done);
        services.wake();
      },
      () => {
        // The journal reports its own failures; this subscription tries again when it is next woken.
        inFlight = false;
      },
    );
    return false;
  };

  return {
    next: () => {
      if (closed) return undefined;
      view.log.drop(place.cursor);
      while (place.cursor >= view.log.end()) {
        if (readOn()) continue;
        if (inFlight || after < services.journal.head()) return undefined;
        services.caughtUp(view);
        if (place.cursor >= view.log.end()) return undefined;
      }
      return place;
    },
    behind: (entry) => {
      const unread = entry.ordinal - 1 - (last.get(entry.event.session_id)?.ordinal ?? 0);
      let waiting = 0;
      for (let index = place.cursor; index < view.log.end(); index += 1) {
        if (view.log.at(index)?.session === entry.event.session_id) waiting += 1;
      }
      return Math.max(0, unread) + waiting;
    },
    point: (queued, floors) => {
      const onwards = readingPoint(place, queued, floors, { to: after, from: point });
      const positions = new Map(onwards.positions);
      for (const [output, position] of point.positions)
        if (!positions.has(output) && !completed.has(output))
          positions.set(output, Math.max(ends.get(output) ?? position, floors.get(output) ?? 0));
      return { ...onwards, positions };
    },
    owes: (entry) => entry.epoch > after && !wasGiven(entry, point),
    released: () => view.log.from(place.cursor),
    close: () => {
      closed = true;
      view.close();
    },
  };
}

function wasGiven(entry: JournaledEvent, point: ReadingPoint): boolean {
  const { epoch, event } = entry;
  if (entry.kind === "output.streaming" && point.positions.has(outputKey(event))) return false;
  const { sessions } = point;
  if (sessions !== undefined && epoch <= (sessions.named.get(event.session_id) ?? sessions.others)) return true;
  if (entry.kind === "output.streaming") return epoch <= point.textTo;
  return epoch <= point.givenTo && !point.pending?.some((pending) => isAmong(entry, pending));
}

function isAmong({ epoch, event, kind }: JournaledEvent, { first, last, session, agent }: PendingEvents): boolean {
  if (epoch < first || epoch > last) return false;
  if (first === last) return true;
  return kind === "state.changed" && event.session_id === session && event.producer.agent_id === agent;
}

/**
 * The point from which the journal gives what a place in a view has not given, and what was taken from there into a queue but did not leave.
 * Text below its output's floor in `floors` has been given. For a place in a reader's view, `read` says how far it has
 * read, and from where.
 */
export function readingPoint(
  place: Place,
  queued: readonly Unit[],
  floors: ReadonlyMap<string, number>,
  read?: { readonly to: Epoch; readonly from: ReadingPoint },
): ReadingPoint {
  const { view, cursor } = place;
  const readTo = read?.to ?? view.epoch();
  const givenBefore = read?.from.givenTo ?? Number.NEGATIVE_INFINITY;
  const positions = new Map<string, number>();
  const pending: PendingEvents[] = [];
  let first = readTo + 1;
  let givenTo = readTo;
  const wait = (unit: EventUnit): void => {
    // Of progress only the newest counts.
    const begin = unit.role === "progress" ? unit.epoch : unit.firstEpoch;
    first = Math.min(first, begin);
    pending.push({ first: begin, last: unit.epoch, session: unit.session, agent: unit.agent });
  };
  const waitText = (output: string, position: number, firstEpoch: Epoch): void => {
    first = Math.min(first, firstEpoch);
    if (!positions.has(output)) positions.set(output, position);
  };
  const aboveFloor = ({ output, position }: { readonly output: string; readonly position: number }): number =>
    Math.max(position, floors.get(output) ?? 0);
  for (const unit of queued) {
    if (unit.kind === "text") waitText(unit.output, unit.position, unit.firstEpoch);
    else wait(unit);
  }
  for (let index = cursor; index < view.log.end(); index += 1) {
    const unit = view.log.at(index);
    if (unit === undefined) continue;
    if (unit.kind === "text") waitText(unit.output, aboveFloor(unit), unit.firstEpoch);
    else if (unit.epoch <= givenBefore && !isLocal(unit)) wait(unit);
    else {
      first = Math.min(first, unit.epoch);
      givenTo = Math.min(givenTo, unit.epoch - 1);
    }
  }
  for (const held of view.texts.held()) waitText(held.output, aboveFloor(held), held.firstEpoch);
  for (const old of read?.from.pending ?? []) {
    if (old.last > readTo) pending.push({ ...old, first: Math.max(old.first, readTo + 1) });
  }
  const sessions = read?.from.sessions;
  return {
    after: first - 1,
    givenTo: Math.max(givenTo, givenBefore),
    textTo: Math.max(readTo, read?.from.textTo ?? readTo),
    positions,
    pending,
    ...(sessions === undefined ? {} : { sessions }),
  };
}
