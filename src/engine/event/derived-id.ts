// Ids of events that the daemon makes or merges. An id is the same after a reconnect or a restart, and differs for different text or terms. It names
// the parts of its event, so that the event can be rebuilt from the journal (R12, R28).
import type { EventId } from "../../base/ids.js";
import type { Epoch } from "./event.js";

/** The platform's function that derived ids need. */
export interface IdServices {
  /** SHA-256 of the UTF-8 form of `text`, 64 lower-case hex digits. */
  readonly sha256Hex: (text: string) => string;
}

/** The parts that can be read from a derived id. */
export interface DerivedId {
  /** Epoch of the last part; of a journaled event, its own. */
  readonly epoch: Epoch;
  /** Start of the text in its output, in code points. For collapsed states, the distance of the first state's epoch from `epoch`. Else 0. */
  readonly start: number;
  /** End of the text in its output, in code points; else 0. */
  readonly end: number;
}

export interface DerivedIdFacts extends DerivedId {
  readonly sessionId: string;
  /** The output, or the kind and subject of another event. */
  readonly about: string;
  /** `shapeKey` of the terms; "" if every shape gets the same event. */
  readonly shape: string;
  readonly boundaries: readonly string[];
}

const LARGEST_OFFSET = 0xffff_ffff;

/** Makes an id: `evt_` and 64 hex digits, 16 of the epoch, 8 of the start, 8 of the end, 32 of a hash over all but the epoch. */
export function derivedEventId(facts: DerivedIdFacts, services: IdServices): EventId {
  const { sessionId, about, start, end, shape, boundaries } = facts;
  const hash = services.sha256Hex(JSON.stringify([sessionId, about, start, end, shape, boundaries]));
  const epoch = facts.epoch.toString(16).padStart(16, "0");
  return `evt_${epoch}${offsetDigits(start)}${offsetDigits(end)}${hash.slice(0, 32)}` as EventId;
}

function offsetDigits(offset: number): string {
  return Math.min(offset, LARGEST_OFFSET).toString(16).padStart(8, "0");
}

const DERIVED = /^evt_([0-9a-f]{16})([0-9a-f]{8})([0-9a-f]{8})[0-9a-f]{32}$/;

/** Reads a derived id; undefined if the id has another form. An agent may have chosen an id of this form, so look for the id itself first. */
export function parseDerivedId(id: string): DerivedId | undefined {
  const [, epochDigits, startDigits, endDigits] = DERIVED.exec(id) ?? [];
  if (epochDigits === undefined || startDigits === undefined || endDigits === undefined) return undefined;
  const epoch = Number.parseInt(epochDigits, 16);
  if (!Number.isSafeInteger(epoch)) return undefined;
  return { epoch, start: Number.parseInt(startDigits, 16), end: Number.parseInt(endDigits, 16) };
}
