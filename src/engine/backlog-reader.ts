// Reads on from the journal for one subscription that fell behind, changed its terms or resumes, through a view of its own, until it has
// caught up with the view that it shares (R17, R18, R27). Memory stays bounded: no more is read while units wait to be taken.
import type { Journal, JournalRead } from "../contracts/journal.js";
import type { Epoch, JournaledEvent } from "./event.js";
import type { LiveEntry } from "./live-entry.js";
import type { Place } from "./subscription.js";
import type { Unit } from "./unit.js";
import { outputKey } from "./unit.js";
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
  /** Where each session has its own point: the epoch up to which it has been given, and the same for sessions not named (R17). */
  readonly sessions?: { readonly named: ReadonlyMap<string, Epoch>; readonly others: Epoch };
}

export interface BacklogReader {
  /** Where the next unit stands, after reading on if need be; undefined while there is none. */
  readonly next: () => Place | undefined;
  /** How many events of a session are still unread before one that overtakes them; an upper bound (R4). */
  readonly behind: (entry: JournaledEvent) => number;
  /** The point at which another reader could go on. */
  readonly point: () => ReadingPoint;
  readonly close: () => void;
}

export interface BacklogServices {
  readonly journal: Journal;
  /** A view of the same terms with text records and timers of its own. */
  readonly openView: (wakeUps: WakeUps, startsAfter: Epoch) => View;
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
  const view = services.openView(wakeUps, point.after);
  const place: Place = { view, cursor: 0 };
  const last = new Map<string, JournaledEvent>();
  let after = point.after;
  let inFlight = false;
  let closed = false;

  const take = (entry: JournaledEvent): void => {
    after = entry.epoch;
    last.set(entry.event.session_id, entry);
    // Held text is released when it would have been released, had the subscription been there.
    wakeUps.advance(entry.at);
    if (wasGiven(entry, point)) return;
    const told = services.asBacklog(entry);
    if (told !== undefined) view.push(services.liveEntry(told), told.at);
  };

  const accept = (read: JournalRead): boolean => {
    if (read.kind === "gap") {
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
    point: () => readingPoint(place),
    close: () => {
      closed = true;
      view.close();
    },
  };
}

function wasGiven(entry: JournaledEvent, point: ReadingPoint): boolean {
  const { sessions } = point;
  if (sessions !== undefined && entry.epoch <= (sessions.named.get(entry.event.session_id) ?? sessions.others))
    return true;
  if (entry.kind !== "output.streaming") return entry.epoch <= point.givenTo;
  return entry.epoch <= point.textTo && !point.positions.has(outputKey(entry.event));
}

/** The point from which the journal gives what a place in a view has not been given. */
export function readingPoint(place: Place): ReadingPoint {
  const { view, cursor } = place;
  const positions = new Map<string, number>();
  let first = view.epoch() + 1;
  let givenTo = view.epoch();
  let seenEvent = false;
  for (let index = cursor; index < view.log.end(); index += 1) {
    const unit = view.log.at(index);
    if (unit === undefined) continue;
    first = Math.min(first, unit.firstEpoch);
    if (unit.kind === "text") {
      if (!positions.has(unit.output)) positions.set(unit.output, unit.position);
    } else if (!seenEvent) {
      seenEvent = true;
      givenTo = Math.min(givenTo, unit.epoch - 1);
    }
  }
  for (const held of view.held()) {
    first = Math.min(first, held.firstEpoch);
    if (!positions.has(held.output)) positions.set(held.output, held.position);
  }
  return { after: first - 1, givenTo, textTo: view.epoch(), positions };
}
