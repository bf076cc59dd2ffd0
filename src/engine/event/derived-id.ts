// Ids of merged events. An id is the same for the same text and terms, and nothing can be read from it (R12).
import type { EventId } from "../../base/ids.js";

/** The platform's function that derived ids need. */
export interface IdServices {
  /** SHA-256 of the UTF-8 form of `text`, 64 lower-case hex digits. */
  readonly sha256Hex: (text: string) => string;
}

/** The parts of a merged event. */
export interface MergedParts {
  readonly sessionId: string;
  /** The output, or the kind of the merged events. */
  readonly about: string;
  /** Start and end of the text in its output, in code points; of other events, the first and the last epoch. */
  readonly start: number;
  readonly end: number;
  /** `shapeKey` of the terms. */
  readonly shape: string;
  /** The terms that decide where text is cut; "" for other events. */
  readonly boundaries: string;
}

/** Whether an id has the form of those that merged events have. */
export function isMergedId(id: string): boolean {
  return /^evt_[0-9a-f]{40}$/.test(id);
}

/** Makes an id: `evt_` and 40 hex digits. */
export function mergedEventId(parts: MergedParts, ids: IdServices): EventId {
  const { sessionId, about, start, end, shape, boundaries } = parts;
  const hash = ids.sha256Hex(JSON.stringify([sessionId, about, start, end, shape, boundaries]));
  return `evt_${hash.slice(0, 40)}` as EventId;
}
