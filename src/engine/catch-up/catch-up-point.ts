// The point from which a subscription would have to read the journal to get all that it is owed, and what of it was given already (R17, R18, R27).
import type { Epoch, JournaledEvent } from "../event/event.js";
import { laterTimestamp } from "../event/timestamps.js";
import type { SessionLoss } from "../journal/evictions.js";
import { type EventUnit, isLocal, outputKey, type TextUnit, timestampOf, type Unit } from "../views/unit.js";
import type { ViewCursor } from "../views/view.js";

/** Where reading begins: what of it was given already is not given again. */
export interface CatchUpPoint {
  /** The journal is read from the epoch after this. */
  readonly after: Epoch;
  /** Events other than chunks up to here have been given. */
  readonly deliveredTo: Epoch;
  /** Chunks up to here have been given, except in the outputs that `positions` names. */
  readonly textTo: Epoch;
  /** Per output, the position up to which its text has been given. */
  readonly positions: ReadonlyMap<string, number>;
  /** Per output of these, as far as it is known, the epoch of the first chunk of which something is owed: also one without text is given once. */
  readonly resumeFloors?: ReadonlyMap<string, Epoch>;
  /** Per output of these, as far as it is known, the epoch of the last chunk of which something was given. */
  readonly deliveredEpoch?: ReadonlyMap<string, Epoch>;
  /** Events up to `givenTo` that were not given: they had been taken over and could not leave before the terms changed. */
  readonly pending?: readonly PendingEvents[];
  /** Of sessions with text that is owed: the timestamp of the last event that was sent before. Such text stands no earlier (R30). */
  readonly sent?: ReadonlyMap<string, string>;
}

/** Text of an output below a position has been given, and so have its chunks before an epoch. */
export interface TextFloor {
  readonly position: number;
  readonly epoch: Epoch;
  /** Of the last chunk of which something was given; 0 where that is not known. */
  readonly deliveredEpoch: Epoch;
}

/** One event, or the state changes of one agent that had collapsed into one. */
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

/** What a reader that finds the journal cut off knows of what was given before the cut. */
export interface DeliveredBefore {
  /** The last event of a session that it read. */
  readonly last: (sessionId: string) => JournaledEvent | undefined;
  /** Whether an event was given before reading began. */
  readonly event: (entry: JournaledEvent) => boolean;
  /** Whether all that the journal let go of in a session was given before reading began. */
  readonly all: (loss: SessionLoss) => boolean;
}

export function deliveredBefore(point: CatchUpPoint, last: ReadonlyMap<string, JournaledEvent>): DeliveredBefore {
  const isOwedText = (session: string): boolean => {
    for (const output of point.positions.keys()) if (output.startsWith(`${session}/`)) return true;
    return false;
  };
  return {
    last: (sessionId) => last.get(sessionId),
    event: (entry) => wasDelivered(entry, point),
    all: ({ sessionId, lastEpoch }) => {
      if (isOwedText(sessionId) || point.pending?.some(({ session }) => session === sessionId)) return false;
      return lastEpoch <= Math.min(point.deliveredTo, point.textTo);
    },
  };
}

/** How far a place in a view has given, and for outputs of which text is owed, some at least, how far that goes further (R17). */
export interface ResumePosition {
  readonly after: Epoch;
  readonly outputs: ReadonlyMap<string, { readonly to: number; readonly epoch: Epoch }>;
}

/** The same as `readingPoint` where nothing was given apart, without a look at all the text that the view holds: at `mostOutputs` of it. */
export function resumePosition(
  { view, cursor }: ViewCursor,
  queued: readonly Unit[],
  mostOutputs: number,
): ResumePosition {
  const outputs = new Map<string, { readonly to: number; readonly epoch: Epoch }>();
  let first = view.resumeFloor();
  const owe = (output: string, to: number, deliveredEpoch: Epoch): void => {
    if (!outputs.has(output)) outputs.set(output, { to, epoch: deliveredEpoch });
  };
  for (const units of [queued, view.log.from(cursor)]) {
    for (const unit of units) {
      // Of progress only the newest counts.
      first = Math.min(first, unit.kind === "event" && unit.role === "progress" ? unit.epoch : unit.firstEpoch);
      if (unit.kind === "text") owe(unit.output, unit.position, unit.deliveredEpoch);
    }
  }
  for (const { output, position, deliveredEpoch } of view.texts.held(mostOutputs))
    owe(output, position, deliveredEpoch);
  return { after: first - 1, outputs };
}

/**
 * The point from which the journal gives what a place in a view has not given, and what was taken from there into a queue but did not leave.
 * Text below its output's floor in `floors` has been given, and of `skipped` outputs only their completion is owed. For a place in a reader's view,
 * `read` says how far it has read, and from where.
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
    // Of progress only the newest counts.
    const begin = unit.role === "progress" ? unit.epoch : unit.firstEpoch;
    first = Math.min(first, begin);
    pending.push({ first: begin, last: unit.epoch, session: unit.session, agent: unit.agent });
  };
  // What waits was released after all that was sent; of its session, the first counts.
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
    // Nothing is owed of what it was given by other terms. Where a text ends is only counted where that matters.
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
