// Facts about a session's past. Each fact is written by itself, because the history grows and must never be written whole (R3, R5, R8, AAEP §4.3.1,
// §4.5.4, §6.2).
import { jsonSize } from "../event/event-size.js";
import type { PublishedEvent } from "./same-publish.js";
import type { SessionCounts } from "./session-limits.js";
import type { HistoryIndex, SessionRecord } from "./session-record.js";
import type { UndoLog } from "./undo-log.js";

/** A suppressed event, a tool call's id, a question's outcome, a completed output, a permission (R5), a reply token. */
export type HistoryKind = "suppressed" | "call" | "outcome" | "output" | "permit" | "token";

/** A new fact, or, with `value` undefined, a fact that is forgotten. Numbers rise within a session. */
export interface HistoryChange {
  readonly sessionId: string;
  readonly name: HistoryKind;
  readonly number: number;
  readonly value: unknown;
}

/** The part of a draft that facts need. */
export interface HistoryDraft {
  readonly undo: UndoLog;
  readonly counts: SessionCounts;
  readonly history: HistoryChange[];
}

/** Remembers `key` with the next number; beyond `most` keys, the oldest is forgotten. `value` is written to the durable state. */
export function remember<Key>(
  draft: HistoryDraft,
  session: SessionRecord,
  name: HistoryKind,
  index: HistoryIndex<Key>,
  key: Key,
  most: number,
  value: unknown = key,
): void {
  if (index.has(key)) return;
  draft.undo.touch(session);
  session.historyCount += 1;
  draft.undo.put(index, key, session.historyCount);
  draft.history.push({ sessionId: session.sessionId, name, number: session.historyCount, value });
  if (index.size <= most) return;
  for (const oldest of index.keys()) {
    if (index.size <= most) return;
    forget(draft, session, name, index, oldest);
  }
}

/** Forgets `key`. */
export function forget<Key>(
  draft: HistoryDraft,
  { sessionId }: SessionRecord,
  name: HistoryKind,
  index: HistoryIndex<Key>,
  key: Key,
): void {
  const number = index.get(key);
  if (number === undefined) return;
  draft.undo.remove(index, key);
  draft.history.push({ sessionId, name, number, value: undefined });
}

/**
 * Suppressed events that a session remembers, and the UTF-16 units of their JSON. The journal does not have them, and their agents may still publish
 * them again (R3).
 */
const SUPPRESSED_KEPT_COUNT = 64;
const SUPPRESSED_KEPT_UNITS = 64 * 1024;

/** Remembers a suppressed event, so that its agent may publish it again (R3). Beyond 64 events or 64 Ki units, the oldest is forgotten. */
export function suppress(draft: HistoryDraft, session: SessionRecord, eventId: string, input: PublishedEvent): void {
  const { sessionId } = session;
  draft.undo.touch(session);
  session.historyCount += 1;
  const number = session.historyCount;
  const units = input.source?.length ?? jsonSize(input.fields);
  draft.undo.put(session.suppressed, eventId, { published: input, number, units });
  // An event without an id of the agent's cannot be published again, so nothing of it is written.
  const source = input.fields.event_id === undefined ? undefined : JSON.stringify(input.fields);
  draft.history.push({ sessionId, name: "suppressed", number, value: source && { source } });
  let kept = 0;
  for (const one of session.suppressed.values()) kept += one.units;
  for (const [oldest, { number: gone, units: freed }] of session.suppressed) {
    const isLittle = session.suppressed.size <= SUPPRESSED_KEPT_COUNT && kept <= SUPPRESSED_KEPT_UNITS;
    if (isLittle || session.suppressed.size === 1) break;
    kept -= freed;
    draft.undo.remove(session.suppressed, oldest);
    draft.history.push({ sessionId, name: "suppressed", number: gone, value: undefined });
  }
}
