// The point from which a subscription has to read the journal to get everything pending for it, and the part that was already delivered (R17, R18,
// R27).
import type { Epoch, JournaledEvent } from "../event/event.js";
import { laterTimestamp } from "../event/timestamps.js";
import type { SessionLoss } from "../journal/evictions.js";
import { type EventUnit, isLocal, outputKey, type TextUnit, timestampOf, type Unit } from "../views/unit.js";
import type { ViewCursor } from "../views/view.js";

/** The start of reading, and the parts after it that were already delivered. They are not delivered again. */
export interface CatchUpPoint {
  /** The journal is read from the epoch after this one. */
  readonly after: Epoch;
  /** Events other than chunks are delivered up to this epoch, except `pending`. */
  readonly deliveredTo: Epoch;
  /** Chunks are delivered up to this epoch, except in the outputs of `positions`. */
  readonly textTo: Epoch;
  /** Per output, the position up to which its text is delivered. */
  readonly positions: ReadonlyMap<string, number>;
  /** Per output of `positions`, if known, the epoch of the first chunk that is pending in part. Chunks without text are thereby delivered once. */
  readonly resumeFloors?: ReadonlyMap<string, Epoch>;
  /** Per output of `positions`, if known, the epoch of the last chunk that is delivered in part. */
  readonly deliveredEpoch?: ReadonlyMap<string, Epoch>;
  /** Events up to `deliveredTo` that are not delivered: the subscription had taken them, and they could not leave before its terms changed. */
  readonly pending?: readonly PendingEvents[];
  /** Per session with pending text, the timestamp of the last event sent before. The text gets no earlier timestamp (R30). */
  readonly sent?: ReadonlyMap<string, string>;
}

/** Text of an output below `position` is delivered, and so are its chunks below `epoch`. */
export interface TextFloor {
  readonly position: number;
  readonly epoch: Epoch;
  /** Epoch of the last chunk that is delivered in part; 0 if unknown. */
  readonly deliveredEpoch: Epoch;
}

/** One event, or several state changes of one agent that collapsed into one. */
interface PendingEvents {
  readonly first: Epoch;
  readonly last: Epoch;
  readonly session: string;
  readonly agent: string;
}

export function wasDelivered(entry: JournaledEvent, point: CatchUpPoint): boolean {
  const { epoch, event } = entry;
  const output = entry.kind === "output.streaming" ? outputKey(event) : undefined;
  if (output !== undefined && point.positions.has(output)) return epoch < (point.resumeFloors?.get(output) ?? 0);
  if (entry.kind === "output.streaming") return epoch <= point.textTo;
  return epoch <= point.deliveredTo && !point.pending?.some((pending) => isAmong(entry, pending));
}

function isAmong({ epoch, event, kind }: JournaledEvent, { first, last, session, agent }: PendingEvents): boolean {
  if (epoch < first || epoch > last) return false;
  if (first === last) return true;
  return kind === "state.changed" && event.session_id === session && event.producer.agent_id === agent;
}

const NOTHING_SKIPPED: ReadonlySet<string> = new Set();

/** The deliveries before a cut of the journal, as the reader that finds the cut knows them. */
export interface DeliveredBefore {
  /** The last event of a session that the reader read. */
  readonly last: (sessionId: string) => JournaledEvent | undefined;
  /** Whether an event was delivered before reading began. */
  readonly event: (entry: JournaledEvent) => boolean;
  /** Whether all evicted events of a session were delivered before reading began. */
  readonly all: (loss: SessionLoss) => boolean;
}

export function deliveredBefore(point: CatchUpPoint, last: ReadonlyMap<string, JournaledEvent>): DeliveredBefore {
  const isPendingText = (session: string): boolean => {
    for (const output of point.positions.keys()) if (output.startsWith(`${session}/`)) return true;
    return false;
  };
  return {
    last: (sessionId) => last.get(sessionId),
    event: (entry) => wasDelivered(entry, point),
    all: ({ sessionId, lastEpoch }) => {
      if (isPendingText(sessionId) || point.pending?.some(({ session }) => session === sessionId)) return false;
      return lastEpoch <= Math.min(point.deliveredTo, point.textTo);
    },
  };
}

/** The epoch up to which a place in a view is delivered, and, for some outputs with pending text, how far their text is delivered beyond it (R17). */
export interface ResumePosition {
  readonly after: Epoch;
  readonly outputs: ReadonlyMap<string, { readonly to: number; readonly epoch: Epoch }>;
}

/**
 * A shorter `catchUpPoint` for a subscription that delivered nothing out of order. It looks at no more than `mostOutputs` of the outputs with held
 * text.
 */
export function resumePosition(
  { view, cursor }: ViewCursor,
  queued: readonly Unit[],
  mostOutputs: number,
): ResumePosition {
  const outputs = new Map<string, { readonly to: number; readonly epoch: Epoch }>();
  let first = view.resumeFloor();
  const addPending = (output: string, to: number, deliveredEpoch: Epoch): void => {
    if (!outputs.has(output)) outputs.set(output, { to, epoch: deliveredEpoch });
  };
  for (const units of [queued, view.log.from(cursor)]) {
    for (const unit of units) {
      // Of collapsed progress, only the newest event is pending.
      first = Math.min(first, unit.kind === "event" && unit.role === "progress" ? unit.epoch : unit.firstEpoch);
      if (unit.kind === "text") addPending(unit.output, unit.position, unit.deliveredEpoch);
    }
  }
  for (const { output, position, deliveredEpoch } of view.texts.held(mostOutputs))
    addPending(output, position, deliveredEpoch);
  return { after: first - 1, outputs };
}

/**
 * The point from which the journal has all that a place in a view did not deliver: units after the place, and `queued` units that did not leave. Text
 * below the output's floor in `textFloors` is delivered. Of outputs in `skipped`, only their completion is pending. For a place in a reader's view,
 * `read` has the epoch up to which it read, and the point at which it began.
 */
export function catchUpPoint(
  viewCursor: ViewCursor,
  queued: readonly Unit[],
  textFloors: ReadonlyMap<string, TextFloor>,
  skipped: ReadonlySet<string> = NOTHING_SKIPPED,
  read?: { readonly to: Epoch; readonly from: CatchUpPoint },
): CatchUpPoint {
  const { view, cursor } = viewCursor;
  const readTo = read?.to ?? view.epoch();
  const deliveredBefore = read?.from.deliveredTo ?? Number.NEGATIVE_INFINITY;
  const positions = new Map<string, number>();
  const resumeFloors = new Map<string, Epoch>();
  const deliveredEpoch = new Map<string, Epoch>();
  const pending: PendingEvents[] = [];
  let first = readTo + 1;
  let deliveredTo = readTo;
  const wait = (unit: EventUnit): void => {
    // Of collapsed progress, only the newest event is pending.
    const begin = unit.role === "progress" ? unit.epoch : unit.firstEpoch;
    first = Math.min(first, begin);
    pending.push({ first: begin, last: unit.epoch, session: unit.session, agent: unit.agent });
  };
  // Per session, the timestamp of its first pending unit. Pending units were released after everything that was sent.
  const waiting = new Map<string, string>();
  const textSessions = new Set<string>();
  const note = (unit: Unit): void => {
    if (!isLocal(unit) && !waiting.has(unit.session)) waiting.set(unit.session, timestampOf(unit));
  };
  const waitText = (
    {
      output,
      session,
      position,
      firstEpoch,
      deliveredEpoch: before,
    }: Pick<TextUnit, "output" | "session" | "position" | "firstEpoch" | "deliveredEpoch">,
    floor: TextFloor | undefined,
  ) => {
    const isBelow = floor !== undefined && position < floor.position;
    const from = isBelow ? Math.max(firstEpoch, floor.epoch) : firstEpoch;
    first = Math.min(first, from);
    textSessions.add(session);
    if (positions.has(output)) return;
    positions.set(output, isBelow ? floor.position : position);
    resumeFloors.set(output, from);
    deliveredEpoch.set(output, isBelow ? floor.deliveredEpoch : before);
  };
  for (const unit of queued) {
    note(unit);
    if (unit.kind === "text") waitText(unit, undefined);
    else wait(unit);
  }
  for (let index = cursor; index < view.log.end(); index += 1) {
    const unit = view.log.at(index);
    if (unit === undefined) continue;
    note(unit);
    if (unit.kind === "text") {
      if (unit.complete || !skipped.has(unit.output)) waitText(unit, textFloors.get(unit.output));
    } else if (unit.epoch <= deliveredBefore && !isLocal(unit)) wait(unit);
    else {
      first = Math.min(first, unit.epoch);
      deliveredTo = Math.min(deliveredTo, unit.epoch - 1);
    }
  }
  for (const held of view.texts.held()) {
    const floor = textFloors.get(held.output);
    // A text that other terms delivered to its end has nothing pending. The end is counted only for outputs with a floor.
    if (!skipped.has(held.output) && (floor === undefined || held.endPosition > floor.position)) waitText(held, floor);
  }
  for (const old of read?.from.pending ?? []) {
    if (old.last > readTo) pending.push({ ...old, first: Math.max(old.first, readTo + 1) });
  }
  const sent = new Map<string, string>();
  for (const session of read?.from.sent?.keys() ?? []) textSessions.add(session);
  for (const session of textSessions) {
    const last = waiting.get(session) ?? laterTimestamp(view.timestamps().get(session), read?.from.sent?.get(session));
    if (last !== undefined) sent.set(session, last);
  }
  return {
    after: first - 1,
    deliveredTo: Math.max(deliveredTo, deliveredBefore),
    textTo: Math.max(readTo, read?.from.textTo ?? readTo),
    positions,
    resumeFloors,
    deliveredEpoch,
    pending,
    sent,
  };
}
