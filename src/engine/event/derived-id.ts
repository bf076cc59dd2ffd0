// Ids of events that the daemon makes or merges: the same after a reconnect or a restart, different for different text or terms (R12).
import type { EventId } from "../../base/ids.js";
import type { Epoch } from "./event.js";

/** What the engine needs of the platform to name its events. */
export interface IdServices {
  /** SHA-256 of the UTF-8 form of `text`, 64 lower-case hex digits. */
  readonly sha256Hex: (text: string) => string;
}

export interface DerivedIdFacts {
  /** Of the last constituent, or of the last event before a daemon-made one. */
  readonly epoch: Epoch;
  /** End in its output, code points; 0 where there is no output. */
  readonly endOffset: number;
  readonly sessionId: string;
  /** The output, or what kind of event it is and about what. */
  readonly about: string;
  readonly start: number;
  readonly end: number;
  /** `shapeKey` of the terms; "" where every shape gets the same event. */
  readonly shape: string;
  readonly boundaries: readonly string[];
}

const LARGEST_OFFSET = 0xffff_ffff;

/** `evt_` and 64 hex digits: 16 of the epoch, 8 of the end offset, 40 of a hash over everything else. */
export function derivedEventId(facts: DerivedIdFacts, services: IdServices): EventId {
  const { sessionId, about, start, end, shape, boundaries } = facts;
  const hash = services.sha256Hex(JSON.stringify([sessionId, about, start, end, shape, boundaries]));
  const epoch = facts.epoch.toString(16).padStart(16, "0");
  const offset = Math.min(facts.endOffset, LARGEST_OFFSET).toString(16).padStart(8, "0");
  return `evt_${epoch}${offset}${hash.slice(0, 40)}` as EventId;
}

const DERIVED = /^evt_([0-9a-f]{16})([0-9a-f]{8})[0-9a-f]{40}$/;

/** What can be read in a derived id. */
export interface DerivedId {
  readonly epoch: Epoch;
  readonly endOffset: number;
}

/**
 * What a derived id says of its event. Undefined where the id has another form. An agent may have chosen an id of this form: look for the id
 * itself first.
 */
export function parseDerivedId(id: string): DerivedId | undefined {
  const [, epochDigits, offsetDigits] = DERIVED.exec(id) ?? [];
  if (epochDigits === undefined || offsetDigits === undefined) return undefined;
  const epoch = Number.parseInt(epochDigits, 16);
  return Number.isSafeInteger(epoch) ? { epoch, endOffset: Number.parseInt(offsetDigits, 16) } : undefined;
}

/** The epoch in a derived id, for resuming after it (R17). Undefined where the id has another form. */
export function epochOfDerivedId(id: string): Epoch | undefined {
  return parseDerivedId(id)?.epoch;
}
